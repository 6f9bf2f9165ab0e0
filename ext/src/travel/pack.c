/* SPDX-License-Identifier: MIT */
/* Scalars and arrays as bytes. */
#include "src/travel/travel.h"

#include "src/travel/format.h"
#include "src/travel/path.h"
#include "src/travel/text.h"

#include <Zend/zend_smart_str.h>

void tusk_packer_init(tusk_packer *self, uint8_t *room, size_t cap)
{
    self->ptr = room;
    self->len = 0;
    self->cap = cap;
    self->fixed = room != NULL;
    self->full = self->forkable = false;
    self->allowed = NULL;
    self->fault = NULL;
    self->depth = 0;
    self->name_count = 0;
    self->shape_count = 0;
    self->objects = NULL;
}

void tusk_packer_fini(tusk_packer *self)
{
    if (!self->fixed && self->ptr != NULL) {
        efree(self->ptr);
    }
    if (self->name_count > PACK_NAMES_FEW) {
        zend_hash_destroy(&self->names);
    }
    for (uint32_t i = 0; i < self->name_count && i < PACK_NAMES_FEW; i++) {
        zend_string_release(self->few_names[i]);
    }
    for (uint32_t i = 0; i < self->shape_count; i++) {
        for (uint32_t k = 0; k < self->shapes[i].count; k++) {
            zend_string_release(self->shapes[i].keys[k]);
        }
    }
    if (self->fault != NULL) {
        zend_string_release(self->fault);
    }
    if (self->objects != NULL) {
        tusk_pack_objects_free(self);
    }
}

void tusk_packer_again(tusk_packer *self)
{
    const bool fixed = self->fixed;
    HashTable *allowed = self->allowed;
    self->fixed = true; /* the room stays */
    tusk_packer_fini(self);
    tusk_packer_init(self, self->ptr, self->cap);
    self->fixed = fixed;
    self->allowed = allowed;
}

bool tusk_pack_fault(tusk_packer *self, const pack_path *path, const char *format, ...)
{
    if (self->fault != NULL) {
        return false;
    }
    smart_str text = {0};
    va_list args;
    if (path != NULL) {
        tusk_path_text(&text, path);
        tusk_path_shorten(&text);
        smart_str_appends(&text, ": ");
    }
    va_start(args, format);
    zend_string *what = zend_vstrpprintf(0, format, args);
    va_end(args);
    smart_str_append(&text, what);
    zend_string_release(what);
    smart_str_0(&text);
    self->fault = text.s;
    return false;
}

static zend_never_inline bool grow(tusk_packer *self, size_t len)
{
    if (self->fixed) {
        self->full = true;
        return tusk_pack_fault(
            self, NULL,
            "more than the %zu MiB that are left for values under way: give fewer or smaller ones "
            "at once, take results as they come, or give the name of a file that holds them",
            self->cap >> 20);
    }
    size_t cap = self->cap == 0 ? 256 : self->cap;
    while (cap - self->len < len) {
        cap *= 2;
    }
    self->ptr = erealloc(self->ptr, cap);
    self->cap = cap;
    return true;
}

static inline bool room(tusk_packer *self, size_t len)
{
    return EXPECTED(self->cap - self->len >= len) || grow(self, len);
}

static inline void put_number(tusk_packer *self, uint64_t number)
{
    while (number >= 0x80) {
        self->ptr[self->len++] = (uint8_t)(number | 0x80);
        number >>= 7;
    }
    self->ptr[self->len++] = (uint8_t)number;
}

static inline bool put_byte(tusk_packer *self, uint8_t byte)
{
    if (!room(self, 1)) {
        return false;
    }
    self->ptr[self->len++] = byte;
    return true;
}

static inline bool put_tag(tusk_packer *self, uint8_t tag, uint64_t number)
{
    if (!room(self, 11)) {
        return false;
    }
    self->ptr[self->len++] = tag;
    put_number(self, number);
    return true;
}

bool tusk_pack_bytes(tusk_packer *self, const void *bytes, size_t len)
{
    if (!room(self, len)) {
        return false;
    }
    if (len > 0) {
        memcpy(self->ptr + self->len, bytes, len);
        self->len += len;
    }
    return true;
}

