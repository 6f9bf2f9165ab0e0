/* SPDX-License-Identifier: MIT */
/* Values from bytes. These may be changed by a hostile process meanwhile, so every length is read
 * once and checked before it is used. */
#include "src/travel/travel.h"

#include "src/travel/format.h"
#include "src/travel/room.h"
#include "src/travel/text.h"

void tusk_unpacker_init(tusk_unpacker *self, tusk_bytes bytes)
{
    self->at = bytes.ptr;
    self->end = bytes.ptr == NULL ? NULL : bytes.ptr + bytes.len;
    self->allowed = NULL;
    self->fault = NULL;
    self->depth = 0;
    self->names = self->few_names;
    self->name_count = 0;
    self->name_cap = PACK_NAMES_FEW;
    self->shape_count = 0;
    self->objects = NULL;
    self->object_next = 0;
    self->alive = false;
    self->made = (tusk_moment){0};
    self->claims = bytes.len;
    self->room = SIZE_MAX;
    self->prepaid = true;
    self->too_large = false;
}

void tusk_unpacker_fini(tusk_unpacker *self)
{
    for (uint32_t i = 0; i < self->name_count; i++) {
        zend_string_release(self->names[i]);
    }
    if (self->names != self->few_names) {
        efree(self->names);
    }
    for (uint32_t i = 0; i < self->shape_count; i++) {
        const pack_shape *shape = &self->shapes[i].keys;
        for (uint32_t k = 0; k < shape->count; k++) {
            zend_string_release(shape->keys[k]);
        }
        if (self->shapes[i].blank != NULL) {
            zend_array_release(self->shapes[i].blank);
        }
    }
    self->names = self->few_names;
    self->name_count = self->shape_count = 0;
    self->name_cap = PACK_NAMES_FEW;
    if (self->objects != NULL) {
        zend_array_release(self->objects);
        self->objects = NULL;
    }
}

bool tusk_unpack_broken(tusk_unpacker *self, const char *fault)
{
    if (self->fault == NULL) {
        self->fault = fault;
    }
    return false;
}

static inline size_t left(const tusk_unpacker *self)
{
    return (size_t)(self->end - self->at);
}

/* Once: another process may write there. */
static inline bool get_byte(tusk_unpacker *self, uint8_t *out)
{
    if (UNEXPECTED(self->at >= self->end)) {
        return tusk_unpack_broken(self, "bytes are missing");
    }
    *out = *(const volatile uint8_t *)self->at++;
    return true;
}

static bool get_long_number(tusk_unpacker *self, uint64_t *out);

/* Most numbers are one byte or two. */
static zend_always_inline bool get_number(tusk_unpacker *self, uint64_t *out)
{
    if (EXPECTED(left(self) >= 2)) {
        uint64_t low = *(const volatile uint8_t *)self->at;
        if (low < 0x80) {
            self->at++;
            *out = low;
            return true;
        }
        uint64_t high = *(const volatile uint8_t *)(self->at + 1);
        if (high < 0x80) {
            self->at += 2;
            *out = (low & 0x7f) | high << 7;
            return true;
        }
    }
    return get_long_number(self, out);
}

static bool get_long_number(tusk_unpacker *self, uint64_t *out)
{
    uint64_t number = 0;
    uint8_t byte;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (!get_byte(self, &byte)) {
            return false;
        }
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = number;
            return true;
        }
    }
    return tusk_unpack_broken(self, "a number without end");
}

bool tusk_unpack_number(tusk_unpacker *self, uint64_t *out)
{
    return get_number(self, out);
}

/* How many things follow; each of them is at least one byte, of its own: arrays within arrays that
 * lie do not each get what all the bytes could hold. */
static bool get_count(tusk_unpacker *self, uint32_t *out)
{
    uint64_t number;
    if (!get_number(self, &number)) {
        return false;
    }
    if (number > left(self) || number > self->claims || number > UINT32_MAX / 4) {
        return tusk_unpack_broken(self, "a length beyond the end");
    }
    self->claims -= (size_t)number;
    *out = (uint32_t)number;
    return true;
}

