/* SPDX-License-Identifier: MIT */
/* Looking into a parsed head: fields by name, and the comma lists in their values (RFC
 * 9110, 5.6.1). */
#include "proto/http1_head.h"

/* A walk's place: which field, and how far in its value. */
enum { FIELD_BITS = 8, FIELD_MASK = 255 };

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t';
}

/* Length of the element that `list` starts with, up to a comma outside quotes or the end. */
static size_t element_len(tusk_bytes list)
{
    bool quoted = false;
    size_t i = 0;
    for (; i < list.len; i++) {
        uint8_t c = list.ptr[i];
        if (c == '"') {
            quoted = !quoted;
        } else if (quoted && c == '\\' && i + 1 < list.len) {
            i++;
        } else if (!quoted && c == ',') {
            break;
        }
    }
    return i;
}

bool tusk__http_next_element(tusk_bytes *rest, tusk_bytes *element)
{
    while (rest->len > 0) {
        size_t len = element_len(*rest);
        size_t used = len < rest->len ? len + 1 : len;
        const uint8_t *first = rest->ptr;
        const uint8_t *last = first + len;
        rest->ptr += used;
        rest->len -= used;
        while (first < last && is_space(*first)) {
            first++;
        }
        while (last > first && is_space(last[-1])) {
            last--;
        }
        if (first < last) {
            *element = tusk_bytes_of(first, (size_t)(last - first));
            return true;
        }
    }
    return false;
}

const tusk_http_field *tusk_http_find(const tusk_http_head *head, const char *name)
{
    tusk_bytes wanted = tusk_bytes_str(name);
    for (uint32_t i = 0; i < head->field_count; i++) {
        if (tusk_bytes_eq_nocase(head->fields[i].name, wanted)) {
            return &head->fields[i];
        }
    }
    return NULL;
}

size_t tusk_http_count(const tusk_http_head *head, const char *name)
{
    tusk_bytes wanted = tusk_bytes_str(name);
    size_t count = 0;
    for (uint32_t i = 0; i < head->field_count; i++) {
        count += tusk_bytes_eq_nocase(head->fields[i].name, wanted);
    }
    return count;
}

bool tusk_http_next_token(const tusk_http_head *head, const char *name, size_t *cursor,
                          tusk_bytes *token)
{
    tusk_bytes wanted = tusk_bytes_str(name);
    size_t offset = *cursor >> FIELD_BITS;
    for (size_t i = *cursor & FIELD_MASK; i < head->field_count; i++, offset = 0) {
        tusk_bytes value = head->fields[i].value;
        if (!tusk_bytes_eq_nocase(head->fields[i].name, wanted)) {
            continue;
        }
        tusk_bytes rest = tusk_bytes_of(value.ptr + offset, value.len - offset);
        if (tusk__http_next_element(&rest, token)) {
            *cursor = (size_t)(rest.ptr - value.ptr) << FIELD_BITS | i;
            return true;
        }
    }
    *cursor = head->field_count;
    return false;
}

bool tusk_http_has_token(const tusk_http_head *head, const char *name, const char *token)
{
    tusk_bytes field_name = tusk_bytes_str(name);
    tusk_bytes wanted = tusk_bytes_str(token);
    tusk_bytes found;
    for (uint32_t i = 0; i < head->field_count; i++) {
        tusk_bytes rest = head->fields[i].value;
        if (!tusk_bytes_eq_nocase(head->fields[i].name, field_name)) {
            continue;
        }
        if (tusk_bytes_eq_nocase(rest, wanted)) {
            return true; /* all of it, as nearly always */
        }
        while (tusk__http_next_element(&rest, &found)) {
            if (tusk_bytes_eq_nocase(found, wanted)) {
                return true;
            }
        }
    }
    return false;
}
