/* SPDX-License-Identifier: MIT */
/* Keys of arrays: each goes out as text once, then as the number that it got. */
#include "src/travel/travel.h"

#include "src/travel/format.h"

/* ---- out ---- */
bool tusk_pack_key(tusk_packer *self, zend_string *key)
{
    if (!self->has_names) {
        zend_hash_init(&self->names, 16, NULL, NULL, 0);
        self->has_names = true;
    }
    zval *known = zend_hash_find(&self->names, key);
    if (known != NULL) {
        return tusk_pack_number(self, KEY_KNOWN + (uint64_t)Z_LVAL_P(known));
    }
    uint32_t count = zend_hash_num_elements(&self->names);
    if (count < PACK_NAMES) {
        zval number;
        ZVAL_LONG(&number, count);
        zend_hash_add_new(&self->names, key, &number);
    }
    return tusk_pack_number(self, KEY_NEW) && tusk_pack_text(self, key);
}

/* ---- in ---- */
/* The one that the code here is compiled with, if there is: nobody has to count its uses. Looked
 * for by our own copy, which does not change meanwhile. */
static zend_string *same_as_known(zend_string *key)
{
#if PHP_VERSION_ID >= 80200
    zend_string *known = zend_string_init_existing_interned(ZSTR_VAL(key), ZSTR_LEN(key), false);
    zend_string_release(key);
    return known;
#else
    return key;
#endif
}

static zend_string *new_key(tusk_unpacker *self)
{
    zend_string *key = tusk_unpack_text(self);
    if (key == NULL) {
        return NULL;
    }
    key = same_as_known(key);
    if (self->name_count < PACK_NAMES) {
        if (self->name_count == self->name_cap) {
            self->name_cap = self->name_cap == 0 ? 16 : self->name_cap * 2;
            self->names = erealloc(self->names, self->name_cap * sizeof(*self->names));
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
