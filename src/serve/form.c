/* SPDX-License-Identifier: MIT */
/* Whether the form of a request is one: judged before its handler is called, so that none meets
 * half a form. */
#include "serve/server.h"

static tusk_err walk(tusk_multipart *parser, tusk_bytes body)
{
    while (body.len > 0) {
        tusk_multipart_event event;
        ptrdiff_t used = tusk_multipart_parse(parser, body, &event);
        if (used <= 0) {
            return used < 0 ? (tusk_err)used : TUSK_EPROTO;
        }
        body = tusk_bytes_of(body.ptr + used, body.len - (size_t)used);
    }
    return tusk_multipart_done(parser) ? TUSK_OK : TUSK_EPROTO;
}

static tusk_err count_pairs(const tusk_server *server, tusk_bytes rest)
{
    tusk_bytes name;
    tusk_bytes value;
    uint32_t count = 0;
    while (tusk_url_next_pair(&rest, &name, &value)) {
        if (++count > server->limits.form.parts_max) {
            return TUSK_ELIMIT;
        }
    }
    return TUSK_OK;
}

/* TUSK_OK also for what is no form. */
static tusk_err judge(const tusk_server *server, const tusk_request *request)
{
    tusk_multipart parser;
    if (request->body.len == 0) {
        return TUSK_OK;
    }
    bool one = tusk_http_count(request->head, "content-type") == 1;
    for (uint32_t i = 0; i < request->head->field_count; i++) {
        const tusk_http_field *field = &request->head->fields[i];
        if (!tusk_bytes_eq_nocase(field->name, tusk_bytes_str("content-type"))) {
            continue;
        }
        if (tusk_form_is_pairs(field->value)) {
            return one ? count_pairs(server, request->body) : TUSK_EPROTO;
        }
        tusk_err err = tusk_multipart_init(&parser, field->value, &server->limits.form);
        if (err != TUSK_ENOENT) {
            return err == TUSK_OK && one ? walk(&parser, request->body) : TUSK_EPROTO;
        }
    }
    return TUSK_OK;
}

bool tusk__form_admits(tusk_session *self, const tusk_request *request)
{
    tusk_err err = judge(self->server, request);
    if (err == TUSK_OK) {
        return true;
    }
    self->server->stats.forms_refused++;
    if (err == TUSK_ELIMIT) {
        tusk__http_refuse(self, 413, "the form has too many fields");
    } else if (err == TUSK_EHEADERS) {
        tusk__http_refuse(self, 413, "the head of a part of the form is too large");
    } else if (err == TUSK_ETOOBIG) {
        tusk__http_refuse(self, 413, "a file of the form is too large");
    } else if (err == TUSK_ECODING) {
        tusk__http_refuse(self, 415, "the transfer encoding of a part is not taken");
    } else {
        tusk__http_refuse(self, 400, "the form is not what its type says");
    }
    return false;
}
