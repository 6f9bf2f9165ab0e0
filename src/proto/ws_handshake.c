/* SPDX-License-Identifier: MIT */
/* The opening handshake's rules, both sides (RFC 6455, 4); parsing the head itself is HTTP's. */
#include <tusk/ws.h>

#include "base/base64.h"
#include "base/sha1.h"
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
    uint8_t bytes[KEY_BYTES];
    return key.len == KEY_LEN && tusk_base64_decode(bytes, sizeof(bytes), key) == KEY_BYTES;
}

/* ---- server ---- */
/* The fields that an upgrade is judged by, found in one walk: the last of each name, and how many
 * there are. */
typedef struct asked {
    const tusk_http_field *upgrade, *connection, *key, *version, *protocol;
    size_t hosts, keys, versions;
} asked;

static bool is_named(const tusk_http_field *field, const char *name)
{
    return tusk_bytes_eq_nocase(field->name, tusk_bytes_str(name));
}

static asked find_asked(const tusk_http_head *request)
{
    asked found = {0};
    for (uint32_t i = 0; i < request->field_count; i++) {
        const tusk_http_field *field = &request->fields[i];
        switch (field->name.len) {
        case sizeof("Host") - 1: found.hosts += is_named(field, "Host"); break;
        case sizeof("Upgrade") - 1:
            found.upgrade = is_named(field, "Upgrade") ? field : found.upgrade;
            break;
        case sizeof("Connection") - 1:
            found.connection = is_named(field, "Connection") ? field : found.connection;
            break;
        case sizeof("Sec-WebSocket-Key") - 1:
            if (is_named(field, "Sec-WebSocket-Key")) {
                found.key = field;
                found.keys++;
            }
            break;
        case sizeof("Sec-WebSocket-Version") - 1:
            if (is_named(field, "Sec-WebSocket-Version")) {
                found.version = field;
                found.versions++;
            }
            break;
        case sizeof("Sec-WebSocket-Protocol") - 1:
            found.protocol = is_named(field, "Sec-WebSocket-Protocol") ? field : found.protocol;
            break;
        default: break;
        }
    }
    return found;
}

/* Is `token` in the list of this name, whose last field is `last`? Nearly always it is all of that
 * field. */
static bool lists(const tusk_http_head *head, const tusk_http_field *last, const char *name,
                  const char *token)
{
    return last != NULL && (tusk_bytes_eq_nocase(last->value, tusk_bytes_str(token)) ||
                            tusk_http_has_token(head, name, token));
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
    const asked found = find_asked(request);
    bool upgrades = lists(request, found.upgrade, "Upgrade", "websocket");
    *offer = (tusk_ws_offer){.has_subprotocols = false};
    *why = "";
    if (!upgrades && found.key == NULL && found.version == NULL) {
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
    if (!upgrades) {
        *why = "Upgrade does not list websocket";
        return 400;
    }
    if (!lists(request, found.connection, "Connection", "upgrade")) {
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
    offer->has_subprotocols = found.protocol != NULL;
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

tusk_err tusk_ws_subprotocol_pick(const tusk_http_head *request, const tusk_bytes *supported,
                                  size_t count, tusk_bytes *picked)
{
    enum { OFFERS_MAX = 128 }; /* comparing each with each stays cheap */
    tusk__ws_list list;
    tusk_bytes token;
    tusk_bytes first = tusk_bytes_of(NULL, 0);
    size_t seen = 0;
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
