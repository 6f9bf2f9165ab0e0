/* SPDX-License-Identifier: MIT */
/* Keys of arrays: each goes out as text once, then as the number that it got. */
#include "src/travel/travel.h"

#include "src/travel/format.h"
#include "src/travel/room.h"

/* ---- out ---- */
/* A small message has a handful of keys, most of them the compiled code's own strings. */
static bool find_name(const tusk_packer *self, zend_string *key, uint64_t *number)
{
    for (uint32_t i = 0; i < self->name_count && i < PACK_NAMES_FEW; i++) {
        if (zend_string_equals(self->few_names[i], key)) {
            *number = i;
            return true;
        }
    }
    const zval *known =
        self->name_count > PACK_NAMES_FEW ? zend_hash_find(&self->names, key) : NULL;
    *number = known == NULL ? 0 : (uint64_t)Z_LVAL_P(known);
    return known != NULL;
}

static void keep_name(tusk_packer *self, zend_string *key)
{
    if (self->name_count < PACK_NAMES_FEW) {
        self->few_names[self->name_count++] = zend_string_copy(key);
    } else if (self->name_count < PACK_NAMES) {
        zval number;
        if (self->name_count == PACK_NAMES_FEW) {
            zend_hash_init(&self->names, 16, NULL, NULL, 0);
        }
        ZVAL_LONG(&number, self->name_count++);
        zend_hash_add_new(&self->names, key, &number);
    }
}

bool tusk_pack_key(tusk_packer *self, zend_string *key)
{
    uint64_t number;
    if (find_name(self, key, &number)) {
        return tusk_pack_number(self, KEY_KNOWN + number);
    }
    keep_name(self, key);
    return tusk_pack_number(self, KEY_NEW) && tusk_pack_text(self, key);
}

/* ---- in ---- */
/* The one that the code here is compiled with, if there is: nobody has to count its uses. Looked
 * for by our own copy, which does not change meanwhile. */
static zend_string *make_key(tusk_bytes text)
{
#if PHP_VERSION_ID >= 80200
    char copy[64];
    if (text.len <= sizeof(copy)) {
        memcpy(copy, text.ptr, text.len);
        return zend_string_init_existing_interned(copy, text.len, false);
    }
    zend_string *own = tusk_zstr_of(text);
    zend_string *known = zend_string_init_existing_interned(ZSTR_VAL(own), ZSTR_LEN(own), false);
    zend_string_release(own);
    return known;
#else
    return tusk_zstr_of(text);
#endif
}

static void grow_names(tusk_unpacker *self)
{
    zend_string **few = self->names == self->few_names ? self->names : NULL;
    self->name_cap *= 2;
    self->names = few == NULL ? erealloc(self->names, self->name_cap * sizeof(*self->names))
                              : emalloc(self->name_cap * sizeof(*self->names));
    if (few != NULL) {
        memcpy(self->names, few, sizeof(self->few_names));
    }
}

static zend_string *new_key(tusk_unpacker *self)
{
    tusk_bytes text;
    if (!tusk_unpack_view(self, &text) || !spend(self, _ZSTR_STRUCT_SIZE(text.len))) {
        return NULL;
    }
    zend_string *key = make_key(text);
    if (self->name_count < PACK_NAMES) {
        if (self->name_count == self->name_cap) {
            grow_names(self);
        }
        zend_string_hash_val(key);
        self->names[self->name_count++] = zend_string_copy(key);
    }
    return key;
}

zend_string *tusk_unpack_key(tusk_unpacker *self, zend_ulong *index)
{
    uint64_t number;
    if (!tusk_unpack_number(self, &number)) {
        return NULL;
    }
    if (number == KEY_INT) {
        if (tusk_unpack_number(self, &number)) {
            *index = (zend_ulong)(number >> 1) ^ (zend_ulong)(-(zend_long)(number & 1));
        }
        return NULL;
    }
    if (number == KEY_NEW) {
        return new_key(self);
    }
    if (number - KEY_KNOWN >= self->name_count) {
        (void)tusk_unpack_broken(self, "a key that was never sent");
        return NULL;
    }
    return zend_string_copy(self->names[number - KEY_KNOWN]);
}
