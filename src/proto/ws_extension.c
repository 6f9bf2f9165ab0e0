/* SPDX-License-Identifier: MIT */
/* permessage-deflate's negotiation (RFC 7692, 5 and 7.1), both sides. */
#include <stdio.h>
#include <tusk/ws.h>

#include "proto/ws_list.h"

enum { BITS_OPTION_MIN = 9, BITS_MAX = 15, BITS_ANY = 0 };

/* One element of Sec-WebSocket-Extensions, as far as it concerns permessage-deflate. */
typedef struct offer {
    bool ours;  /* its name is permessage-deflate */
    bool valid; /* every parameter is known, stands once, and has a value as it must */
    bool server_no_takeover;
    bool client_no_takeover;
    bool has_server_bits;
    bool has_client_bits;
    uint8_t server_bits;
    uint8_t client_bits; /* BITS_ANY: without a value */
} offer;

/* "8" to "15", no zero in front (RFC 7692, 7.1.2); BITS_ANY when it is none of these. */
static uint8_t bits_of(tusk_bytes value)
{
    if (value.len == 1 && (value.ptr[0] == '8' || value.ptr[0] == '9')) {
        return (uint8_t)(value.ptr[0] - '0');
    }
    if (value.len == 2 && value.ptr[0] == '1' && value.ptr[1] >= '0' && value.ptr[1] <= '5') {
        return (uint8_t)(10 + value.ptr[1] - '0');
    }
    return BITS_ANY;
}

static bool set_once(bool *flag)
{
    bool first = !*flag;
    *flag = true;
    return first;
}

static bool name_is(tusk_bytes name, const char *text)
{
    return tusk_bytes_eq_nocase(name, tusk_bytes_str(text));
}

static bool add_param(offer *self, tusk_bytes name, const tusk_bytes *value)
{
    if (name_is(name, "server_no_context_takeover")) {
        return value == NULL && set_once(&self->server_no_takeover);
    }
    if (name_is(name, "client_no_context_takeover")) {
        return value == NULL && set_once(&self->client_no_takeover);
    }
    if (name_is(name, "server_max_window_bits")) {
        self->server_bits = value == NULL ? BITS_ANY : bits_of(*value);
        return self->server_bits != BITS_ANY && set_once(&self->has_server_bits);
    }
    if (name_is(name, "client_max_window_bits")) {
        self->client_bits = value == NULL ? BITS_ANY : bits_of(*value);
        return (value == NULL || self->client_bits != BITS_ANY) && set_once(&self->has_client_bits);
    }
    return false;
}

/* The next element; false at the end, or with *err set where the text is no list of extensions at
 * all. */
static bool next_offer(tusk__ws_list *list, offer *out, tusk_err *err)
{
    tusk_bytes name;
    *out = (offer){.valid = true};
    if (!tusk__ws_list_next(list, &name)) {
        *err = list->err;
        return false;
    }
    out->ours = name_is(name, "permessage-deflate");
    for (;;) {
        tusk_bytes param;
        tusk_bytes value;
        bool has_value;
        if (!tusk__ws_list_param(list, &param, &value, &has_value)) {
            break;
        }
        if (out->ours && !add_param(out, param, has_value ? &value : NULL)) {
            out->valid = false;
        }
    }
    *err = list->err;
    return *err == TUSK_OK;
}

