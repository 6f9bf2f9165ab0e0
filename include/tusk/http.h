/* SPDX-License-Identifier: MIT */
/* HTTP/1.1 (RFC 9112, 9110) without any I/O: heads, bodies, what leaves; strict in what it takes.
 */
#ifndef TUSK_HTTP_H
#define TUSK_HTTP_H

#include <tusk/bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tusk_http_method {
    TUSK_HTTP_GET,
    TUSK_HTTP_HEAD,
    TUSK_HTTP_POST,
    TUSK_HTTP_PUT,
    TUSK_HTTP_PATCH,
    TUSK_HTTP_DELETE,
    TUSK_HTTP_OPTIONS,
    TUSK_HTTP_CONNECT,
    TUSK_HTTP_TRACE,
    TUSK_HTTP_OTHER /* a valid token that is none of these */
} tusk_http_method;

TUSK_API tusk_http_method tusk_http_method_of(tusk_bytes name); /* case counts: RFC 9110, 9.1 */
/* Twice is as once (RFC 9110, 9.2.2): may be sent again when nobody knows whether it was done. */
TUSK_API bool tusk_http_idempotent(tusk_http_method method);

typedef struct tusk_http_field {
    tusk_bytes name;
    tusk_bytes value; /* without white space around it */
} tusk_http_field;

enum { TUSK_HTTP_FIELDS_CAP = 128 };

typedef struct tusk_http_limits {
    uint32_t line_max;   /* request line; default 8192: TUSK_EURI (status line: TUSK_EHEADERS) */
    uint32_t head_max;   /* whole head; default 16384: TUSK_EHEADERS */
    uint32_t fields_max; /* default 100, at most TUSK_HTTP_FIELDS_CAP: TUSK_EHEADERS */
    uint32_t chunk_line_max; /* chunk size line with its extensions; default 256 */
    uint32_t trailers_max;   /* trailer section; default 4096 */
    /* Answers, for who passes them on: white space between a name and its colon is passed over,
     * which a proxy must do (RFC 9112, 5.1); default false: TUSK_EPROTO, as of requests always. */
    bool spaced_names;
} tusk_http_limits;
TUSK_API const tusk_http_limits *tusk_http_limits_default(void);

/* A parsed head. All bytes point into what was parsed. */
typedef struct tusk_http_head {
    tusk_http_method method;
    tusk_bytes method_name;
    tusk_bytes target; /* as sent */
    tusk_bytes
        path; /* of origin-form and absolute-form, still percent-encoded; "*" for asterisk-form, and
              for OPTIONS of an absolute-form that ends with its authority */
    tusk_bytes query;     /* after "?", ptr NULL when there is none */
    tusk_bytes authority; /* Host, or that of absolute-form, which the field says then as well */
    uint16_t status;      /* responses */
    uint8_t minor;        /* HTTP/1.minor */
    bool chunked;         /* the body comes in chunks */
    bool keep_alive;      /* the connection may go on after this message */
    bool upgrade;         /* Connection lists "upgrade" and there is an Upgrade field */
    bool websocket;       /* Upgrade lists "websocket" */
    bool expect_continue;
    bool until_close; /* responses: the body ends with the connection */
    bool no_body; /* responses: none follows, whatever the fields say (HEAD, 1xx, 204, 304, CONNECT)
                   */
    int64_t content_length; /* -1: none */
    uint32_t field_count;
    tusk_http_field fields[TUSK_HTTP_FIELDS_CAP];
} tusk_http_head;

/* > 0: bytes of the head (with its empty line). 0: need more. < 0: TUSK_EPROTO (400), TUSK_EHEADERS
 * (431), TUSK_EURI (414), TUSK_EVERSION (505), TUSK_ECODING and TUSK_EMETHOD (501), TUSK_EEXPECT
 * (417). Errors come as soon as the bytes show them, not at the end of the head. `scanned` starts
 * at 0 and is kept by the caller between calls with more bytes of the same head (so that bytes one
 * by one cost linear time); it is 0 again after a head or an error. At most one empty line before
 * the request line is skipped (RFC 9112, 2.2). */
TUSK_API ptrdiff_t tusk_http_request_parse(tusk_http_head *head, tusk_bytes in,
                                           const tusk_http_limits *limits, size_t *scanned);
