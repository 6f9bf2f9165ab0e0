/* SPDX-License-Identifier: MIT */
/* Reader of the lists in Sec-WebSocket-Extensions and -Protocol, over all fields of the name (RFC
 * 6455, 9.1). */
#ifndef PROTO_WS_LIST_H
#define PROTO_WS_LIST_H

#include <tusk/http.h>

typedef struct tusk__ws_list {
    const tusk_http_head *head;
    const char *name;
    size_t field; /* the one that `rest` is of */
    tusk_bytes rest;
    bool in_element; /* behind an element's name or parameter */
    tusk_err err;    /* TUSK_EPROTO where the text is no such list */
    char value[64]; /* of a quoted parameter; longer ones are no value that we know, and stay cut */
} tusk__ws_list;

void tusk__ws_list_init(tusk__ws_list *self, const tusk_http_head *head, const char *name);
/* The next element's token. Empty elements are skipped (RFC 9110, 5.6.1.2), but a field with none
 * is an error. */
bool tusk__ws_list_next(tusk__ws_list *self, tusk_bytes *token);
/* The next parameter of that element; `*value` lives until the next call. */
bool tusk__ws_list_param(tusk__ws_list *self, tusk_bytes *name, tusk_bytes *value, bool *has_value);

#endif
