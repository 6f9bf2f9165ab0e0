/* SPDX-License-Identifier: MIT */
/* multipart/form-data (RFC 7578, in the form of RFC 2046, 5.1) without any I/O: fields and files of
 * a form as a browser posts them; strict in what it takes. */
#ifndef TUSK_MULTIPART_H
#define TUSK_MULTIPART_H

#include <tusk/bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tusk_multipart_limits {
    uint32_t parts_max; /* fields and files together; default 1000: TUSK_ELIMIT */
    uint32_t head_max;  /* one part's header section with its empty line; default 4096:
                           TUSK_EHEADERS */
    uint64_t file_max;  /* bytes of one file; 0: no limit. TUSK_ETOOBIG */
} tusk_multipart_limits;
TUSK_API const tusk_multipart_limits *tusk_multipart_limits_default(void);

typedef enum tusk_multipart_event {
    TUSK_MULTIPART_NOTHING, /* consumed, and nothing to tell */
    TUSK_MULTIPART_PART,    /* a part begins: `part` is set */
    TUSK_MULTIPART_DATA,    /* a piece of its contents: `data` is set */
    TUSK_MULTIPART_PART_END,
    TUSK_MULTIPART_END /* the closing delimiter; what follows is ignored (RFC 2046, 5.1.1) */
} tusk_multipart_event;

/* Views into what was parsed. `name` and `filename` still have their escapes: tusk_multipart_text.
 */
typedef struct tusk_multipart_part {
    tusk_bytes name;
    tusk_bytes filename; /* as the client calls it, never a path to write to; ptr NULL: a field */
    tusk_bytes type;     /* "text/plain" where none was sent (RFC 7578, 4.4) */
} tusk_multipart_part;

enum { TUSK_MULTIPART_BOUNDARY_MAX = 70 }; /* RFC 2046, 5.1.1 */

typedef struct tusk_multipart {
    tusk_multipart_limits limits;
    uint64_t file_bytes; /* of the file under way */
    uint32_t parts;
    uint32_t scanned; /* bytes of a part's head that have no end in them */
    uint8_t state;
    uint8_t delimiter_len;
    bool is_file;
    uint8_t delimiter[TUSK_MULTIPART_BOUNDARY_MAX + 4]; /* CR LF "--" boundary */
    tusk_bytes data;                                    /* valid until the next call */
    tusk_multipart_part part;                           /* valid until the next call */
} tusk_multipart;

/* By a request's Content-Type. TUSK_ENOENT: another type; TUSK_EPROTO: no boundary, two, or one
 * that RFC 2046 does not allow, once each quoted-pair of it is the octet that it stands for (RFC
 * 9110, 5.6.4). `limits` NULL: the defaults. */
TUSK_API tusk_err tusk_multipart_init(tusk_multipart *self, tusk_bytes content_type,
                                      const tusk_multipart_limits *limits);
/* > 0: bytes consumed, with one event. 0: need more. TUSK_EPROTO: a broken rule (a bare CR or LF in
 * a part's head, no Content-Disposition of form-data with a name, one twice, what follows a
 * boundary on its line); TUSK_ECODING: a Content-Transfer-Encoding that changes bytes (RFC
 * 7578, 4.7); and the limits above. However the input is cut, the pieces of a part make the same
 * contents. */
TUSK_API ptrdiff_t tusk_multipart_parse(tusk_multipart *self, tusk_bytes in,
                                        tusk_multipart_event *event);
/* The closing delimiter was there; a body that ends before it is cut off. */
TUSK_API bool tusk_multipart_done(const tusk_multipart *self);
/* A name or file name without its escapes: a quoted-pair of `"` or `\` (RFC 9110, 5.6.4), and the
 * "%22", "%0D" and "%0A" that browsers write (WHATWG HTML, 4.10.21.8). `out` has room for in.len.
 */
TUSK_API size_t tusk_multipart_text(char *out, tusk_bytes in);
/* Of a file name without its escapes, what is behind the last "/" or "\": clients may not say where
 * a file is to go (RFC 7578, 4.2). */
TUSK_API tusk_bytes tusk_multipart_base_name(tusk_bytes filename);

#ifdef __cplusplus
}
#endif
#endif
