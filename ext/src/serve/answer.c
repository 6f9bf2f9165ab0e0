/* SPDX-License-Identifier: MIT */
/* How a Response leaves: as bytes, as a file, or in chunks that an iterable gives. */
#include "src/run/fiber.h"
#include "src/serve/response.h"

#include <ext/spl/spl_exceptions.h>

static void send_bytes(tusk_service *service, tusk_handle session, int status, tusk_bytes lines,
                       zend_string *body)
{
    tusk_blob *blob = tusk_string_blob(body);
    (void)tusk_reply(service->core, session, status, lines, tusk_zstr(body), blob);
    tusk_blob_unref(blob);
}

/* Until the core says on_writable. False: an exception was thrown. */
static bool await_room(tusk_service *service, tusk_handle session)
{
    tusk_wait wait;
    tusk_session_set_user(service->core, session, &wait);
    tusk_wait_end end = tusk_wait_park(&wait, TUSK_WAIT_FOR_OTHERS);
    if (service->core != NULL) {
        tusk_session_set_user(service->core, session, NULL);
    }
    if (end == WAIT_BLOCK) {
        zend_throw_exception(spl_ce_LogicException,
                             "A streamed answer cannot wait for its reader here", 0);
    }
    return end == WAIT_WOKEN;
}

/* One chunk; waits while the client does not read, and holds it meanwhile: whose it is may be given
 * another one by somebody else. False: the exchange is over. */
static bool send_chunk(tusk_service *service, tusk_handle session, zval *chunk)
{
    zend_string *text = zval_try_get_string(chunk);
    if (text == NULL) {
        return false;
    }
    tusk_err err = ZSTR_LEN(text) == 0 ? TUSK_OK : TUSK_ELIMIT;
    while (err == TUSK_ELIMIT && service->core != NULL) {
        err = tusk_reply_write(service->core, session, tusk_zstr(text));
        if (err == TUSK_ELIMIT && !await_room(service, session)) {
            break;
        }
    }
    zend_string_release(text);
    if (err == TUSK_EINVAL) {
        zend_throw_exception(spl_ce_LogicException, "The stream gives more than its length", 0);
    }
    return err == TUSK_OK;
}

static void send_array(tusk_service *service, tusk_handle session, zend_array *chunks)
{
    zval *chunk;
    ZEND_HASH_FOREACH_VAL(chunks, chunk)
    {
        ZVAL_DEREF(chunk);
        if (!send_chunk(service, session, chunk)) {
            break;
        }
    }
    ZEND_HASH_FOREACH_END();
}

static void send_traversable(tusk_service *service, tusk_handle session, zval *chunks)
{
    zend_class_entry *ce = Z_OBJCE_P(chunks);
    zend_object_iterator *iterator = ce->get_iterator(ce, chunks, 0);
    if (iterator == NULL || EG(exception) != NULL) {
        return;
    }
    iterator->index = 0;
    if (iterator->funcs->rewind != NULL) {
        iterator->funcs->rewind(iterator);
    }
    while (EG(exception) == NULL && iterator->funcs->valid(iterator) == SUCCESS &&
           EG(exception) == NULL) {
        zval *chunk = iterator->funcs->get_current_data(iterator);
        if (EG(exception) != NULL || chunk == NULL) {
            break;
        }
        ZVAL_DEREF(chunk);
        if (!send_chunk(service, session, chunk)) {
            break;
        }
        iterator->index++;
        iterator->funcs->move_forward(iterator);
    }
    zend_iterator_dtor(iterator);
}

/* What was thrown here, outside of any call, is told as a handler's. */
static void report_thrown(tusk_service *service)
{
    zend_object *exception = EG(exception);
    GC_ADDREF(exception);
    tusk_clear_exception();
    tusk_host_report(&service->host, exception);
    OBJ_RELEASE(exception);
}