static uint8_t least(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

static uint8_t usable(uint8_t bits)
{
    return bits < BITS_OPTION_MIN || bits > BITS_MAX ? BITS_MAX : bits;
}

/* ---- text ---- */
typedef struct text {
    char *ptr;
    size_t cap;
    size_t len; /* may pass cap: it did not fit */
} text;

static void put(text *self, const char *words)
{
    size_t len = strlen(words);
    if (self->len + len < self->cap) {
        memcpy(self->ptr + self->len, words, len + 1);
    }
    self->len += len;
}

static void put_bits(text *self, const char *name, uint8_t bits)
{
    char value[8];
    (void)snprintf(value, sizeof(value), "=%u", (unsigned)bits);
    put(self, name);
    put(self, value);
}

/* ---- server ---- */
static bool can_serve(const offer *asked)
{
    return asked->ours && asked->valid;
}

static void agree(tusk_ws_deflate *agreed, const tusk_ws_deflate_options *options,
                  const offer *asked)
{
    agreed->on = true;
    agreed->server_no_context_takeover =
        asked->server_no_takeover || !options->server_context_takeover;
    agreed->client_no_context_takeover =
        asked->client_no_takeover || !options->client_context_takeover;
    agreed->server_max_window_bits = usable(options->server_max_window_bits);
    if (asked->has_server_bits) {
        agreed->server_max_window_bits = least(agreed->server_max_window_bits, asked->server_bits);
    }
    agreed->client_max_window_bits = BITS_MAX;
    if (asked->has_client_bits) { /* else it cannot be told to use less: RFC 7692, 7.1.2.2 */
        agreed->client_max_window_bits = usable(options->client_max_window_bits);
        if (asked->client_bits != BITS_ANY) {
            agreed->client_max_window_bits =
                least(agreed->client_max_window_bits, asked->client_bits);
        }
    }
}

tusk_err tusk_ws_deflate_accept(tusk_ws_deflate *agreed, const tusk_ws_deflate_options *options,
                                const tusk_http_head *request, char *answer, size_t answer_cap)
{
    tusk__ws_list list;
    offer asked;
    offer taken = {0};
    tusk_err err = TUSK_OK;
    memset(agreed, 0, sizeof(*agreed));
    if (answer_cap > 0) {
        answer[0] = '\0';
    }
    tusk__ws_list_init(&list, request, "Sec-WebSocket-Extensions");
    while (next_offer(&list, &asked,
                      &err)) { /* to the end: a header that breaks off is refused as a whole */
        if (!taken.ours && can_serve(&asked)) {
            taken = asked;
        }
    }
    if (err != TUSK_OK || !taken.ours || !options->on || tusk_ws_deflate_library() == NULL) {
        return err;
    }
    agree(agreed, options, &taken);
    text out = {.ptr = answer, .cap = answer_cap};
    put(&out, "permessage-deflate");
    if (agreed->server_no_context_takeover) {
        put(&out, "; server_no_context_takeover");
    }
    if (agreed->client_no_context_takeover) {
        put(&out, "; client_no_context_takeover");
    }
    if (taken.has_server_bits) {
        put_bits(&out, "; server_max_window_bits", agreed->server_max_window_bits);
    }
    if (taken.has_client_bits && agreed->client_max_window_bits < BITS_MAX) {
        put_bits(&out, "; client_max_window_bits", agreed->client_max_window_bits);
    }
    if (out.len >= answer_cap) {
        memset(agreed, 0, sizeof(*agreed));
        return TUSK_EINVAL;
    }
    return TUSK_OK;
}

/* ---- client ---- */
size_t tusk_ws_deflate_offer(const tusk_ws_deflate_options *options, char *buffer, size_t cap)
{
    text out = {.ptr = buffer, .cap = cap};
    if (cap > 0) {
        buffer[0] = '\0';
    }
    if (!options->on || tusk_ws_deflate_library() == NULL) {
        return 0;
    }
    put(&out, "permessage-deflate");
    if (!options->server_context_takeover) {
        put(&out, "; server_no_context_takeover");
    }
    if (!options->client_context_takeover) {
        put(&out, "; client_no_context_takeover");
    }
    if (usable(options->server_max_window_bits) < BITS_MAX) {
        put_bits(&out, "; server_max_window_bits", options->server_max_window_bits);
    }
    if (usable(options->client_max_window_bits) < BITS_MAX) {
        put_bits(&out, "; client_max_window_bits", options->client_max_window_bits);
    } else {
        put(&out, "; client_max_window_bits");
    }
    return out.len < cap ? out.len : 0;
}

/* Is it an answer to our offer (RFC 7692, 7.1: what each parameter may say in a response)? */
static bool answers(const offer *said, const tusk_ws_deflate_options *options)
{
    uint8_t server_asked = usable(options->server_max_window_bits);
    if (!said->ours || !said->valid) {
        return false;
    }
    if (!options->server_context_takeover && !said->server_no_takeover) {
        return false;
    }
    if (server_asked < BITS_MAX && (!said->has_server_bits || said->server_bits > server_asked)) {
        return false;
    }
    /* With a value always, and no more than our hint. */
    return !said->has_client_bits || (said->client_bits != BITS_ANY &&
                                      said->client_bits <= usable(options->client_max_window_bits));
}

tusk_err tusk_ws_deflate_confirm(tusk_ws_deflate *agreed, const tusk_ws_deflate_options *options,
                                 const tusk_http_head *response)
{
    tusk__ws_list list;
    offer said;
    offer more;
    tusk_err err = TUSK_OK;
    memset(agreed, 0, sizeof(*agreed));
    tusk__ws_list_init(&list, response, "Sec-WebSocket-Extensions");
    if (!next_offer(&list, &said, &err)) {
        return err;
    }
    if (!options->on || !answers(&said, options) || next_offer(&list, &more, &err) ||
        err != TUSK_OK) {
        return TUSK_EPROTO;
    }
    agreed->on = true;
    agreed->server_no_context_takeover = said.server_no_takeover;
    agreed->client_no_context_takeover =
        said.client_no_takeover || !options->client_context_takeover;
    agreed->server_max_window_bits = said.has_server_bits ? said.server_bits : BITS_MAX;
    agreed->client_max_window_bits =
        said.has_client_bits ? said.client_bits : usable(options->client_max_window_bits);
    return TUSK_OK;
}
