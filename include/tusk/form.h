/* SPDX-License-Identifier: MIT */
/* A form as a browser posts it, of either kind (application/x-www-form-urlencoded and
 * multipart/form-data): read once, and from then on a list of places in its body. */
#ifndef TUSK_FORM_H
#define TUSK_FORM_H

#include <tusk/multipart.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes [at, at + len) of the body. */
typedef struct tusk_span {
    uint32_t at;
    uint32_t len;
} tusk_span;

/* One field or file. Names and values are as the form's kind escapes them: of pairs by
 * tusk_url_decode with '+' for a space; of parts names by tusk_multipart_text, and values not at
 * all. */
typedef struct tusk_form_part {
    tusk_span name;
    tusk_span value;
    tusk_span filename; /* at 0: a field, since no name of a file stands at the body's begin */
    tusk_span type;     /* of a file; len 0: none was sent, which means "text/plain" */
} tusk_form_part;

/* All zero is an empty form. */
typedef struct tusk_form {
    tusk_buf list; /* of tusk_form_part, in the body's order */
    bool pairs;    /* the urlencoded kind: no files */
} tusk_form;

/* By one walk over `body`, whose places these are; one allocation or a few, of `mem` (NULL: the
 * default). TUSK_ENOENT: the type is no form's. TUSK_ELIMIT: more than parts_max fields and files;
 * TUSK_ETOOBIG: a file over file_max, or a body of 4 GiB; otherwise the errors of
 * tusk_multipart_init and tusk_multipart_parse, TUSK_EPROTO also for a body that is cut off. The
 * form is empty then. `limits` NULL: the defaults. */
TUSK_API tusk_err tusk_form_read(tusk_form *self, tusk_bytes content_type, tusk_bytes body,
                                 const tusk_multipart_limits *limits, const tusk_mem *mem);
TUSK_API void tusk_form_fini(tusk_form *self);

static inline size_t tusk_form_count(const tusk_form *self)
{
    return self->list.len / sizeof(tusk_form_part);
}

/* Below the count; until the form is finished. */
static inline const tusk_form_part *tusk_form_at(const tusk_form *self, size_t i)
{
    return (const tusk_form_part *)(const void *)self->list.ptr + i;
}

/* The caller's from now on; an empty one stays. */
static inline tusk_form tusk_form_take(tusk_form *self)
{
    tusk_form taken = *self;
    memset(self, 0, sizeof(*self));
    return taken;
}

#ifdef __cplusplus
}
#endif
#endif