static void end_stream(tusk_service *service, tusk_handle session)
{
    if (tusk_reply_end(service->core, session) == TUSK_EINVAL) {
        zend_throw_exception(spl_ce_LogicException, "The stream gave less than its length", 0);
        report_thrown(service);
    }
}

/* Where there is no body they are not asked for: nobody's reading would hold them back. */
static void send_chunks(tusk_service *service, tusk_handle session, zval *chunks)
{
    if (tusk_reply_bodiless(service->core, session)) {
        return;
    }
    if (Z_TYPE_P(chunks) == IS_ARRAY) {
        send_array(service, session, Z_ARRVAL_P(chunks));
    } else {
        send_traversable(service, session, chunks);
    }
}

static void send_stream(tusk_service *service, tusk_handle session, int status, tusk_bytes lines,
                        tusk_response *self)
{
    tusk_err err = self->length < 0 ? tusk_reply_begin(service->core, session, status, lines)
                                    : tusk_reply_begin_sized(service->core, session, status, lines,
                                                             (uint64_t)self->length);
    if (err != TUSK_OK) {
        return;
    }
    tusk_call call = {0};
    tusk_call_enter(&call, &service->host, session, NULL);
    send_chunks(service, session, &self->chunks);
    tusk_call_end end = tusk_call_leave(&call);
    if (service->core == NULL) {
        return;
    }
    if (end == CALL_DONE) {
        end_stream(service, session);
    } else {
        tusk_session_terminate(service->core,
                               session); /* the client sees that something is missing */
    }
}

void tusk_response_send(tusk_service *service, tusk_handle session, zend_object *object)
{
    tusk_response *self = TUSK_FROM(tusk_response, object);
    int status = (int)Z_LVAL_P(OBJ_PROP_NUM(object, RESPONSE_STATUS));
    zend_array *headers = Z_ARRVAL_P(OBJ_PROP_NUM(object, RESPONSE_HEADERS));
    tusk_bytes ready = tusk_response_ready_line(headers);
    if (ready.len == 0 && zend_hash_num_elements(headers) > 0 &&
        !tusk_header_memo_lines(service->headers, headers, &ready)) {
        report_thrown(service);
        tusk_reply_plain(service, session, 500);
    } else if (self->file != NULL) {
        const char *type = tusk_response_has_type(headers) ? ""
                           : self->media_type == NULL      ? NULL
                                                           : ZSTR_VAL(self->media_type);
        tusk_err err =
            tusk_reply_file(service->core, session, status, ready, ZSTR_VAL(self->file), type);
        if (err == TUSK_ENOENT || err == TUSK_EACCES) {
            tusk_reply_plain(service, session, 404);
        } else if (err != TUSK_OK && err != TUSK_ESTATE) {
            tusk_log("cannot send the file %s: %s", ZSTR_VAL(self->file), tusk_err_text(err));
            tusk_reply_plain(service, session, err == TUSK_EEXHAUSTED ? 503 : 500);
        }
    } else if (!Z_ISUNDEF(self->chunks)) {
        send_stream(service, session, status, ready, self);
    } else {
        send_bytes(service, session, status, ready, Z_STR_P(OBJ_PROP_NUM(object, RESPONSE_BODY)));
    }
}

bool tusk_response_view(zend_object *object, uint32_t number, uint16_t *status, tusk_buf *lines,
                        tusk_bytes *body)
{
    tusk_response *self = TUSK_FROM(tusk_response, object);
    if (self->file != NULL || !Z_ISUNDEF(self->chunks)) {
        zend_argument_value_error(number, "must have a body of its own, no file and no stream");
        return false;
    }
    *status = (uint16_t)Z_LVAL_P(OBJ_PROP_NUM(object, RESPONSE_STATUS));
    *body = tusk_zstr(Z_STR_P(OBJ_PROP_NUM(object, RESPONSE_BODY)));
    return tusk_header_lines(lines, Z_ARRVAL_P(OBJ_PROP_NUM(object, RESPONSE_HEADERS)), number);
}