/* Whatever stands there by now: another process may write there, but what was counted is taken. */
static zend_always_inline zend_string *make_string(const char *at, size_t len)
{
    zend_string *text = zend_string_alloc(len, 0);
    tusk_copy_text(ZSTR_VAL(text), at, len);
    ZSTR_VAL(text)[len] = '\0';
    return text;
}

static zend_always_inline zend_string *take_string(tusk_unpacker *self, size_t len)
{
    if (len > left(self)) {
        (void)tusk_unpack_broken(self, "a length beyond the end");
        return NULL;
    }
    if (!spend(self, len > 1 ? _ZSTR_STRUCT_SIZE(len) : 0)) {
        return NULL;
    }
    const char *at = (const char *)self->at;
    self->at += len;
    if (EXPECTED(len > 1)) {
        return make_string(at, len);
    }
    if (len == 0) {
        return ZSTR_EMPTY_ALLOC();
    }
    return ZSTR_CHAR(*(const volatile uint8_t *)at);
}

bool tusk_unpack_view(tusk_unpacker *self, tusk_bytes *out)
{
    uint64_t len;
    if (!tusk_unpack_number(self, &len)) {
        return false;
    }
    if (len > left(self)) {
        return tusk_unpack_broken(self, "a length beyond the end");
    }
    *out = tusk_bytes_of(self->at, (size_t)len);
    self->at += len;
    return true;
}

zend_string *tusk_unpack_text(tusk_unpacker *self)
{
    uint64_t len;
    if (!tusk_unpack_number(self, &len)) {
        return NULL;
    }
    return take_string(self, len > left(self) ? left(self) + 1 : (size_t)len);
}

static bool get_value(tusk_unpacker *self, uint8_t tag, zval *out);
static bool get_row(tusk_unpacker *self, zval *out);

static zend_always_inline bool get_string(tusk_unpacker *self, zval *out, size_t len)
{
    zend_string *text = take_string(self, len);
    if (text == NULL) {
        return false;
    }
    if (EXPECTED(len > 1)) {
        ZVAL_NEW_STR(out, text);
    } else {
        ZVAL_INTERNED_STR(out, text);
    }
    return true;
}

static zend_always_inline bool get_int(tusk_unpacker *self, zval *out)
{
    uint64_t number;
    if (!get_number(self, &number)) {
        return false;
    }
    ZVAL_LONG(out, (zend_long)(number >> 1) ^ -(zend_long)(number & 1));
    return true;
}

/* In the loops over what arrays hold, most of which is a short string or a small number. */
static zend_always_inline bool unpack_value(tusk_unpacker *self, zval *out)
{
    uint8_t tag;
    ZVAL_NULL(out);
    if (!get_byte(self, &tag)) {
        return false;
    }
    if (tag >= TAG_SMALL) {
        ZVAL_LONG(out, tag - TAG_SMALL);
        return true;
    }
    if (tag <= TAG_TRUE) {
        Z_TYPE_INFO_P(out) = (uint32_t)IS_NULL + tag;
        return true;
    }
    bool ok = tag >= TAG_SHORT  ? get_string(self, out, tag - TAG_SHORT)
              : tag == TAG_INT  ? get_int(self, out)
              : tag == TAG_SAME ? get_row(self, out)
                                : get_value(self, tag, out);
    if (UNEXPECTED(!ok)) {
        zval_ptr_dtor(out);
        ZVAL_NULL(out);
    }
    return ok;
}

static bool get_list(tusk_unpacker *self, zval *out)
{
    uint32_t count;
    if (!get_count(self, &count) || !spend_list(self, count)) {
        return false;
    }
    array_init_size(out, count);
    zend_hash_real_init_packed(Z_ARRVAL_P(out));
    ZEND_HASH_FILL_PACKED(Z_ARRVAL_P(out))
    {
        for (uint32_t i = 0; i < count; i++) {
            zval value;
            if (!unpack_value(self, &value)) {
                break;
            }
            ZEND_HASH_FILL_ADD(&value);
        }
    }
    ZEND_HASH_FILL_END();
    return self->fault == NULL && EG(exception) == NULL;
}

