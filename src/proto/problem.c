/* SPDX-License-Identifier: MIT */
/* Problem details (RFC 9457), and who asks for them. */
#include "proto/problem.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

/* "application/json;q=0.9" without its parameters. */
static tusk_bytes media_type(tusk_bytes element)
{
    const uint8_t *stop = memchr(element.ptr, ';', element.len);
    if (stop != NULL) {
        element.len = (size_t)(stop - element.ptr);
    }
    while (element.len > 0 && element.ptr[element.len - 1] == ' ') {
        element.len--;
    }
    return element;
}

bool tusk__problem_wanted(const tusk_http_head *head)
{
    size_t cursor = 0;
    tusk_bytes element;
    while (head != NULL && tusk_http_next_token(head, "accept", &cursor, &element)) {
        element = media_type(element);
        bool json = element.len > 5 &&
                    tusk_bytes_eq_nocase(tusk_bytes_of(element.ptr + element.len - 4, 4),
                                         tusk_bytes_str("json")) &&
                    (element.ptr[element.len - 5] == '/' || element.ptr[element.len - 5] == '+');
        if (json) {
            return true;
        }
        if (element.len >= 5 &&
            tusk_bytes_eq_nocase(tusk_bytes_of(element.ptr, 5), tusk_bytes_str("text/"))) {
            return false;
        }
    }
    return false;
}

/* RFC 8259, 7: quotes, backslashes and control bytes escaped. */
static tusk_err append_text(tusk_buf *out, tusk_bytes text)
{
    tusk_err err = TUSK_OK;
    char escaped[8];
    for (size_t i = 0; i < text.len && err == TUSK_OK; i++) {
        uint8_t c = text.ptr[i];
        if (c < 0x20 || c == '"' || c == '\\') {
            int n = snprintf(escaped, sizeof(escaped), "\\u%04x", (unsigned)c);
            err = tusk_buf_append(out, escaped, (size_t)n);
        } else {
            err = tusk_buf_append(out, &c, 1);
        }
    }
    return err;
}

tusk_err tusk__problem_append(tusk_buf *out, int status, tusk_bytes detail)
{
    char start[96]; /* the longest phrase has 31 bytes */
    int n = snprintf(start, sizeof(start), "{\"title\":\"%s\",\"status\":%d",
                     tusk_http_reason(status), status);
    tusk_err err = tusk_buf_append(out, start, (size_t)n);
    if (err == TUSK_OK && detail.len > 0 && tusk_utf8_valid(detail.ptr, detail.len)) {
        err = tusk_buf_append_str(out, ",\"detail\":\"");
        err = err != TUSK_OK ? err : append_text(out, detail);
        err = err != TUSK_OK ? err : tusk_buf_append_str(out, "\"");
    }
    return err != TUSK_OK ? err : tusk_buf_append_str(out, "}\n");
}

/* Whether one of these lines is of that name. */
static bool names(tusk_bytes fields, tusk_bytes name)
{
    const uint8_t *end = fields.ptr + fields.len;
    for (const uint8_t *at = fields.ptr; at < end;) {
        const uint8_t *lf = memchr(at, '\n', (size_t)(end - at));
        if ((size_t)(end - at) > name.len && at[name.len] == ':' &&
            tusk_bytes_eq_nocase(tusk_bytes_of(at, name.len), name)) {
            return true;
        }
        at = lf == NULL ? end : lf + 1;
    }
    return false;
}

const char *tusk__field_owed(int status, tusk_bytes fields)
{
    static const struct {
        int status;
        const char *name, *line;
    } owed[] = {
        {401, "www-authenticate", TUSK__CHALLENGE},
        {405, "allow", "Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n"},
        {407, "proxy-authenticate", TUSK__PROXY_CHALLENGE},
        {426, "upgrade", "Upgrade: websocket\r\n"},
    };
    for (size_t i = 0; i < sizeof(owed) / sizeof(owed[0]); i++) {
        if (status == owed[i].status && !names(fields, tusk_bytes_str(owed[i].name))) {
            return owed[i].line;
        }
    }
    return NULL;
}