bool tusk_pack_number(tusk_packer *self, uint64_t number)
{
    if (!room(self, 10)) {
        return false;
    }
    put_number(self, number);
    return true;
}

bool tusk_pack_text(tusk_packer *self, const zend_string *text)
{
    size_t len = text == NULL ? 0 : ZSTR_LEN(text);
    return tusk_pack_number(self, len) && (len == 0 || tusk_pack_bytes(self, ZSTR_VAL(text), len));
}

static inline bool pack_string(tusk_packer *self, const zend_string *text)
{
    size_t len = ZSTR_LEN(text);
    if (!room(self, len + 11)) {
        return false;
    }
    if (len < 64) {
        self->ptr[self->len++] = (uint8_t)(TAG_SHORT + len);
    } else {
        self->ptr[self->len++] = TAG_STRING;
        put_number(self, len);
    }
    tusk_copy_text((char *)self->ptr + self->len, ZSTR_VAL(text), len);
    self->len += len;
    return true;
}

static inline bool pack_int(tusk_packer *self, zend_long value)
{
    if (value >= 0 && value < 128) {
        return put_byte(self, (uint8_t)(TAG_SMALL + value));
    }
    return put_tag(self, TAG_INT, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

/* Rows as code makes them: a table of its own without holes. */
static inline bool is_whole(const HashTable *array)
{
    return !HT_IS_PACKED(array) && array->nNumUsed == array->nNumOfElements;
}

/* The very keys, as in most rows. */
static inline bool has_keys(const HashTable *array, const pack_shape *shape)
{
    const Bucket *place = array->arData;
    for (uint32_t i = 0; i < shape->count; i++, place++) {
        if (place->key != shape->keys[i]) {
            return false;
        }
    }
    return true;
}

static bool has_shape(const HashTable *array, const pack_shape *shape)
{
    uint32_t i = 0;
    zend_string *key;
    if (shape->count != zend_hash_num_elements(array)) {
        return false;
    }
    if (is_whole(array) && has_keys(array, shape)) {
        return true;
    }
    ZEND_HASH_FOREACH_STR_KEY((HashTable *)array, key)
    {
        if (key == NULL || (key != shape->keys[i] && !zend_string_equals(key, shape->keys[i]))) {
            return false;
        }
        i++;
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

static bool fits_a_shape(const HashTable *array)
{
    zend_string *key;
    if (zend_hash_num_elements(array) > PACK_SHAPE_KEYS) {
        return false;
    }
    ZEND_HASH_FOREACH_STR_KEY((HashTable *)array, key)
    {
        if (key == NULL) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

static bool pack_keys(tusk_packer *self, const HashTable *array)
{
    zend_string *key;
    pack_shape *shape = self->shape_count < PACK_SHAPES ? &self->shapes[self->shape_count++] : NULL;
    if (shape != NULL) {
        shape->count = 0;
    }
    ZEND_HASH_FOREACH_STR_KEY((HashTable *)array, key)
    {
        if (!tusk_pack_key(self, key)) {
            return false;
        }
        if (shape != NULL) {
            shape->keys[shape->count++] = zend_string_copy(key);
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

/* Numbers, strings and what is less; nothing of these has a place in a message. False: it is more.
 */
static zend_always_inline bool pack_plain(tusk_packer *self, const zval *value, bool *ok)
{
    switch (Z_TYPE_P(value)) {
    case IS_NULL: *ok = put_byte(self, TAG_NULL); return true;
    case IS_FALSE: *ok = put_byte(self, TAG_FALSE); return true;
    case IS_TRUE: *ok = put_byte(self, TAG_TRUE); return true;
    case IS_LONG: *ok = pack_int(self, Z_LVAL_P(value)); return true;
    case IS_DOUBLE:
        *ok = put_byte(self, TAG_DOUBLE) && tusk_pack_bytes(self, &Z_DVAL_P(value), 8);
        return true;
    case IS_STRING: *ok = pack_string(self, Z_STR_P(value)); return true;
    default: return false;
    }
}

static bool pack_row(tusk_packer *self, const HashTable *array, const pack_path *path)
{
    const Bucket *end = array->arData + array->nNumUsed;
    for (const Bucket *place = array->arData; place < end; place++) {
        bool ok;
        if (!pack_plain(self, &place->val, &ok)) {
            pack_path inner = {.outer = path, .key = place->key, .index = place->h};
            ok = tusk_pack(self, &place->val, &inner);
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

static bool pack_values(tusk_packer *self, const HashTable *array, const pack_path *path)
{
    pack_path inner = {.outer = path};
    zend_string *key;
    zend_ulong index;
    zval *value;
    ZEND_HASH_FOREACH_KEY_VAL((HashTable *)array, index, key, value)
    {
        bool ok;
        if (!pack_plain(self, value, &ok)) {
            inner.key = key;
            inner.index = index;
            ok = tusk_pack(self, value, &inner);
        }
        if (!ok) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

static bool pack_hash(tusk_packer *self, const HashTable *array, const pack_path *path)
{
    pack_path inner = {.outer = path};
    zval *value;
    if (!put_tag(self, TAG_HASH, zend_hash_num_elements(array))) {
        return false;
    }
    ZEND_HASH_FOREACH_KEY_VAL((HashTable *)array, inner.index, inner.key, value)
    {
        bool ok = inner.key != NULL
                      ? tusk_pack_key(self, inner.key)
                      : tusk_pack_number(self, KEY_INT) &&
                            tusk_pack_number(self, (uint64_t)inner.index << 1 ^
                                                       (uint64_t)((zend_long)inner.index >> 63));
        if (!ok || !tusk_pack(self, value, &inner)) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

static bool pack_map(tusk_packer *self, const HashTable *array, const pack_path *path)
{
    for (uint32_t i = self->shape_count; i > 0; i--) {
        if (has_shape(array, &self->shapes[i - 1])) {
            return put_tag(self, TAG_SAME, i - 1) &&
                   (is_whole(array) ? pack_row(self, array, path) : pack_values(self, array, path));
        }
    }
    if (!fits_a_shape(array)) {
        return pack_hash(self, array, path);
    }
    return put_tag(self, TAG_MAP, zend_hash_num_elements(array)) && pack_keys(self, array) &&
           pack_values(self, array, path);
}

/* An object's own code may write to an array that is known by reference: held, it is another one
 * that it writes to. */
static inline bool hold(HashTable *array)
{
    bool counted = (GC_FLAGS(array) & GC_IMMUTABLE) == 0;
    if (counted) {
        GC_ADDREF(array);
    }
    return counted;
}

static bool pack_array(tusk_packer *self, HashTable *array, const pack_path *path)
{
    if (zend_hash_num_elements(array) == 0) {
        return put_byte(self, TAG_EMPTY);
    }
    if (++self->depth > PACK_DEPTH) {
        return tusk_pack_fault(self, path, "nested deeper than %d levels: serialize() it first",
                               PACK_DEPTH);
    }
    bool held = hold(array);
    bool ok = zend_array_is_list(array) ? put_tag(self, TAG_LIST, zend_hash_num_elements(array)) &&
                                              pack_values(self, array, path)
                                        : pack_map(self, array, path);
    if (held) {
        zend_array_release(array);
    }
    self->depth--;
    return ok;
}

bool tusk_pack(tusk_packer *self, const zval *value, const pack_path *path)
{
    bool ok;
    if (pack_plain(self, value, &ok)) {
        return ok;
    }
    switch (Z_TYPE_P(value)) {
    case IS_UNDEF: return put_byte(self, TAG_NULL);
    case IS_ARRAY: return pack_array(self, Z_ARRVAL_P(value), path);
    case IS_OBJECT: return tusk_pack_object(self, value, path);
    case IS_REFERENCE: return tusk_pack(self, Z_REFVAL_P(value), path);
    case IS_INDIRECT: return tusk_pack(self, Z_INDIRECT_P(value), path);
    case IS_RESOURCE: {
        const char *type = zend_rsrc_list_get_rsrc_type(Z_RES_P(value));
        return tusk_pack_fault(self, path, "resource (%s)" TRAVEL_OPEN,
                               type == NULL ? "closed" : type);
    }
    default: return tusk_pack_fault(self, path, "a value that has no form of its own");
    }
}