/* `to`: the method of the request it answers (HEAD and 2xx to CONNECT have no body). */
TUSK_API ptrdiff_t tusk_http_response_parse(tusk_http_head *head, tusk_bytes in,
                                            const tusk_http_limits *limits, tusk_http_method to,
                                            size_t *scanned);
/* Puts two spaces in the place of each CRLF that folds a field line of the (perhaps unfinished)
 * head in front, as a user agent must (RFC 9112, 5.2); tusk_http_response_parse refuses them.
 * False: there was none. */
TUSK_API bool tusk_http_response_unfold(uint8_t *head, size_t len);
/* The status that answers a parser's error. */
TUSK_API int tusk_http_status_of(tusk_err err);
/* Whether input that is no whole or no good request begins as one of HEAD: what refuses it has no
 * content (RFC 9110, 9.3.2). */
TUSK_API bool tusk_http_begins_head(tusk_bytes in);

/* First field of that name (any case), or NULL. */
TUSK_API const tusk_http_field *tusk_http_find(const tusk_http_head *head, const char *name);
TUSK_API size_t tusk_http_count(const tusk_http_head *head, const char *name);
/* Walks the comma-separated tokens of all fields of that name; `*cursor` starts at 0. False at the
 * end. */
TUSK_API bool tusk_http_next_token(const tusk_http_head *head, const char *name, size_t *cursor,
                                   tusk_bytes *token);
TUSK_API bool tusk_http_has_token(const tusk_http_head *head, const char *name, const char *token);

/* ---- bodies ---- */
typedef struct tusk_http_body {
    uint64_t left;     /* of the length, or of this chunk */
    uint64_t total;    /* payload bytes so far */
    uint64_t max;      /* TUSK_ETOOBIG past it */
    uint32_t line_len; /* chunk line or trailer bytes so far */
    uint8_t state;
    uint8_t kind;
    bool spaced_names; /* in trailers, as of the limits */
    int64_t excess;    /* framing bytes beyond what small chunks need; bounded */
    const tusk_http_limits *limits;
} tusk_http_body;

/* For the body behind this head, which says how it ends; more than `max` bytes of payload are
 * refused. `limits` has to stay, the head not. */
TUSK_API void tusk_http_body_init(tusk_http_body *self, const tusk_http_head *head, uint64_t max,
                                  const tusk_http_limits *limits);
/* Decodes a piece: > 0 consumed with `*data` the payload part of it (maybe empty), 0 need more, < 0
 * an error. Call again while input is left and the body is not done. Trailers are checked and
 * thrown away. */
TUSK_API ptrdiff_t tusk_http_body_decode(tusk_http_body *self, tusk_bytes in, tusk_bytes *data);
/* The same for who passes trailers on: `*trailers` is what of this piece stands in the trailer
 * section, up to and with its empty line; put together, the pieces are whole "name: value" lines,
 * with their white space.
 */
TUSK_API ptrdiff_t tusk_http_body_decode_all(tusk_http_body *self, tusk_bytes in, tusk_bytes *data,
                                             tusk_bytes *trailers);
TUSK_API bool tusk_http_body_done(const tusk_http_body *self);
/* The connection ended: true if that is a legal end of this body. */
TUSK_API bool tusk_http_body_end(const tusk_http_body *self);

/* ---- what leaves ---- */
TUSK_API const char *tusk_http_reason(int status);
typedef enum tusk_http_content {
    TUSK_HTTP_CONTENT,       /* whatever length it has */
    TUSK_HTTP_CONTENT_EMPTY, /* 205: it has a length, and that is 0 (RFC 9110, 15.3.6) */
    TUSK_HTTP_CONTENT_NONE   /* 1xx, 204, 304: the head is all (RFC 9112, 6.3) */
} tusk_http_content;
/* What an answer of that status may hold, whatever it was asked for. */
TUSK_API tusk_http_content tusk_http_content_of(int status);
TUSK_API bool tusk_http_name_valid(tusk_bytes name); /* a token */
TUSK_API bool
tusk_http_value_valid(tusk_bytes value); /* no CR, LF, NUL or other control byte but HTAB */
/* "Sun, 06 Nov 1994 08:49:37 GMT", 29 characters, no NUL. */
TUSK_API void tusk_http_date(char out[29], int64_t unix_seconds);
/* Any of the three forms of RFC 9110, 5.6.7; false when it is none. A year of two digits is one of
 * those up to fifty years ahead of `now`, or of the fifty before. */
