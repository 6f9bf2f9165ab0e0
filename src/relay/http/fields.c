/* SPDX-License-Identifier: MIT */
/* Requests as they leave: who the client is is added, framing is said anew. */
#include "relay/http/fields.h"

#include "proto/ascii.h"
#include "relay/http/lines.h"

typedef struct request_judge {
    const http_request_how *how;
    const tusk_http_head *head;
    http_options options;
    bool x_proto, x_host; /* a trusted proxy said so already */
    bool x_for, standard;
} request_judge;

/* With "_" or "." for "-" it is not what the trusted one said, but what its client did, and that
 * one let through. */
static bool is_spelt_oddly(tusk_bytes name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] != '-' && http_name_byte(name.ptr[i]) == '-') {
            return true;
        }
    }
    return false;
}

static http_fate judge_forwarded(request_judge *self, tusk_bytes name)
{
    const http_forward *forward = self->how->forward;
    if (!forward->trusted || forward->x_forwarded == TUSK_FORWARD_SET || is_spelt_oddly(name)) {
        return HTTP_FIELD_GOES;
    }
    if (HTTP_NAMED(name, "x-forwarded-for")) {
        self->x_for = true; /* joined, below */
        return forward->x_forwarded == TUSK_FORWARD_APPEND ? HTTP_FIELD_GOES : HTTP_FIELD_PASSES;
    }
    self->x_proto = self->x_proto || HTTP_NAMED(name, "x-forwarded-proto");
    self->x_host = self->x_host || HTTP_NAMED(name, "x-forwarded-host");
    return HTTP_FIELD_PASSES;
}

static http_fate judge_standard(request_judge *self)
{
    const http_forward *forward = self->how->forward;
    self->standard = forward->trusted && forward->standard == TUSK_FORWARD_APPEND;
    return forward->trusted && forward->standard == TUSK_FORWARD_OFF ? HTTP_FIELD_PASSES
                                                                     : HTTP_FIELD_GOES;
}

static http_fate judge_request(void *user, const tusk_http_field *field)
{
    request_judge *self = user;
    tusk_bytes name = field->name;
    if (http_is_of_this_hop(name)) {
        bool kept = self->how->upgrade && HTTP_NAMED(name, "upgrade");
        return kept ? HTTP_FIELD_PASSES : HTTP_FIELD_GOES;
    }
    switch (name.ptr[0] | 0x20) {
    case 'e':
        if (HTTP_NAMED(name, "expect")) {
            return HTTP_FIELD_GOES;
        }
        break;
    case 'f':
        if (HTTP_NAMED(name, "forwarded")) {
            return judge_standard(self);
        }
        break;
    case 'h':
        if (HTTP_NAMED(name, "host")) {
            return HTTP_FIELD_GOES;
        }
        break;
    case 'm':
        if (HTTP_NAMED(name, "max-forwards") && self->how->max_forwards >= 0) {
            return HTTP_FIELD_GOES;
        }
        break;
    case 'v':
        if (HTTP_NAMED(name, "via") && self->how->forward->via.alone) {
            return HTTP_FIELD_GOES;
        }
        break;
    case 'x':
        if (HTTP_BEGINS(name, "x-forwarded-") || HTTP_NAMED(name, "x-real-ip")) {
            return judge_forwarded(self, name);
        }
        break;
    default: break;
    }
    return http_options_have(&self->options, name) ? HTTP_FIELD_GOES : HTTP_FIELD_PASSES;
}

static void put_request_line(http_writer *self, const tusk_http_head *head)
{
    http_put_bytes(self, head->method_name);
    HTTP_PUT(self, " ");
    if (head->target.ptr[0] == '/') {
        http_put_bytes(self, head->target);
    } else { /* absolute-form is for proxies: an origin server gets the other (RFC 9112, 3.2.1) */
        http_put_bytes(self, head->path);
        if (head->query.ptr != NULL) {
            HTTP_PUT(self, "?");
            http_put_bytes(self, head->query);
        }
    }
    HTTP_PUT(self, " HTTP/1.1\r\n");
}

static tusk_bytes host_for(const tusk_http_head *head, const http_request_how *how)
{
    if (how->host.ptr != NULL) {
        return how->host;
    }
    return head->authority.len > 0 ? head->authority : how->fallback_host;
}

static void put_framing(http_writer *self, const tusk_http_head *head)
{
    if (head->chunked) {
        HTTP_PUT(self, "Transfer-Encoding: chunked\r\n");
    } else if (head->content_length >= 0) {
        HTTP_PUT(self, "Content-Length: ");
        http_put_number(self, (uint64_t)head->content_length);
        HTTP_PUT(self, "\r\n");
    }
    if (head->expect_continue) {
        HTTP_PUT(self, "Expect: 100-continue\r\n");
    }
}

