/* SPDX-License-Identifier: MIT */
/* The form of a request: read once, before its handler is called, so that none meets half a form.
 */
#include "serve/server.h"

/* TUSK_ENOENT: what came is no form. */
static tusk_err read_form(const tusk_server *server, const tusk_request *request, tusk_form *form)
{
    if (request->body.len == 0) {
        return TUSK_ENOENT;
    }
    for (uint32_t i = 0; i < request->head->field_count; i++) {
        const tusk_http_field *field = &request->head->fields[i];
        if (!tusk_bytes_eq_nocase(field->name, tusk_bytes_str("content-type"))) {
            continue;
        }
        tusk_err err =
            tusk_form_read(form, field->value, request->body, &server->limits.form, server->mem);
        if (err == TUSK_ENOENT) {
            continue;
        }
        if (tusk_http_count(request->head, "content-type") > 1) {
            tusk_form_fini(form);
            return TUSK_EPROTO; /* whose type is it? */
        }
        return err;
    }
    return TUSK_ENOENT;
}

static void refuse(tusk_session *self, tusk_err err)
{
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
}

bool tusk__form_admits(tusk_session *self, tusk_request *request, tusk_form *form)
{
    tusk_err err = read_form(self->server, request, form);
    if (err == TUSK_OK) {
        request->form = form;
        return true;
    }
    if (err == TUSK_ENOENT) {
        return true;
    }
    if (err == TUSK_ENOMEM) {
        self->server->stats.out_of_memory++;
        tusk__session_abort(self, err);
    } else {
        refuse(self, err);
    }
    return false;
}
