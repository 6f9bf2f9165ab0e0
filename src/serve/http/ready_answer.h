/* SPDX-License-Identifier: MIT */
/* Answers that many ask for within one second: head and body as they leave, in one piece. */
#ifndef SERVE_READY_ANSWER_H
#define SERVE_READY_ANSWER_H

#include <tusk/bytes.h>

enum {
    READY_MAX = 32,  /* of a server; each may have a descriptor, and memory twice its length */
    READY_AFTER = 16 /* equal answers of one second, the others put together one by one */
};

/* Of one body that never changes. All zero is one that nobody has asked for. */
typedef struct ready_answer {
    tusk_blob *blob; /* NULL: not made */
    int64_t wanted_s;
    unsigned wanted; /* in that second, since it was made */
} ready_answer;

typedef struct ready_answers {
    const tusk_mem *mem;
    ready_answer *made[READY_MAX];
    unsigned next; /* the place that the next one takes, and whoever has it gives up */
} ready_answers;

void tusk__ready_answers_init(ready_answers *self, const tusk_mem *mem);
/* The answer with just this head, borrowed; NULL: it is to be put together as any other. What the
 * head says of the second is in the head. */
tusk_blob *tusk__ready_answer_of(ready_answers *self, ready_answer *answer, int64_t second,
                                 tusk_bytes head, tusk_bytes body);
/* Before its memory goes. */
void tusk__ready_answer_drop(ready_answers *self, ready_answer *answer);

#endif
