/* SPDX-License-Identifier: MIT */
/* An HTTP answer that is counted and not kept; one that begins like the last is not parsed again.
 */
#ifndef LOAD_ANSWER_H
#define LOAD_ANSWER_H

#include <tusk/http.h>

enum { LOAD_ANSWER_HEAD_KEPT = 1024 };

/* The head that came last for a request, and what follows from it: equal bytes have equal meaning.
 */
typedef struct load_known_head {
    uint16_t len; /* 0: none */
    uint16_t status;
    bool close;
    uint64_t body;
    uint8_t bytes[LOAD_ANSWER_HEAD_KEPT];
} load_known_head;

typedef struct load_answer {
    tusk_http_body body;
    uint64_t left; /* of a body with a length */
    size_t scanned;
    uint16_t status;
    uint8_t step;
    bool close; /* the connection ends with this answer */
} load_answer;

/* Reads one answer: bytes taken, < 0 a tusk_err; `*done` when it is complete (status and close are
 * its own then, and the next call begins the next answer). `to`: the method that it answers. */
ptrdiff_t tusk__load_answer_read(load_answer *self, tusk_bytes in, tusk_http_method to,
                                 load_known_head *known, bool *done);
/* The connection ended: true if that completes an answer. */
bool tusk__load_answer_end(const load_answer *self);

#endif