/* A key like "7" would be an integer to PHP: whoever sends one lies. */
static bool put(tusk_unpacker *self, HashTable *array, zend_string *key, zval *value)
{
    if (UNEXPECTED(zend_hash_add(array, key, value) == NULL)) {
        zval_ptr_dtor(value);
        return tusk_unpack_broken(self, "a key twice");
    }
    return true;
}

static bool get_values(tusk_unpacker *self, zval *out, const pack_shape *shape)
{
    if (!spend_hash(self, shape->count)) {
        return false;
    }
    array_init_size(out, shape->count);
    zend_hash_real_init_mixed(Z_ARRVAL_P(out));
    for (uint32_t i = 0; i < shape->count; i++) {
        zval value;
        if (!tusk_unpack(self, &value) || !put(self, Z_ARRVAL_P(out), shape->keys[i], &value)) {
            return false;
        }
    }
    return true;
}

static bool get_map(tusk_unpacker *self, zval *out)
{
    pack_shape shape = {0};
    uint32_t count;
    zend_ulong index;
    if (!get_count(self, &count)) {
        return false;
    }
    if (count > PACK_SHAPE_KEYS) {
        return tusk_unpack_broken(self, "a shape with too many keys");
    }
    for (; shape.count < count; shape.count++) {
        shape.keys[shape.count] = tusk_unpack_key(self, &index);
        if (shape.keys[shape.count] == NULL) {
            (void)tusk_unpack_broken(self, "a shape with a number as key");
            break;
        }
    }
    bool kept = self->fault == NULL && self->shape_count < PACK_SHAPES;
    if (kept) {
        self->shapes[self->shape_count++] = (unpack_shape){.keys = shape};
    }
    bool ok = self->fault == NULL && get_values(self, out, &shape);
    for (uint32_t i = 0; !kept && i < shape.count; i++) {
        zend_string_release(shape.keys[i]);
    }
    return ok;
}

/* False: what it is to be made of has a key twice, or there is no room for it. */
static bool make_blank(tusk_unpacker *self, unpack_shape *shape)
{
    const pack_shape *keys = &shape->keys;
    zval null;
    ZVAL_NULL(&null);
    if (!spend_hash(self, keys->count)) {
        return false;
    }
    shape->blank = zend_new_array(keys->count);
    zend_hash_real_init_mixed(shape->blank);
    for (uint32_t i = 0; i < keys->count; i++) {
        if (!put(self, shape->blank, keys->keys[i], &null)) {
            zend_array_release(shape->blank);
            shape->blank = NULL;
            return false;
        }
    }
    return true;
}

/* A size that is known here needs no search for its place. */
#define LEAST_TABLE HT_SIZE_EX(HT_MIN_SIZE, HT_SIZE_TO_MASK(HT_MIN_SIZE))

/* As zend_array_dup() does it, for one that has no holes and whose values are all null. */
static zend_array *copy_of(const zend_array *blank)
{
    size_t size = HT_USED_SIZE(blank);
    size_t whole = HT_SIZE(blank);
    zend_array *copy = emalloc(sizeof(*copy));
    void *data = whole == LEAST_TABLE ? emalloc(LEAST_TABLE) : emalloc(whole);
    memcpy(copy, blank, sizeof(*copy));
    GC_SET_REFCOUNT(copy, 1);
    GC_TYPE_INFO(copy) = GC_ARRAY;
    memcpy(data, HT_GET_DATA_ADDR(blank), size);
    HT_SET_DATA_ADDR(copy, data);
    if ((HT_FLAGS(copy) & HASH_FLAG_STATIC_KEYS) == 0) {
        for (uint32_t i = 0; i < copy->nNumUsed; i++) {
            zend_string_addref(copy->arData[i].key);
        }
    }
    return copy;
}

