/* SPDX-License-Identifier: MIT */
/* What request and response heads share: the reader, the field section, comma lists. */
#ifndef PROTO_HTTP1_HEAD_H
#define PROTO_HTTP1_HEAD_H

#include <tusk/http.h>

/* Besides errors (< 0). */
enum { TUSK__HTTP_MORE = 0, TUSK__HTTP_DONE = 1 };

/* What follows a target on its line at least: a space and the version. */
enum { TUSK__HTTP_VERSION_LEN = 8, TUSK__HTTP_LINE_REST = 9 };

enum {
    SEEN_HOST = 1,
    SEEN_LENGTH = 2,
    SEEN_CODING = 4,
    SEEN_CLOSE = 8,
    SEEN_KEEP_ALIVE = 16,
    SEEN_CONNECTION_UPGRADE = 32,
    SEEN_UPGRADE = 64
};

/* Where an unfinished head ends: within a run of bytes of one class, or anywhere else. */
enum tusk__http_spot {
    SPOT_ELSEWHERE,
    SPOT_TARGET,
    SPOT_REASON,
    SPOT_NAME,
    SPOT_BEFORE_COLON,
    SPOT_VALUE
};

typedef struct tusk__http_reader {
    tusk_http_head *head;
    const uint8_t *at;
    const uint8_t *end;
    unsigned seen;
    enum tusk__http_spot spot;
    bool is_request;
    bool spaced_names;   /* as of the limits */
    tusk_http_method to; /* responses: what they answer */
} tusk__http_reader;

/* `read` reads a whole head at self->at, or says how far it came; all of `self` but head,
 * is_request, spaced_names and `to` is set here. */
ptrdiff_t tusk__http_head_parse(tusk__http_reader *self, tusk_bytes in,
                                const tusk_http_limits *limits, size_t *scanned,
                                int (*read)(tusk__http_reader *self,
                                            const tusk_http_limits *limits));

/* CR LF at `at`; moves self->at behind it. */
int tusk__http_line_end(tusk__http_reader *self, const uint8_t *at);
/* "HTTP/1.0" or "HTTP/1.1" at `at`, found wrong at its first wrong byte. */
int tusk__http_version(tusk__http_reader *self, const uint8_t *at);
/* Fields up to and with the empty line. */
int tusk__http_fields(tusk__http_reader *self, uint32_t fields_max);
/* keep_alive and upgrade, from what was seen. */
void tusk__http_connection(tusk__http_reader *self);

/* Takes the next non-empty element of a comma list off `rest`; a comma within a quoted string does
 * not end it. */
bool tusk__http_next_element(tusk_bytes *rest, tusk_bytes *element);

#endif