/* What the trusted ones before us said, as one list, so that nobody reads only its first line. */
static void put_list(http_writer *self, const tusk_http_head *head, tusk_bytes name)
{
    for (uint32_t i = 0; i < head->field_count; i++) {
        const tusk_http_field *field = &head->fields[i];
        if (field->value.len > 0 && tusk_bytes_eq_nocase(field->name, name)) {
            http_put_bytes(self, field->value);
            HTTP_PUT(self, ", ");
        }
    }
}

static void put_x_forwarded(http_writer *self, const tusk_http_head *head,
                            const request_judge *judged)
{
    const http_forward *forward = judged->how->forward;
    if (forward->peer.len > 0 || judged->x_for) {
        HTTP_PUT(self, "X-Forwarded-For: ");
        if (judged->x_for) {
            put_list(self, head, tusk_bytes_str("x-forwarded-for"));
        }
        if (forward->peer.len > 0) {
            http_put_bytes(self, forward->peer);
        } else {
            HTTP_PUT(self, "unknown");
        }
        HTTP_PUT(self, "\r\n");
    }
    if (!judged->x_proto) {
        if (forward->secure) {
            HTTP_PUT(self, "X-Forwarded-Proto: https\r\n");
        } else {
            HTTP_PUT(self, "X-Forwarded-Proto: http\r\n");
        }
    }
    if (!judged->x_host && head->authority.len > 0) {
        HTTP_PUT(self, "X-Forwarded-Host: ");
        http_put_bytes(self, head->authority);
        HTTP_PUT(self, "\r\n");
    }
}

/* RFC 7239, 4: values with a colon or a bracket are quoted; none of ours holds a quote. */
static void put_standard(http_writer *self, const tusk_http_head *head, const request_judge *judged)
{
    const http_forward *forward = judged->how->forward;
    HTTP_PUT(self, "Forwarded: ");
    if (judged->standard) {
        put_list(self, head, tusk_bytes_str("forwarded"));
    }
    if (forward->peer.len == 0) {
        HTTP_PUT(self, "for=unknown");
    } else if (forward->ipv6) {
        HTTP_PUT(self, "for=\"[");
        http_put_bytes(self, forward->peer);
        HTTP_PUT(self, "]\"");
    } else {
        HTTP_PUT(self, "for=");
        http_put_bytes(self, forward->peer);
    }
    if (head->authority.len > 0) {
        HTTP_PUT(self, ";host=\"");
        http_put_bytes(self, head->authority);
        HTTP_PUT(self, "\"");
    }
    if (forward->secure) {
        HTTP_PUT(self, ";proto=https\r\n");
    } else {
        HTTP_PUT(self, ";proto=http\r\n");
    }
}

/* Of Connection and TE only this is passed on: trailers are taken (RFC 9110, 10.1.4). */
static void put_connection(http_writer *self, const tusk_http_head *head, bool upgrade)
{
    bool trailers = tusk_http_has_token(head, "te", "trailers");
    if (trailers && upgrade) {
        HTTP_PUT(self, "TE: trailers\r\nConnection: TE, Upgrade\r\n");
    } else if (trailers) {
        HTTP_PUT(self, "TE: trailers\r\nConnection: TE\r\n");
    } else if (upgrade) {
        HTTP_PUT(self, "Connection: Upgrade\r\n");
    }
}

tusk_err http_request_write(tusk_buf *out, const tusk_http_head *head, const http_request_how *how)
{
    http_writer self = {.out = out, .err = TUSK_OK};
    request_judge judged = {.how = how, .head = head};
    tusk_err err = http_options_collect(&judged.options, head);
    if (err != TUSK_OK) {
        return err;
    }
    put_request_line(&self, head);
    HTTP_PUT(&self, "Host: ");
    http_put_bytes(&self, host_for(head, how));
    HTTP_PUT(&self, "\r\n");
    http_put_fields(&self, head, how->raw, judge_request, &judged);
    put_connection(&self, head, how->upgrade);
    put_framing(&self, head);
    if (how->max_forwards >= 0) {
        HTTP_PUT(&self, "Max-Forwards: ");
        http_put_number(&self, (uint64_t)how->max_forwards);
        HTTP_PUT(&self, "\r\n");
    }
    if (how->forward->x_forwarded != TUSK_FORWARD_OFF) {
        put_x_forwarded(&self, head, &judged);
    }
    if (how->forward->standard != TUSK_FORWARD_OFF) {
        put_standard(&self, head, &judged);
    }
    http_put_via(&self, &how->forward->via, head->minor);
    HTTP_PUT(&self, "\r\n");
    return self.err;
}

int http_max_forwards(const tusk_http_head *head)
{
    const tusk_http_field *field = tusk_http_find(head, "max-forwards");
    enum { FORWARDS_MAX = 999999 };
    int value = 0;
    if (field == NULL || field->value.len == 0 || !tusk__all(field->value, TUSK__DIGIT)) {
        return -1;
    }
    for (size_t i = 0; i < field->value.len; i++) {
        value = value * 10 + (field->value.ptr[i] - '0');
        value = value > FORWARDS_MAX ? FORWARDS_MAX : value; /* as 7.6.2 allows */
    }
    return value;
}
