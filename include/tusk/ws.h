/* SPDX-License-Identifier: MIT */
/*
 * WebSocket (RFC 6455) and permessage-deflate (RFC 7692), without any I/O, for either role.
 *
 * Frames: tusk_ws_head_parse, tusk_ws_head_encode. Messages: tusk_ws_decoder, which is fed bytes as
 * they come and gives back one item at a time. Handshake: tusk_ws_handshake_*.
 */
#ifndef TUSK_WS_H
#define TUSK_WS_H

#include <tusk/bytes.h>
#include <tusk/http.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- frames (RFC 6455, 5) ---- */
typedef enum tusk_ws_opcode {
    TUSK_WS_CONTINUATION = 0,
    TUSK_WS_TEXT = 1,
    TUSK_WS_BINARY = 2,
    TUSK_WS_CLOSE = 8,
    TUSK_WS_PING = 9,
    TUSK_WS_PONG = 10
} tusk_ws_opcode;

enum { TUSK_WS_FIN = 0x80, TUSK_WS_RSV1 = 0x40, TUSK_WS_RSV2 = 0x20, TUSK_WS_RSV3 = 0x10 };
enum { TUSK_WS_HEAD_MAX = 14, TUSK_WS_CONTROL_MAX = 125, TUSK_WS_REASON_MAX = 123 };

enum {
    TUSK_WS_CODE_NORMAL = 1000,
    TUSK_WS_CODE_GOING_AWAY = 1001,
    TUSK_WS_CODE_PROTOCOL_ERROR = 1002,
    TUSK_WS_CODE_UNSUPPORTED_DATA = 1003,
    TUSK_WS_CODE_NO_STATUS = 1005,
    TUSK_WS_CODE_ABNORMAL = 1006,
    TUSK_WS_CODE_INVALID_PAYLOAD = 1007,
    TUSK_WS_CODE_POLICY_VIOLATION = 1008,
    TUSK_WS_CODE_MESSAGE_TOO_BIG = 1009,
    TUSK_WS_CODE_EXTENSION_MISSING = 1010,
    TUSK_WS_CODE_SERVER_ERROR = 1011,
    TUSK_WS_CODE_TRY_AGAIN_LATER = 1013,
    TUSK_WS_CODE_TLS = 1015
};

typedef struct tusk_ws_head {
    uint64_t len;
    uint8_t flags; /* FIN and RSV bits as on the wire */
    uint8_t opcode;
    bool masked;
    uint8_t size; /* bytes of the head itself */
    uint8_t key[4];
} tusk_ws_head;

/* > 0 bytes of the head, 0 need more, < 0: TUSK_EPROTO (unknown opcode, fragmented or long control
 * frame, length not minimal, high bit of the length). RSV bits and masking are the caller's rules
 * (they depend on role and extension). */
TUSK_API ptrdiff_t tusk_ws_head_parse(tusk_ws_head *head, tusk_bytes in);
/* Bytes written, at most TUSK_WS_HEAD_MAX. key == NULL: not masked. */
TUSK_API size_t tusk_ws_head_encode(uint8_t *out, uint8_t flags, uint8_t opcode, uint64_t len,
                                    const uint8_t *key);
static inline size_t tusk_ws_head_size(uint64_t len, bool masked)
{
    return (len < 126 ? 2u : len < 65536 ? 4u : 10u) + (masked ? 4u : 0u);
}
/* dst[i] = src[i] ^ key[(phase + i) & 3]; dst == src is allowed, other overlap is not. */
TUSK_API void tusk_mask_apply(uint8_t *dst, const uint8_t *src, size_t len, const uint8_t key[4],
                              size_t phase);
/* Codes that may stand in a Close frame: 1000–1003, 1007–1014, 3000–4999 (RFC 6455, 7.4 and the
 * registry). */
TUSK_API bool tusk_ws_code_valid(unsigned code);
/* A whole Close payload: code 0 stands for an empty one. TUSK_EPROTO (1 byte, bad code) or
 * TUSK_EUTF8. */
TUSK_API tusk_err tusk_ws_close_parse(tusk_bytes payload, uint16_t *code, tusk_bytes *reason);
/* The close code that answers an error of the decoder. */
TUSK_API uint16_t tusk_ws_code_of(tusk_err err);

