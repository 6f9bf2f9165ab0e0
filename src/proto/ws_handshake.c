/* SPDX-License-Identifier: MIT */
/* The opening handshake's rules, both sides (RFC 6455, 4); parsing the head itself is HTTP's. */
#include <tusk/ws.h>

#include "base/base64.h"
#include "base/sha1.h"
#include "proto/ascii.h"
#include "proto/ws_list.h"

enum { KEY_LEN = 24, KEY_BYTES = 16 };

static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

void tusk_ws_accept_key(char out[TUSK_WS_ACCEPT_LEN], tusk_bytes key)
{
    uint8_t text[128];
    uint8_t digest[20];
    size_t len = key.len < sizeof(text) - sizeof(guid) ? key.len : sizeof(text) - sizeof(guid);
    if (len > 0) {
        memcpy(text, key.ptr, len);
    }
    memcpy(text + len, guid, sizeof(guid) - 1);
    tusk_sha1(digest, tusk_bytes_of(text, len + sizeof(guid) - 1));
    (void)tusk_base64_encode(out, tusk_bytes_of(digest, sizeof(digest)));
}

static bool key_valid(tusk_bytes key)
{
    return key.len == KEY_LEN && tusk_base64_len(key) == KEY_BYTES;
}

/* ---- server ---- */
/* The fields that an upgrade is judged by beside Connection and Upgrade, found in one walk: the
 * last of each name, and how many there are. */
typedef struct asked {
    const tusk_http_field *key, *version;
    size_t hosts, keys, versions;
    bool origin, protocols, extensions;
} asked;

#define IS_NAMED(field, lower) tusk__same((field)->name.ptr, lower, sizeof(lower) - 1)

static void look_at(asked *found, const tusk_http_field *field)
{
    switch (field->name.len) {
    case sizeof("host") - 1: found->hosts += IS_NAMED(field, "host"); break;
    case sizeof("origin") - 1: found->origin = found->origin || IS_NAMED(field, "origin"); break;
    case sizeof("sec-websocket-key") - 1:
        if (IS_NAMED(field, "sec-websocket-key")) {
            found->key = field;
            found->keys++;
        }
        break;
    case sizeof("sec-websocket-version") - 1:
        if (IS_NAMED(field, "sec-websocket-version")) {
            found->version = field;
            found->versions++;
        }
        break;
    case sizeof("sec-websocket-protocol") - 1:
        found->protocols = found->protocols || IS_NAMED(field, "sec-websocket-protocol");
        break;
    case sizeof("sec-websocket-extensions") - 1:
        found->extensions = found->extensions || IS_NAMED(field, "sec-websocket-extensions");
        break;
    default: break;
    }
}

/* "13", alone. Several fields are a fault, whatever they say (RFC 6455, 11.3.5). */
static int check_version(const asked *found, const char **why)
{
    if (found->versions > 1) {
        *why = "more than one Sec-WebSocket-Version";
        return 400;
    }
    if (found->version == NULL || !tusk_bytes_eq(found->version->value, tusk_bytes_str("13"))) {
        *why = "Sec-WebSocket-Version is not 13";
        return 426;
    }
    return 0;
}

int tusk_ws_handshake_check(const tusk_http_head *request, tusk_ws_offer *offer, const char **why)
{
    asked found = {.key = NULL};
    for (uint32_t i = 0; i < request->field_count; i++) {
        look_at(&found, &request->fields[i]);
    }
    *offer = (tusk_ws_offer){.has_subprotocols = false};
    *why = "";
    if (!request->websocket && found.key == NULL && found.version == NULL) {
        return -1;
    }
    if (request->method != TUSK_HTTP_GET) {
        *why = "method is not GET";
        return 405;
    }
    if (request->minor < 1) {
        *why = "WebSocket needs HTTP/1.1";
        return 505;
    }
    if (found.hosts != 1) {
        *why = "no single Host";
        return 400;
    }
    if (!request->websocket) {
        *why = "Upgrade does not list websocket";
        return 400;
    }
    if (!request->upgrade) { /* an Upgrade there is */
        *why = "Connection does not list upgrade";
        return 400;
    }
    if (request->chunked || request->content_length > 0) {
        *why = "an upgrade request has no body"; /* what follows would be read as frames */
        return 400;
    }
    int refusal = check_version(&found, why);
    if (refusal != 0) {
        return refusal;
    }
    if (found.keys != 1 || !key_valid(found.key->value)) {
        *why = "Sec-WebSocket-Key is not 16 bytes of base64, once";
        return 400;
    }
    offer->key = found.key->value;
    offer->has_origin = found.origin;
    offer->has_subprotocols = found.protocols;
    offer->has_extensions = found.extensions;
    return 0;
}

