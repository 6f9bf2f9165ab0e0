/* SPDX-License-Identifier: MIT */
/* Proxy\Lookup: what is known of a client, and which of it a resolver read. */
#include "src/proxy/proxy.h"
#include "src/handlers.h"
#include "src/tls.h"

/* The slot after the fields, and what is none. */
enum { LOOKUP_SECURE = LOOKUP_FIELDS, LOOKUP_UNKNOWN };

/* A slot is filled when it is first read, and that is what is recorded: from then on the VM may
 * read it without asking. */
typedef struct lookup {
    uint32_t read;
    uint8_t *bytes; /* all fields, one behind the other */
    tusk_bytes field[LOOKUP_FIELDS];
    zend_object *certificate; /* until it is read */
    zend_object std;
} lookup;

static tusk_slot_handlers handlers;

static lookup *of(zend_object *object)
{
    return TUSK_FROM(lookup, object);
}

static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(lookup, ce, &handlers.base)->std;
}

static void destroy(zend_object *object)
{
    if (of(object)->bytes != NULL) {
        efree(of(object)->bytes);
    }
    if (of(object)->certificate != NULL) {
        OBJ_RELEASE(of(object)->certificate);
    }
    zend_object_std_dtor(object);
}

zend_object *tusk_lookup_make(const tusk_bytes fields[LOOKUP_FIELDS],
                              const tusk_certificate *certificate, bool secure)
{
    zend_object *object = create(tusk_proxy_ce[PROXY_LOOKUP]);
    lookup *self = of(object);
    ZVAL_BOOL(OBJ_PROP_NUM(object, LOOKUP_SECURE), secure);
    if (certificate != NULL) {
        self->certificate = tusk_certificate_make(certificate);
    }
    size_t total = 0;
    for (unsigned i = 0; i < LOOKUP_FIELDS; i++) {
        total += fields[i].len;
    }
    uint8_t *place = self->bytes = emalloc(total + 1);
    for (unsigned i = 0; i < LOOKUP_FIELDS; i++) {
        if (fields[i].ptr == NULL) {
            continue;
        }
        self->field[i] = tusk_bytes_of(place, fields[i].len);
        if (fields[i].len > 0) {
            memcpy(place, fields[i].ptr, fields[i].len);
        }
        place += fields[i].len;
    }
    return object;
}

uint32_t tusk_lookup_read(zend_object *object)
{
    return of(object)->read;
}

/* Fields stand side by side: nothing but its length ends one. */
static zend_long number_of(tusk_bytes text)
{
    char digits[MAX_LENGTH_OF_LONG + 1];
    size_t len = text.len < MAX_LENGTH_OF_LONG ? text.len : MAX_LENGTH_OF_LONG;
    memcpy(digits, text.ptr, len);
    digits[len] = '\0';
    return ZEND_STRTOL(digits, NULL, 10);
}

static void fill_slot(lookup *self, unsigned i)
{
    zval *slot = OBJ_PROP_NUM(&self->std, i);
    self->read |= 1u << i;
    if (!Z_ISUNDEF_P(slot)) {
        return;
    }
    if (i == TUSK_LOOKUP_CERTIFICATE && self->certificate != NULL) {
        ZVAL_OBJ(slot, self->certificate);
        self->certificate = NULL;
    } else if (self->field[i].ptr == NULL || i == TUSK_LOOKUP_CERTIFICATE) {
        ZVAL_NULL(slot);
    } else if (i == TUSK_LOOKUP_PEER_PORT) {
        ZVAL_LONG(slot, number_of(self->field[i]));
    } else {
        ZVAL_STR(slot, tusk_zstr_of(self->field[i]));
    }
}

/* LOOKUP_SECURE or more: nothing that is recorded. */
static unsigned index_of(const zend_string *name)
{
    const zend_property_info *info =
        zend_hash_find_ptr(&tusk_proxy_ce[PROXY_LOOKUP]->properties_info, (zend_string *)name);
    return info == NULL ? LOOKUP_UNKNOWN : OBJ_PROP_TO_NUM(info->offset);
}

