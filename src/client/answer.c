/* SPDX-License-Identifier: MIT */
/* What an answer's head says to a client, beyond framing. */
#include "client/answer.h"

#include <tusk/sse.h>

#include "client/inner.h"

enum { DAY_S = 86400 };

/* Whether a line goes on is known with the first byte of the next: a line end that came last is
 * held back until then, or the same head would be read in another way when it is cut there. */
static tusk_bytes without_open_end(tusk_bytes in)
{
    bool ends = in.len >= 2 && memcmp(in.ptr + in.len - 2, "\r\n", 2) == 0;
    if (ends && (in.len < 4 || memcmp(in.ptr + in.len - 4, "\r\n", 2) != 0)) {
        in.len -= 2;
    }
    return in;
}

ptrdiff_t tusk__answer_parse(tusk_http_head *head, tusk_conn *conn, tusk_http_method to,
                             size_t *scanned)
{
    tusk_bytes in = without_open_end(tusk_conn_in(conn));
    ptrdiff_t used = tusk_http_response_parse(head, in, tusk__client_limits(), to, scanned);
    if (used < 0 && tusk_http_response_unfold(tusk_conn_in_mut(conn), in.len)) {
        used = tusk_http_response_parse(head, in, tusk__client_limits(), to, scanned);
    }
    return used;
}

const char *tusk__answer_fault(tusk_err err, const char *otherwise)
{
    return err == TUSK_EPROTO ? otherwise : tusk_err_text(err);
}

bool tusk__answer_is_event_stream(const tusk_http_head *head)
{
    const tusk_http_field *type = tusk_http_find(head, "Content-Type");
    const tusk_http_field *coding = tusk_http_find(head, "Content-Encoding");
    bool coded = coding != NULL && !tusk_bytes_eq_nocase(coding->value, tusk_bytes_str("identity"));
    return type != NULL && !coded && tusk_sse_is_content_type(type->value);
}

static int64_t seconds_of(tusk_bytes digits)
{
    int64_t seconds = 0;
    for (size_t i = 0; i < digits.len; i++) {
        uint8_t c = digits.ptr[i];
        if (c < '0' || c > '9') {
            return 0;
        }
        seconds = seconds < DAY_S ? seconds * 10 + (c - '0') : DAY_S;
    }
    return seconds;
}

uint32_t tusk__answer_retry_after_ms(const tusk_http_head *head)
{
    const tusk_http_field *after = tusk_http_find(head, "Retry-After");
    const tusk_http_field *date = tusk_http_find(head, "Date");
    int64_t then;
    int64_t now;
    if (after == NULL) {
        return 0;
    }
    int64_t today = tusk_loop_wall_s();
    int64_t seconds = seconds_of(after->value);
    if (date != NULL && tusk_http_date_parse(after->value, today, &then) &&
        tusk_http_date_parse(date->value, today, &now)) {
        seconds = then - now;
    }
    seconds = seconds < 0 ? 0 : seconds > DAY_S ? DAY_S : seconds;
    return (uint32_t)seconds * 1000;
}

bool tusk__answer_is_redirect(const tusk_http_head *head)
{
    switch (head->status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308: return true;
    default: return false;
    }
}