/* Into the copy's own places: nobody else knows it before it is whole. */
static bool fill_blank(tusk_unpacker *self, zval *out, const unpack_shape *shape)
{
    if (!spend_hash(self, shape->keys.count)) {
        return false;
    }
    zend_array *array = copy_of(shape->blank);
    ZVAL_ARR(out, array);
    const Bucket *end = array->arData + array->nNumUsed;
    for (Bucket *place = array->arData; place < end; place++) {
        if (!unpack_value(self, &place->val)) {
            return false;
        }
    }
    return true;
}

static bool get_same(tusk_unpacker *self, zval *out)
{
    uint64_t number;
    if (!get_number(self, &number)) {
        return false;
    }
    if (number >= self->shape_count) {
        return tusk_unpack_broken(self, "a shape that was never sent");
    }
    unpack_shape *shape = &self->shapes[number];
    return (shape->blank != NULL || make_blank(self, shape)) && fill_blank(self, out, shape);
}

static bool get_hash(tusk_unpacker *self, zval *out)
{
    uint32_t count;
    if (!get_count(self, &count) || !spend_hash(self, count)) {
        return false;
    }
    array_init_size(out, count);
    for (uint32_t i = 0; i < count; i++) {
        zend_ulong index = 0;
        zval value;
        zend_string *key = tusk_unpack_key(self, &index);
        bool ok = self->fault == NULL && tusk_unpack(self, &value);
        if (ok && key != NULL) {
            ok = put(self, Z_ARRVAL_P(out), key, &value);
        } else if (ok && zend_hash_index_add(Z_ARRVAL_P(out), index, &value) == NULL) {
            zval_ptr_dtor(&value);
            ok = tusk_unpack_broken(self, "a key twice");
        }
        if (key != NULL) {
            zend_string_release(key);
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

static inline bool go_deeper(tusk_unpacker *self)
{
    return EXPECTED(++self->depth <= PACK_DEPTH + 16) ||
           tusk_unpack_broken(self, "nested too deep");
}

static bool get_row(tusk_unpacker *self, zval *out)
{
    if (!go_deeper(self)) {
        return false;
    }
    bool ok = get_same(self, out);
    self->depth--;
    return ok;
}

static bool get_deep(tusk_unpacker *self, uint8_t tag, zval *out)
{
    bool ok;
    if (!go_deeper(self)) {
        return false;
    }
    switch (tag) {
    case TAG_LIST: ok = get_list(self, out); break;
    case TAG_MAP: ok = get_map(self, out); break;
    case TAG_HASH: ok = get_hash(self, out); break;
    case TAG_OBJECT: ok = tusk_unpack_object(self, out); break;
    case TAG_ENUM: ok = tusk_unpack_enum(self, out); break;
    case TAG_CLOSURE:
        ok = self->allowed == NULL ? tusk_unpack_closure(self, out)
                                   : tusk_unpack_broken(self, "a closure on the way back");
        break;
    default: ok = tusk_unpack_broken(self, "a tag that means nothing"); break;
    }
    self->depth--;
    return ok;
}

static bool get_double(tusk_unpacker *self, zval *out)
{
    double number;
    if (left(self) < sizeof(number)) {
        return tusk_unpack_broken(self, "bytes are missing");
    }
    memcpy(&number, self->at, sizeof(number));
    self->at += sizeof(number);
    ZVAL_DOUBLE(out, number);
    return true;
}

static bool get_value(tusk_unpacker *self, uint8_t tag, zval *out)
{
    uint64_t number;
    switch (tag) {
    case TAG_EMPTY: ZVAL_EMPTY_ARRAY(out); return true;
    case TAG_DOUBLE: return get_double(self, out);
    case TAG_STRING:
        return tusk_unpack_number(self, &number) &&
               get_string(self, out, number > left(self) ? left(self) + 1 : (size_t)number);
    default: return get_deep(self, tag, out);
    }
}

bool tusk_unpack(tusk_unpacker *self, zval *out)
{
    return unpack_value(self, out);
}