static bool among(tusk_bytes token, const tusk_bytes *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (tusk_bytes_eq(token, list[i])) {
            return true;
        }
    }
    return false;
}

/* Does the element that `list` has just given stand earlier, too? */
static bool repeated(const tusk_http_head *request, tusk_bytes token)
{
    tusk__ws_list earlier;
    tusk_bytes other;
    tusk__ws_list_init(&earlier, request, "Sec-WebSocket-Protocol");
    while (tusk__ws_list_next(&earlier, &other) && other.ptr != token.ptr) {
        if (tusk_bytes_eq(other, token)) {
            return true;
        }
    }
    return false;
}

/* The only field of its name; NULL: there is none, or there are several. */
static const tusk_http_field *only_protocols(const tusk_http_head *request)
{
    const tusk_http_field *only = NULL;
    for (uint32_t i = 0; i < request->field_count; i++) {
        const tusk_http_field *field = &request->fields[i];
        if (field->name.len == sizeof("sec-websocket-protocol") - 1 &&
            IS_NAMED(field, "sec-websocket-protocol")) {
            if (only != NULL) {
                return NULL;
            }
            only = field;
        }
    }
    return only;
}

tusk_err tusk_ws_subprotocol_pick(const tusk_http_head *request, const tusk_bytes *supported,
                                  size_t count, tusk_bytes *picked)
{
    enum { OFFERS_MAX = 128 }; /* comparing each with each stays cheap */
    tusk__ws_list list;
    tusk_bytes token;
    tusk_bytes first = tusk_bytes_of(NULL, 0);
    size_t seen = 0;
    const tusk_http_field *only = only_protocols(request);
    if (only != NULL && among(only->value, supported, count)) { /* a list of one, as most are */
        *picked = only->value;
        return TUSK_OK;
    }
    *picked = first;
    tusk__ws_list_init(&list, request, "Sec-WebSocket-Protocol");
    while (tusk__ws_list_next(&list, &token)) {
        if (++seen > OFFERS_MAX || (seen > 1 && repeated(request, token))) {
            return TUSK_EPROTO;
        }
        if (first.len == 0 && among(token, supported, count)) {
            first = token;
        }
    }
    if (list.err == TUSK_OK) {
        *picked = first;
    }
    return list.err;
}

/* ---- client ---- */
static bool only_known_extensions(const tusk_http_head *response)
{
    tusk__ws_list list;
    tusk_bytes name, param, value;
    bool has_value;
    tusk__ws_list_init(&list, response, "Sec-WebSocket-Extensions");
    while (tusk__ws_list_next(&list, &name)) {
        if (!tusk_bytes_eq_nocase(name, tusk_bytes_str("permessage-deflate"))) {
            return false;
        }
        while (tusk__ws_list_param(&list, &param, &value, &has_value)) {
        }
    }
    return list.err == TUSK_OK;
}

static bool accepts(const tusk_http_head *response, tusk_bytes key)
{
    char expected[TUSK_WS_ACCEPT_LEN];
    const tusk_http_field *accept = tusk_http_find(response, "Sec-WebSocket-Accept");
    tusk_ws_accept_key(expected, key);
    return accept != NULL && tusk_http_count(response, "Sec-WebSocket-Accept") == 1 &&
           tusk_bytes_eq(accept->value, tusk_bytes_of(expected, sizeof(expected)));
}

tusk_err tusk_ws_handshake_confirm(const tusk_http_head *response, tusk_bytes key,
                                   const tusk_bytes *offered, size_t count, tusk_bytes *subprotocol,
                                   const char **why)
{
    *subprotocol = tusk_bytes_of(NULL, 0);
    *why = "";
    if (response->status != 101 || response->minor < 1) {
        *why = "the answer is not 101";
    } else if (!tusk_http_has_token(response, "Upgrade", "websocket")) {
        *why = "Upgrade does not list websocket";
    } else if (!tusk_http_has_token(response, "Connection", "upgrade")) {
        *why = "Connection does not list upgrade";
    } else if (!accepts(response, key)) {
        *why = "Sec-WebSocket-Accept is not the one for our key, once";
    } else if (!only_known_extensions(response)) {
        *why = "an extension that was not offered";
    } else {
        const tusk_http_field *chosen = tusk_http_find(response, "Sec-WebSocket-Protocol");
        if (chosen == NULL) {
            return TUSK_OK;
        }
        if (tusk_http_count(response, "Sec-WebSocket-Protocol") == 1 &&
            among(chosen->value, offered, count)) {
            *subprotocol = chosen->value;
            return TUSK_OK;
        }
        *why = "a subprotocol that was not offered";
    }
    return TUSK_EPROTO;
}
