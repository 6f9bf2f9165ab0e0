/* SPDX-License-Identifier: MIT */
/* What leaves a service: a string to one session, or to a topic. */
#include "src/serve/service.h"

#include "src/run/spare.h"

static void release_string(void *owner)
{
    zend_string_release((zend_string *)owner);
}

tusk_blob *tusk_string_blob(zend_string *text)
{
    tusk_blob *blob = NULL;
    if (ZSTR_LEN(text) >= SERVICE_ADOPT_MIN && tusk_memory_spares(0, SPARE_OF_BYTES) &&
        tusk_blob_adopt(&blob, tusk_mem_default(), tusk_zstr(text), release_string, text) ==
            TUSK_OK) {
        zend_string_addref(text);
    }
    return blob;
}

static tusk_err send_once(tusk_service *self, tusk_handle session, unsigned opcode,
                          zend_string *data)
{
    if (EXPECTED(ZSTR_LEN(data) < SERVICE_ADOPT_MIN)) {
        return tusk_websocket_send(self->core, session, (uint8_t)opcode, tusk_zstr(data), NULL,
                                   NULL);
    }
    tusk_blob *blob = tusk_string_blob(data);
    tusk_err err =
        tusk_websocket_send(self->core, session, (uint8_t)opcode, tusk_zstr(data), blob, NULL);
    tusk_blob_unref(blob);
    return err;
}

/* The second send of a string is the sign that it goes to many: from then on it is held, so that it
 * stays what it is, and its frame is encoded once. */
tusk_err tusk_service_send_any(tusk_service *self, tusk_handle session, unsigned opcode,
                               zend_string *data)
{
    if (self->last_text != data || self->last_opcode != opcode) {
        bool again = self->host.seen == data;
        tusk_service_forget_text(self);
        self->host.seen = data;
        if (!again) {
            return send_once(self, session, opcode, data);
        }
        self->last_text = zend_string_copy(data);
        self->last_opcode = (uint8_t)opcode;
        self->host.holds = true;
    }
    return tusk_websocket_send(self->core, session, (uint8_t)opcode, tusk_zstr(data), NULL,
                               &self->memo);
}

void tusk_service_forget_text(tusk_service *self)
{
    zend_string *text = self->last_text;
    self->host.seen = NULL;
    self->host.holds = false;
    if (text != NULL) {
        self->last_text = NULL;
        tusk_frame_memo_clear(&self->memo);
        zend_string_release(text);
    }
}

tusk_err tusk_service_publish(tusk_service *self, zend_string *topic, zend_string *data,
                              unsigned opcode, zend_string *type, zend_string *id,
                              const tusk_handle *except, tusk_position *position)
{
    tusk_publication publication = {
        .topic = tusk_zstr(topic),
        .data = tusk_zstr(data),
        .opcode = (uint8_t)opcode,
        .sse_type = type == NULL ? tusk_bytes_of(NULL, 0) : tusk_zstr(type),
        .sse_id = id == NULL ? tusk_bytes_of(NULL, 0) : tusk_zstr(id),
    };
    if (except != NULL) {
        publication.except = *except;
    }
    return tusk_server_publish(self->core, &publication, position);
}
