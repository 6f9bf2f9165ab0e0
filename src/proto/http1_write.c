/* SPDX-License-Identifier: MIT */
/* What leaves: status lines, fields that cannot split a response, chunk heads; and the status for
 * an error. */
#include "proto/ascii.h"

#include <tusk/http.h>

int tusk_http_status_of(tusk_err err)
{
    switch (err) {
    case TUSK_OK: return 200;
    case TUSK_EPROTO:
    case TUSK_EUTF8:
    case TUSK_EEOF:
    case TUSK_ERESET:
    case TUSK_EDEFLATE: return 400;
    case TUSK_EACCES:
    case TUSK_EPOLICY: return 403;
    case TUSK_ENOENT: return 404;
    case TUSK_ETIMEOUT: return 408;
    case TUSK_ETOOBIG: return 413;
    case TUSK_EURI: return 414;
    case TUSK_EEXPECT: return 417;
    case TUSK_EHEADERS: return 431;
    case TUSK_EMETHOD:
    case TUSK_ECODING: return 501;
    case TUSK_ENOMEM:
    case TUSK_ELIMIT:
    case TUSK_EEXHAUSTED:
    case TUSK_EAGAIN: return 503;
    case TUSK_EVERSION: return 505;
    case TUSK_EINVAL:
    case TUSK_ESTATE:
    case TUSK_ESYS:
    case TUSK_ENOTSUP:
    case TUSK_EADDRINUSE:
    case TUSK_EADDRNOTAVAIL:
    case TUSK_ETLS:
    case TUSK_EREFUSED: return 500;
    }
    return 500;
}

struct status {
    int status;
    const char *reason;
};

/* In order of the number. */
static const struct status statuses[] = {
    {100, "Continue"},
    {101, "Switching Protocols"},
    {103, "Early Hints"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {207, "Multi-Status"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {423, "Locked"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
    {511, "Network Authentication Required"},
};

tusk_http_content tusk_http_content_of(int status)
{
    if (status < 200 || status == 204 || status == 304) {
        return TUSK_HTTP_CONTENT_NONE;
    }
    return status == 205 ? TUSK_HTTP_CONTENT_EMPTY : TUSK_HTTP_CONTENT;
}

/* Empty for a number that has none: a reason phrase may be empty (RFC 9112, 4). */
const char *tusk_http_reason(int status)
{
    size_t low = 0;
    size_t high = sizeof(statuses) / sizeof(statuses[0]);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (statuses[middle].status == status) {
            return statuses[middle].reason;
        }
        if (statuses[middle].status < status) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return "";
}

bool tusk_http_name_valid(tusk_bytes name)
{
    return name.len > 0 && tusk__skip_token(name.ptr, name.ptr + name.len) == name.ptr + name.len;
}

bool tusk_http_value_valid(tusk_bytes value)
{
    return value.len == 0 ||
           tusk__skip_value(value.ptr, value.ptr + value.len) == value.ptr + value.len;
}

tusk_err tusk_http_status_line(tusk_buf *out, int status)
{
    static const char ok[] = "HTTP/1.1 200 OK\r\n";
    uint8_t *place;
    if (TUSK_LIKELY(status == 200)) {
        return tusk_buf_append(out, ok, sizeof(ok) - 1);
    }
    if (status < 100 || status > 999) {
        return TUSK_EINVAL;
    }
    const char *reason = tusk_http_reason(status);
    size_t reason_len = strlen(reason);
    size_t len = 13 + reason_len + 2;
    tusk_err err = tusk_buf_reserve(out, len, &place);
    if (err != TUSK_OK) {
        return err;
    }
    memcpy(place, "HTTP/1.1 000 ", 13);
    place[9] = (uint8_t)('0' + status / 100);
    place[10] = (uint8_t)('0' + status / 10 % 10);
    place[11] = (uint8_t)('0' + status % 10);
    memcpy(place + 13, reason, reason_len);
    memcpy(place + 13 + reason_len, "\r\n", 2);
    tusk_buf_commit(out, len);
    return TUSK_OK;
}

tusk_err tusk_http_field_append(tusk_buf *out, tusk_bytes name, tusk_bytes value)
{
    uint8_t *place;
    if (!tusk_http_name_valid(name) || !tusk_http_value_valid(value)) {
        return TUSK_EINVAL;
    }
    if (value.len > SIZE_MAX / 2 || name.len > SIZE_MAX / 4) {
        return TUSK_ETOOBIG;
    }
    size_t len = name.len + 2 + value.len + 2;
    tusk_err err = tusk_buf_reserve(out, len, &place);
    if (err != TUSK_OK) {
        return err;
    }
    memcpy(place, name.ptr, name.len);
    memcpy(place + name.len, ": ", 2);
    if (value.len > 0) {
        memcpy(place + name.len + 2, value.ptr, value.len);
    }
    memcpy(place + len - 2, "\r\n", 2);
    tusk_buf_commit(out, len);
    return TUSK_OK;
}

size_t tusk_http_chunk_head(char out[20], uint64_t len)
{
    size_t digits = 1;
    for (uint64_t rest = len >> 4; rest > 0; rest >>= 4) {
        digits++;
    }
    for (size_t i = digits; i > 0; i--, len >>= 4) {
        out[i - 1] = "0123456789abcdef"[len & 15];
    }
    out[digits] = '\r';
    out[digits + 1] = '\n';
    return digits + 2;
}
