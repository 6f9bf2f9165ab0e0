/* SPDX-License-Identifier: MIT */
/* The opening handshake: heads of both kinds, and the lists of subprotocols and extensions in them.
 */
#include "fuzz.h"

#include <tusk/ws.h>

static void try_lists(const tusk_http_head *head, const tusk_ws_deflate_options *options)
{
    static const char chat[] = "chat";
    const tusk_bytes supported[] = {tusk_bytes_str("a"), tusk_bytes_str(chat)};
    tusk_bytes picked;
    tusk_ws_deflate agreed;
    char answer[200];
    if (tusk_ws_subprotocol_pick(head, supported, 2, &picked) != TUSK_OK) {
        FUZZ_CHECK(picked.len == 0);
    }
    FUZZ_CHECK(picked.len == 0 || tusk_bytes_eq(picked, supported[0]) ||
               tusk_bytes_eq(picked, supported[1]));
    tusk_err err = tusk_ws_deflate_accept(&agreed, options, head, answer, sizeof(answer));
    FUZZ_CHECK(err == TUSK_OK || err == TUSK_EPROTO);
    FUZZ_CHECK(agreed.on == (answer[0] != '\0') && (err == TUSK_OK || !agreed.on));
    if (agreed.on) { /* what we answer is an answer that a client understands */
        tusk_http_head *reply = calloc(1, sizeof(*reply));
        FUZZ_CHECK(reply != NULL);
        reply->fields[0].name = tusk_bytes_str("Sec-WebSocket-Extensions");
        reply->fields[0].value = tusk_bytes_str(answer);
        reply->field_count = 1;
        tusk_ws_deflate_options lax = {.on = true,
                                       .server_context_takeover = true,
                                       .client_context_takeover = true,
                                       .server_max_window_bits = 15,
                                       .client_max_window_bits = 15};
        tusk_ws_deflate confirmed;
        err = tusk_ws_deflate_confirm(&confirmed, &lax, reply);
        FUZZ_CHECK(err == TUSK_OK || agreed.client_max_window_bits == 8);
        FUZZ_CHECK(agreed.server_max_window_bits >= 9 && agreed.server_max_window_bits <= 15);
        FUZZ_CHECK(agreed.client_max_window_bits >= 8 && agreed.client_max_window_bits <= 15);
        free(reply);
    }
    (void)tusk_ws_deflate_confirm(&agreed, options, head);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    const tusk_ws_deflate_options options = {
        .on = true,
        .server_context_takeover = (data[0] & 1) != 0,
        .client_context_takeover = (data[0] & 2) != 0,
        .server_max_window_bits = (uint8_t)(9 + data[0] / 4 % 7),
        .client_max_window_bits = (uint8_t)(9 + data[0] / 32),
    };
    const tusk_bytes in = tusk_bytes_of(data + 1, size - 1);
    const char *why = NULL;
    size_t scanned = 0;
    tusk_http_head *head = malloc(sizeof(*head));
    FUZZ_CHECK(head != NULL);
    if (tusk_http_request_parse(head, in, tusk_http_limits_default(), &scanned) > 0) {
        tusk_ws_offer offer;
        int status = tusk_ws_handshake_check(head, &offer, &why);
        FUZZ_CHECK(why != NULL && (status == 0 || status == -1 || (status >= 400 && status < 600)));
        if (status == 0) {
            FUZZ_CHECK(offer.key.len == 24 && head->method == TUSK_HTTP_GET && head->minor >= 1 &&
                       !head->chunked && head->content_length <= 0);
        }
        try_lists(head, &options);
    }
    scanned = 0;
    if (tusk_http_response_parse(head, in, tusk_http_limits_default(), TUSK_HTTP_GET, &scanned) >
        0) {
        const tusk_bytes offered = tusk_bytes_str("chat");
        tusk_bytes subprotocol;
        if (tusk_ws_handshake_confirm(head, tusk_bytes_str("dGhlIHNhbXBsZSBub25jZQ=="), &offered, 1,
                                      &subprotocol, &why) == TUSK_OK) {
            FUZZ_CHECK(head->status == 101);
        }
        try_lists(head, &options);
    }
    free(head);
    return 0;
}
