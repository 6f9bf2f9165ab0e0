/* SPDX-License-Identifier: MIT */
/* What a task's answer begins with. */
#ifndef TUSK_EXT_PARALLEL_ANSWER_H
#define TUSK_EXT_PARALLEL_ANSWER_H

/* Then microseconds, peak memory, output, and the payload of the kind. */
enum {
    ANSWER_VALUE, /* a value */
    ANSWER_ERROR, /* what was thrown, with what came before it */
    ANSWER_EXIT,  /* a number: exit()'s status */
    ANSWER_FATAL, /* a text: the process is used up */
    ANSWER_FAULT  /* a text: the result, or the request, cannot travel */
};

#endif