TUSK_API bool tusk_http_date_parse(tusk_bytes text, int64_t now, int64_t *unix_seconds);
/* Appends "HTTP/1.1 200 OK\r\n". */
TUSK_API tusk_err tusk_http_status_line(tusk_buf *out, int status);
/* Appends "name: value\r\n"; TUSK_EINVAL when either is not valid. */
TUSK_API tusk_err tusk_http_field_append(tusk_buf *out, tusk_bytes name, tusk_bytes value);
/* Appends "1f\r\n"; the caller appends the data and "\r\n". */
TUSK_API size_t tusk_http_chunk_head(char out[20], uint64_t len);

/* ---- targets ---- */
/* Percent-decodes; `out` has room for in.len. TUSK_EPROTO: a broken escape or a NUL. */
TUSK_API ptrdiff_t tusk_url_decode(char *out, tusk_bytes in, bool plus_is_space);
/* Decodes a path and removes dot segments; TUSK_EACCES when it would leave the root, TUSK_EPROTO
 * when broken. */
TUSK_API ptrdiff_t tusk_url_path(char *out, tusk_bytes path);
/* Walks a=b&c=d; still encoded. */
TUSK_API bool tusk_url_next_pair(tusk_bytes *rest, tusk_bytes *name, tusk_bytes *value);
/* One byte range for a body of `size` (RFC 9110, 14): 1 satisfiable, 0 none asked or to be ignored,
 * -1 not satisfiable (416). Several ranges are ignored (the whole is sent), empty
 * elements of their list passed over (5.6.1.2). */
TUSK_API int tusk_http_range(tusk_bytes value, uint64_t size, uint64_t *first, uint64_t *last);
/* scheme://host:port/path?query for clients; the path is "/" when there is none, a fragment is left
 * out. TUSK_EINVAL: broken, with a user part, or with bytes that a request line cannot carry. */
typedef struct tusk_url {
    tusk_bytes scheme, host, path, query; /* host without brackets */
    uint16_t port;                        /* 0: none given */
} tusk_url;
TUSK_API tusk_err tusk_url_parse(tusk_url *out, tusk_bytes text);
/* Media type by file name, "application/octet-stream" when unknown. */
TUSK_API const char *tusk_http_media_type(tusk_bytes file_name);

/* ---- PROXY protocol, versions 1 and 2 (what a balancer says of the peer) ---- */
typedef struct tusk_proxy_head {
    bool local;     /* LOCAL or UNKNOWN: keep the socket's own addresses */
    uint8_t family; /* 4 or 6 */
    uint8_t source[16], target[16];
    uint16_t source_port, target_port;
} tusk_proxy_head;
/* A header longer than this is refused, whatever it declares. */
enum { TUSK_PROXY_HEAD_MAX = 4096 };
/* > 0 bytes, 0 need more, TUSK_EPROTO: not a PROXY header (seen at its first wrong byte). */
TUSK_API ptrdiff_t tusk_proxy_head_parse(tusk_proxy_head *head, tusk_bytes in);

/* What version 2 may carry beside addresses (its type-length-value fields). */
enum { TUSK_PROXY_ALPN = 0x01, TUSK_PROXY_AUTHORITY = 0x02, TUSK_PROXY_SSL = 0x20 };
/* The first of this type in a head that was parsed, `in` from its first byte; a view. False: there
 * is none, or the head is of version 1 or local. */
TUSK_API bool tusk_proxy_head_find(tusk_bytes in, uint8_t type, tusk_bytes *value);

typedef struct tusk_proxy_extra {
    tusk_bytes authority;    /* host name that the client asked for; empty: not told */
    tusk_bytes alpn;         /* the protocol agreed on; empty: not told */
    tusk_bytes tls_version;  /* "TLSv1.3"; empty: the client came without TLS */
    bool client_certificate; /* it brought one, and that was verified */
} tusk_proxy_extra;
/* Appends a head: version 1 tells addresses only, version 2 also what `extra` has (NULL: nothing).
 * TUSK_EINVAL: another version or family, or a text over 255 bytes. */
TUSK_API tusk_err tusk_proxy_head_write(tusk_buf *out, const tusk_proxy_head *head, int version,
                                        const tusk_proxy_extra *extra);

#ifdef __cplusplus
}
#endif
#endif