static void fill(zend_object *object, const zend_string *name)
{
    unsigned i = name == NULL ? 0 : index_of(name);
    unsigned end = name == NULL ? LOOKUP_FIELDS : i + 1;
    for (; i < end && i < LOOKUP_FIELDS; i++) {
        fill_slot(of(object), i);
    }
}

TUSK_METHOD(Tusk_Proxy_Lookup, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

/* What was named for a lookup of tests. */
typedef struct named_fields {
    tusk_bytes field[LOOKUP_FIELDS];
    zend_string *text[LOOKUP_FIELDS];
    tusk_certificate *certificate;
    bool secure;
} named_fields;

/* False: an exception was thrown. */
static bool take_named(named_fields *self, const zend_string *name, zval *value)
{
    unsigned i = name == NULL ? LOOKUP_UNKNOWN : index_of(name);
    if (i == LOOKUP_SECURE) {
        self->secure = zend_is_true(value);
        return true;
    }
    if (i == LOOKUP_UNKNOWN || self->text[i] != NULL) {
        zend_value_error("Tusk\\Proxy\\Lookup has no field \"%s\"",
                         name == NULL ? "" : ZSTR_VAL(name));
        return false;
    }
    if (Z_TYPE_P(value) != IS_STRING && Z_TYPE_P(value) != IS_LONG) {
        zend_type_error("Field \"%s\" must be of type string|int, %s given", ZSTR_VAL(name),
                        zend_zval_type_name(value));
        return false;
    }
    self->text[i] = zval_get_string(value);
    self->field[i] = tusk_zstr(self->text[i]);
    if (i == TUSK_LOOKUP_CERTIFICATE &&
        tusk_certificate_parse(&self->certificate, self->field[i]) != TUSK_OK) {
        zend_value_error("Field \"certificate\" must be a certificate as text (PEM)");
        return false;
    }
    return true;
}

TUSK_METHOD(Tusk_Proxy_Lookup, of)
{
    zval *args = NULL;
    uint32_t count = 0;
    HashTable *named = NULL;

    ZEND_PARSE_PARAMETERS_START(0, -1)
    Z_PARAM_VARIADIC_WITH_NAMED(args, count, named)
    ZEND_PARSE_PARAMETERS_END();

    if (args != NULL && count != 0) {
        zend_argument_value_error(1, "must be named after a field");
        RETURN_THROWS();
    }
    named_fields fields = {.secure = false};
    zend_string *name;
    zval *value;
    bool good = true;
    if (named != NULL) {
        ZEND_HASH_FOREACH_STR_KEY_VAL(named, name, value)
        {
            good = good && take_named(&fields, name, value);
        }
        ZEND_HASH_FOREACH_END();
    }
    if (good) {
        RETVAL_OBJ(tusk_lookup_make(fields.field, fields.certificate, fields.secure));
    }
    tusk_certificate_free(fields.certificate);
    for (unsigned i = 0; i < LOOKUP_FIELDS; i++) {
        if (fields.text[i] != NULL) {
            zend_string_release(fields.text[i]);
        }
    }
}

TUSK_METHOD(Tusk_Proxy_Lookup, fieldsRead)
{
    ZEND_PARSE_PARAMETERS_NONE();

    zend_string *name;
    unsigned i = 0;
    array_init(return_value);
    ZEND_HASH_FOREACH_STR_KEY(&tusk_proxy_ce[PROXY_LOOKUP]->properties_info, name)
    {
        if (i < LOOKUP_FIELDS && (of(Z_OBJ_P(ZEND_THIS))->read >> i++ & 1u) != 0) {
            add_next_index_str(return_value, zend_string_copy(name));
        }
    }
    ZEND_HASH_FOREACH_END();
}

void tusk_lookup_startup(void)
{
    tusk_slot_handlers_init(&handlers, offsetof(lookup, std), destroy, fill);
    tusk_proxy_ce[PROXY_LOOKUP]->create_object = create;
}
