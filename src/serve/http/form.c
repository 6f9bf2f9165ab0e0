/* SPDX-License-Identifier: MIT */
/* The form of a request: read once, before its handler is called, so that none meets half a form.
 */
#include "serve/http/http.h"

#include <inttypes.h>
#include <stdio.h>

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

static int status_of(tusk_err err)
{
    if (err == TUSK_ELIMIT || err == TUSK_EHEADERS || err == TUSK_ETOOBIG) {
        return 413;
    }
    return err == TUSK_ECODING ? 415 : 400;
}

/* With the bound that was passed: who sends it can do something about that alone. */
static void refuse(tusk_session *self, const tusk_http_head *head, tusk_err err)
{
    const tusk_multipart_limits *limits = &self->server->limits.form;
    char why[80] = "the form is not what its type says";
    self->server->stats.forms_refused++;
    if (err == TUSK_ELIMIT) {
        (void)snprintf(why, sizeof(why), "the form has more than %" PRIu32 " fields",
                       limits->parts_max);
    } else if (err == TUSK_EHEADERS) {
        (void)snprintf(why, sizeof(why),
                       "the head of a part of the form has more than %" PRIu32 " bytes",
                       limits->head_max);
    } else if (err == TUSK_ETOOBIG) {
        (void)snprintf(why, sizeof(why), "a file of the form has more than %" PRIu64 " bytes",
                       limits->file_max);
    } else if (err == TUSK_ECODING) {
        (void)snprintf(why, sizeof(why), "the transfer encoding of a part is not taken");
    }
    tusk__http_refuse(self, head, status_of(err), NULL, why);
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
        refuse(self, request->head, err);
    }
    return false;
}