/* ---- permessage-deflate (RFC 7692) ---- */
typedef struct tusk_ws_deflate {
    bool on;
    bool server_no_context_takeover;
    bool client_no_context_takeover;
    uint8_t server_max_window_bits; /* 8–15 */
    uint8_t client_max_window_bits; /* 8–15 (of a peer that says 8 we inflate with 15) */
} tusk_ws_deflate;

typedef struct tusk_ws_deflate_options {
    bool on;
    bool server_context_takeover;   /* keep our compressor between messages; default false */
    bool client_context_takeover;   /* let clients keep theirs; default false: nothing when idle */
    uint8_t server_max_window_bits; /* default 15 */
    uint8_t client_max_window_bits; /* default 15 */
    uint8_t level;                  /* zlib 1–9, default 1 */
    uint8_t mem_level;              /* zlib 1–9, default 8 */
    size_t threshold;               /* smaller messages go uncompressed; default 1024 */
} tusk_ws_deflate_options;

/* Server: walks the offers of Sec-WebSocket-Extensions in order, takes the first that can be
 * served; nothing taken is no error (`agreed->on` is false). Answer text (without the header's
 * name) into `answer`, 160 bytes are enough; TUSK_EINVAL when it does not fit. TUSK_EPROTO: no list
 * of extensions at all (RFC 6455, 9.1), also when `options->on` is false. */
TUSK_API tusk_err tusk_ws_deflate_accept(tusk_ws_deflate *agreed,
                                         const tusk_ws_deflate_options *options,
                                         const tusk_http_head *request, char *answer,
                                         size_t answer_cap);
/* Client: the offer's text; and the check of the server's answer (TUSK_EPROTO when it is not one to
 * our offer). */
TUSK_API size_t tusk_ws_deflate_offer(const tusk_ws_deflate_options *options, char *text,
                                      size_t cap);
TUSK_API tusk_err tusk_ws_deflate_confirm(tusk_ws_deflate *agreed,
                                          const tusk_ws_deflate_options *options,
                                          const tusk_http_head *response);

/* Compressor for outgoing messages. One without history ("stateless") serves every connection whose
 * negotiated window is >= its own: one per loop for publishing. `window_bits` is 8 to 15; one of 8
 * is as one of 9, which never refers back further than 2^8 bytes. */
typedef struct tusk_ws_deflater tusk_ws_deflater;
TUSK_API tusk_err tusk_ws_deflater_new(tusk_ws_deflater **out, const tusk_mem *mem,
                                       uint8_t window_bits, uint8_t level, uint8_t mem_level,
                                       bool keeps_context);
TUSK_API void tusk_ws_deflater_free(tusk_ws_deflater *self);
/* Appends the compressed payload (without the trailing 00 00 ff ff). After an error (TUSK_ENOMEM,
 * TUSK_ETOOBIG by the buffer's limit) `out` is as it was, and the history is forgotten, so that the
 * next message may be compressed and sent. */
TUSK_API tusk_err tusk_ws_deflater_run(tusk_ws_deflater *self, tusk_bytes payload, tusk_buf *out);
/* "1.2.13", or NULL without zlib. */
TUSK_API const char *tusk_ws_deflate_library(void);

/* ---- messages ---- */
typedef enum tusk_ws_role { TUSK_WS_SERVER, TUSK_WS_CLIENT } tusk_ws_role;

/* Where the payload of a message that is not whole in the input grows. No store,
 * or `grow` NULL: the decoder's tusk_mem. */
typedef struct tusk_ws_store {
    /* Room for `cap` bytes in `payload` (NULL: a new one); contents kept; `*place` is byte 0. NULL:
     * no memory, and the old one is unchanged. */
    void *(*grow)(void *user, void *payload, size_t cap, uint8_t **place);
    void (*drop)(void *user, void *payload);
    void *user;
    /* A message of so many bytes is unmasked straight into a payload of the store, also when it is
     * whole in the input; 0: it stays where it lies. For stores whose payloads are what the owner
     * wants in the end. */
    size_t whole_min;
} tusk_ws_store;

