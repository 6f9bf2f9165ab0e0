/* SPDX-License-Identifier: MIT */
/* A request's borrowed bytes, and the values that are made of them when they are asked for. */
#ifndef TUSK_EXT_SERVE_REQUEST_VIEW_H
#define TUSK_EXT_SERVE_REQUEST_VIEW_H

#include "src/serve/service.h"

/* Embedded in the object that shows the request; all zero is "nothing known". */
typedef struct tusk_request_view {
    const tusk_request *request; /* NULL: the bytes are gone, the values were made */
    zend_array *headers;         /* lower-case name => joined value; NULL: not yet made */
    zend_string *target;
    zend_string *address;  /* NULL: not yet made */
    tusk_service *service; /* whose session may be asked; NULL: nobody's */
    tusk_handle session;
    zend_object *tls;   /* NULL: not yet made */
    bool holds_service; /* a reference of its own: the session may be asked later */
} tusk_request_view;

void tusk_request_view_init(tusk_request_view *self, const tusk_request *request);
void tusk_request_view_fini(tusk_request_view *self);
/* Makes everything that may be asked for later but what the connection tells; the bytes are not
 * needed any more. */
void tusk_request_view_keep(tusk_request_view *self);
void tusk_request_view_keep_lent(void *view); /* the same, for tusk_call */
/* The call that is about to begin borrows them. */
static inline void tusk_request_view_lend(tusk_request_view *self, tusk_call *call)
{
    call->keep = tusk_request_view_keep_lent;
    call->borrowed = self;
}
/* Lower-case name; several fields of one name are joined. */
void tusk_header_add(zend_array *headers, tusk_bytes name, tusk_bytes value);
/* Borrowed. */
zend_array *tusk_request_view_headers(tusk_request_view *self);
/* The client's address; borrowed. */
zend_string *tusk_request_view_address(tusk_request_view *self);
/* A TlsInfo; borrowed. NULL: no TLS, the session is gone, or an exception was thrown. */
zend_object *tusk_request_view_tls(tusk_request_view *self);
/* A header's value as a new reference, or NULL. */
zend_string *tusk_request_view_header(tusk_request_view *self, zend_string *name);
zend_string *tusk_request_view_cookie(tusk_request_view *self, zend_string *name);
/* The first of that name in an encoded list a=b&c=d; NULL: none. */
zend_string *tusk_query_find(tusk_bytes query, zend_string *name);
/* All of that name, a list. */
zend_array *tusk_query_values(tusk_bytes query, zend_string *name);
/* All of them; of a name that repeats the first. */
zend_array *tusk_query_all(tusk_bytes query);
tusk_bytes tusk_target_query(zend_string *target);
zend_string *tusk_percent_decode(tusk_bytes text, bool plus_is_space);
zend_array *tusk_params_array(const tusk_param *params, size_t count);

#endif
