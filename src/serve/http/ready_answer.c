/* SPDX-License-Identifier: MIT */
/* Answers that are made once for all who ask within a second. Nothing of one is ever changed, since
 * the kernel may still be sending its pages: the next second's is another. */
#include "serve/http/ready_answer.h"

#include "net/blob_file.h"

void tusk__ready_answers_init(ready_answers *self, const tusk_mem *mem)
{
    memset(self, 0, sizeof(*self));
    self->mem = mem;
}

void tusk__ready_answer_drop(ready_answers *self, ready_answer *answer)
{
    if (answer->blob == NULL) {
        return;
    }
    for (unsigned i = 0; i < READY_MAX; i++) {
        if (self->made[i] == answer) {
            self->made[i] = NULL;
        }
    }
    tusk__blob_file_close(answer->blob);
    tusk_blob_unref(answer->blob);
    answer->blob = NULL;
}

static void make(ready_answers *self, ready_answer *answer, tusk_bytes head, tusk_bytes body)
{
    uint8_t *place;
    tusk__ready_answer_drop(self, answer);
    if (tusk_blob_new(&answer->blob, self->mem, head.len + body.len, &place) != TUSK_OK) {
        return; /* it goes as it went before */
    }
    memcpy(place, head.ptr, head.len);
    memcpy(place + head.len, body.ptr, body.len);
    tusk__blob_file_open(answer->blob);
    ready_answer **seat = &self->made[self->next++ % READY_MAX];
    if (*seat != NULL) {
        tusk__ready_answer_drop(self, *seat);
    }
    *seat = answer;
}

tusk_blob *tusk__ready_answer_of(ready_answers *self, ready_answer *answer, int64_t second,
                                 tusk_bytes head, tusk_bytes body)
{
    const tusk_blob *blob = answer->blob;
    if (TUSK_LIKELY(blob != NULL && blob->len == head.len + body.len &&
                    memcmp(blob->ptr, head.ptr, head.len) == 0)) {
        return answer->blob;
    }
    if (answer->wanted_s != second) {
        answer->wanted_s = second;
        answer->wanted = 0;
    }
    if (++answer->wanted < READY_AFTER || body.len == 0) {
        return NULL;
    }
    answer->wanted = 0;
    make(self, answer, head, body);
    return answer->blob;
}