/* Shared by all connections of a kind; outlives them. */
typedef struct tusk_ws_config {
    const tusk_mem *mem;
    tusk_ws_role role;
    size_t message_max; /* bytes of a message, after inflation; TUSK_ETOOBIG from the header alone.
                         * Compressed frames may declare an eighth and 1 KiB more (what deflate may
                         * add) */
    uint32_t message_frames_max;         /* frames per message; 0: 1,000,000 */
    const tusk_ws_store *store;          /* may be NULL */
    struct tusk_ws_inflaters *inflaters; /* pool shared per loop; NULL: no deflate */
    size_t *inflate_left;                /* bytes that calls may still make of compressed ones; each
                                          * takes off what it made, and for what it read and made
                                          * nothing of 16 times as much. At 0 a decoder stops
                                          * (tusk_ws_decoder_stopped). NULL: no bound */
    /* An unfinished payload of the store that nobody wants any more and that is large: giving it
     * back at once may take milliseconds. False, or NULL: it is dropped at once. */
    bool (*retire)(void *user, void *payload, uint8_t *place, size_t cap);
    void *retire_user;
    /* So many bytes of a large payload, which ends at `end`, are about to be written for the first
     * time. NULL: nobody has to know. */
    void (*ready)(const uint8_t *ptr, size_t len, const uint8_t *end);
    size_t ask_from; /* a payload takes so much memory unasked, and more as tusk_ws_decoder_allow
                      * says; 0: as much as a message may have */
} tusk_ws_config;

/* What one costs while it is in use, its window included. */
enum { TUSK_WS_INFLATER_BYTES = 44 * 1024 };
/* Inflaters are lent per message from here. Between two messages a connection owns none, only the
 * window's length of history when its peer keeps its context. */
typedef struct tusk_ws_inflaters tusk_ws_inflaters;
TUSK_API tusk_err tusk_ws_inflaters_new(tusk_ws_inflaters **out, const tusk_mem *mem);
TUSK_API void tusk_ws_inflaters_free(tusk_ws_inflaters *self);

/* Embedded in its connection; 96 bytes; owns memory only while a message is unfinished (or an
 * inflate history). */
typedef struct tusk_ws_decoder { /* what a whole message needs stands in front */
    const tusk_ws_config *config;
    uint8_t *control; /* only while a control frame is cut, and until the call after its item */
    void *inflater;   /* lent while a compressed message is unfinished */
    size_t cap;       /* of the unfinished message's payload */
    uint8_t state;
    uint8_t opcode;      /* of the unfinished message; 0: none */
    bool masked : 1;     /* the peer masks */
    bool compressed : 1; /* the unfinished message */
    bool deflate_on : 1;
    bool takeover : 1; /* the peer keeps its context */
    bool stopped : 1;  /* in the middle of inflating */
    uint8_t key_phase;
    uint8_t frame_bits; /* first byte of the current frame */
    uint8_t control_len;
    uint8_t window_bits;
    uint8_t key[4];
    uint32_t frames;
    size_t len;           /* bytes of the unfinished message so far (inflated) */
    void *payload;        /* it, in the store */
    uint8_t *place;       /* its byte 0 */
    uint64_t frame_left;  /* payload bytes of the current frame not yet seen */
    void *history;        /* what the next compressed message may refer back to */
    uint32_t utf8;        /* tusk_utf8 state */
    uint32_t allowed_kib; /* for the unfinished message, in KiB; 0: ask_from */
} tusk_ws_decoder;

typedef enum tusk_ws_item_kind {
    TUSK_WS_ITEM_NONE, /* all input consumed, nothing complete */
    TUSK_WS_ITEM_MESSAGE,
    TUSK_WS_ITEM_PING,
    TUSK_WS_ITEM_PONG,
    TUSK_WS_ITEM_CLOSE /* nothing after it is to be decoded */
} tusk_ws_item_kind;

typedef struct tusk_ws_item {
    tusk_ws_item_kind kind;
    uint8_t opcode;     /* TEXT or BINARY for a message */
    tusk_bytes payload; /* in `in`, or in `taken`, or in the decoder until its next call */
    void *taken;        /* not NULL: a payload of the store, now the caller's (use or drop it) */
    size_t taken_cap;
} tusk_ws_item;

/* `config` has to stay; `deflate`, as negotiated, is copied (NULL: not). No memory is taken before
 * it is needed. */
TUSK_API void tusk_ws_decoder_init(tusk_ws_decoder *self, const tusk_ws_config *config,
                                   const tusk_ws_deflate *deflate);
TUSK_API void tusk_ws_decoder_fini(tusk_ws_decoder *self);
/* Decodes at most one item. `in` is unmasked in place, a byte once only: `*consumed` bytes are done
 * with, what is left is a frame head not yet complete (at most 13 bytes), or untouched input behind
 * an item. Same answers however cut. Errors: TUSK_EPROTO, TUSK_EUTF8 (at the first wrong byte),
 * TUSK_ETOOBIG, TUSK_EDEFLATE, TUSK_ELIMIT (frames), TUSK_ENOMEM; after one the decoder has given
 * back its memory and only takes fini. After a CLOSE item further input is consumed and ignored. */
