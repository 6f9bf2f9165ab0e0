/* SPDX-License-Identifier: MIT */
/* Requests that a handler answers: HTTP routes, authorization, the compatible server's handshake.
 */
#ifndef TUSK_EXT_SERVE_HTTP_H
#define TUSK_EXT_SERVE_HTTP_H

#include "src/serve/service.h"
#include "src/serve/request_view.h"

void tusk_http_dispatch(tusk_service *service, tusk_handle session, tusk_php_route *route,
                        const tusk_request *request);
void tusk_authorize_dispatch(tusk_service *service, tusk_handle session, tusk_php_route *route,
                             const tusk_request *request);
void tusk_handshake_dispatch(tusk_service *service, tusk_handle session, tusk_php_route *route,
                             const tusk_request *request);
/* Plain answer of ours with its reason as the body. */
void tusk_reply_plain(tusk_service *service, tusk_handle session, int status);

/* Checked header lines "Name: value\r\n" of an array name => value|list. False: a ValueError was
 * thrown. */
bool tusk_header_lines(tusk_buf *out, HashTable *headers, uint32_t number);
enum { HEADERS_MAX = 65536 };
/* The same of what the server answers: Upgrade with its option of Connection. */
bool tusk_answer_lines(tusk_buf *out, HashTable *headers, uint32_t number);
/* That of an array that may have been written lately. `lines` is borrowed until the next
 * call. */
bool tusk_header_memo_lines(tusk_header_memo memos[HEADER_MEMOS], zend_array *headers,
                            tusk_bytes *lines);
/* It was: its headers are valid. */
bool tusk_header_memo_has(const tusk_header_memo memos[HEADER_MEMOS], const zend_array *headers);
void tusk_header_memo_clear(tusk_header_memo memos[HEADER_MEMOS]);

/* ---- request.c ---- */
zend_object *tusk_http_request_make(tusk_service *service, tusk_handle session,
                                    const tusk_request *request, tusk_request_view **view);
zend_object *tusk_upgrade_request_make(tusk_service *service, tusk_handle session,
                                       const tusk_request *request, tusk_request_view **view);
/* The caller's reference goes. An object that nobody else knows serves the next request. */
void tusk_request_give(tusk_service *service, zend_object *object);
void tusk_http_request_startup(void);

/* ---- form.c ---- */
/* A body's form: where its parts are, until somebody asks for one. All zero: none. */
typedef struct tusk_form_values {
    tusk_form places;
    zend_array *fields; /* name => list of values; NULL: not yet made */
    zend_array *files;  /* list of UploadedFile */
} tusk_form_values;

static inline bool tusk_form_values_any(const tusk_form_values *self)
{
    return self->fields != NULL || self->places.list.mem != NULL;
}
/* Does nothing the second time. `body` is the one that the places are in. */
void tusk_form_values_make(tusk_form_values *self, zend_string *body);
void tusk_form_values_fini(tusk_form_values *self);

/* ---- uploaded_file.c ---- */
/* A file that is bytes of `body`; takes over `name`. */
typedef struct tusk_uploaded {
    zend_string *field, *name;
    tusk_bytes type;
    zend_string *body;
    size_t at, len;
} tusk_uploaded;
void tusk_uploaded_file_make(zval *out, const tusk_uploaded *from);
bool tusk_uploaded_file_is(zend_object *object, zend_string *field);
void tusk_uploaded_file_startup(void);

/* ---- response.c ---- */
/* As tusk_request_give(), for the next Response::text(), html() or json(). */
void tusk_response_give(tusk_service *service, zend_object *response);
void tusk_http_response_startup(void);
void tusk_http_response_shutdown(void);

/* ---- answer.c ---- */
/* Answers with a Response object. */
void tusk_response_send(tusk_service *service, tusk_handle session, zend_object *response);
/* What a Response with a body of its own says: its lines are appended to `lines`, the body is
 * borrowed. False: a ValueError was thrown, as its body is a file or a stream, or a header is none.
 * `number` is the argument's. */
bool tusk_response_view(zend_object *response, uint32_t number, uint16_t *status, tusk_buf *lines,
                        tusk_bytes *body);

#endif