TUSK_API tusk_err tusk_ws_decode(tusk_ws_decoder *self, uint8_t *in, size_t len, size_t *consumed,
                                 tusk_ws_item *item);
/* The last call ended as nothing was left of inflate_left rather than of its input: the rest of
 * that is untouched, and the next call goes on, also without any. A few bytes can inflate to a
 * thousand times as many, so whoever serves others besides takes turns. */
static inline bool tusk_ws_decoder_stopped(const tusk_ws_decoder *self)
{
    return self->stopped;
}
/* The capacity that an unfinished message waits for, at most `*most` in the end; 0: it does not
 * wait. Nothing more of it is decoded before tusk_ws_decoder_allow; input is left untouched. */
TUSK_API size_t tusk_ws_decoder_wants(const tusk_ws_decoder *self, size_t *most);
/* The unfinished message may take `cap` bytes (and up to 1 KiB more). */
static inline void tusk_ws_decoder_allow(tusk_ws_decoder *self, size_t cap)
{
    self->allowed_kib = (uint32_t)((cap + 1023) / 1024);
}
/* In the middle of a large uncompressed payload (16 KiB or more are missing): where its next raw
 * bytes may be received directly (`*cap` never beyond this frame). NULL otherwise. After n bytes
 * landed there: the same answers as tusk_ws_decode. */
TUSK_API uint8_t *tusk_ws_decoder_landing(tusk_ws_decoder *self, size_t *cap);
TUSK_API tusk_err tusk_ws_decoder_landed(tusk_ws_decoder *self, size_t n, tusk_ws_item *item);
/* Memory held for an unfinished message, for the total over all connections. What it was allowed
 * is its own from then on: it takes that with the next byte. */
static inline size_t tusk_ws_decoder_held(const tusk_ws_decoder *self)
{
    size_t allowed = (size_t)self->allowed_kib * 1024;
    size_t place = allowed > self->cap ? allowed : self->cap;
    return place + (self->inflater != NULL ? (size_t)TUSK_WS_INFLATER_BYTES : 0u);
}
/* No message and no control frame is half received. */
static inline bool tusk_ws_decoder_idle(const tusk_ws_decoder *self)
{
    return self->state == 0 && self->opcode == 0;
}
/* Gives back what an item had in `taken` (NULL is fine). */
TUSK_API void tusk_ws_taken_drop(const tusk_ws_config *config, void *taken, size_t taken_cap);

/* ---- opening handshake (RFC 6455, 4) ---- */
enum { TUSK_WS_ACCEPT_LEN = 28 };
TUSK_API void tusk_ws_accept_key(char out[TUSK_WS_ACCEPT_LEN], tusk_bytes key);

typedef struct tusk_ws_offer {
    tusk_bytes key;
    bool has_origin;
    bool has_subprotocols; /* there is a Sec-WebSocket-Protocol */
    bool has_extensions;   /* there is a Sec-WebSocket-Extensions */
} tusk_ws_offer;

/* Server: is this request a valid upgrade to WebSocket? Returns 0 when it is, -1 when it does not
 * ask for WebSocket at all, else the HTTP status of the refusal (400, 405, 426, 505) and why in a
 * static text. */
TUSK_API int tusk_ws_handshake_check(const tusk_http_head *request, tusk_ws_offer *offer,
                                     const char **why);
/* First token of the client's Sec-WebSocket-Protocol lists that is among `supported`; empty bytes
 * when none; TUSK_EPROTO when the lists are malformed or repeat a token. */
TUSK_API tusk_err tusk_ws_subprotocol_pick(const tusk_http_head *request,
                                           const tusk_bytes *supported, size_t count,
                                           tusk_bytes *picked);
/* Client: the whole check of a 101 answer: status, Upgrade, Connection, accept key, subprotocol
 * among the offered, no unknown extension. */
TUSK_API tusk_err tusk_ws_handshake_confirm(const tusk_http_head *response, tusk_bytes key,
                                            const tusk_bytes *offered, size_t count,
                                            tusk_bytes *subprotocol, const char **why);

#ifdef __cplusplus
}
#endif
#endif
