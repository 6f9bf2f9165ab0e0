/* SPDX-License-Identifier: MIT */
/* Certificate: one that a handshake has checked, as values. */
#include "src/tls.h"

/* Slots in the stub's order; the names stand in the order of tusk_alt_name_kind. */
enum {
    CERTIFICATE_SUBJECT,
    CERTIFICATE_ISSUER,
    CERTIFICATE_COMMON_NAME,
    CERTIFICATE_SERIAL,
    CERTIFICATE_NAMES,
    CERTIFICATE_NOT_BEFORE = CERTIFICATE_NAMES + TUSK_ALT_NAME_IP + 1,
    CERTIFICATE_NOT_AFTER,
    CERTIFICATE_FINGERPRINT,
    CERTIFICATE_PEM
};

TUSK_METHOD(Tusk_Certificate, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

static void set_names(zend_object *object, const tusk_certificate *from)
{
    for (unsigned kind = TUSK_ALT_NAME_DNS; kind <= TUSK_ALT_NAME_IP; kind++) {
        array_init(OBJ_PROP_NUM(object, CERTIFICATE_NAMES + kind));
    }
    for (size_t i = 0; i < from->name_count; i++) {
        add_next_index_str(OBJ_PROP_NUM(object, CERTIFICATE_NAMES + from->names[i].kind),
                           tusk_zstr_of(from->names[i].text));
    }
}

static zend_string *hexadecimal(const uint8_t *bytes, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    zend_string *out = zend_string_alloc(2 * len, 0);
    for (size_t i = 0; i < len; i++) {
        ZSTR_VAL(out)[2 * i] = digits[bytes[i] >> 4];
        ZSTR_VAL(out)[2 * i + 1] = digits[bytes[i] & 15];
    }
    ZSTR_VAL(out)[2 * len] = '\0';
    return out;
}

zend_object *tusk_certificate_make(const tusk_certificate *from)
{
    zend_object *object = tusk_ce_certificate->create_object(tusk_ce_certificate);
    ZVAL_STR(OBJ_PROP_NUM(object, CERTIFICATE_SUBJECT), tusk_zstr_of(from->subject));
    ZVAL_STR(OBJ_PROP_NUM(object, CERTIFICATE_ISSUER), tusk_zstr_of(from->issuer));
    if (from->common_name.ptr == NULL) {
        ZVAL_NULL(OBJ_PROP_NUM(object, CERTIFICATE_COMMON_NAME));
    } else {
        ZVAL_STR(OBJ_PROP_NUM(object, CERTIFICATE_COMMON_NAME), tusk_zstr_of(from->common_name));
    }
    ZVAL_STR(OBJ_PROP_NUM(object, CERTIFICATE_SERIAL), tusk_zstr_of(from->serial));
    set_names(object, from);
    ZVAL_LONG(OBJ_PROP_NUM(object, CERTIFICATE_NOT_BEFORE), (zend_long)from->not_before);
    ZVAL_LONG(OBJ_PROP_NUM(object, CERTIFICATE_NOT_AFTER), (zend_long)from->not_after);
    ZVAL_STR(OBJ_PROP_NUM(object, CERTIFICATE_FINGERPRINT),
             hexadecimal(from->fingerprint, sizeof(from->fingerprint)));
    ZVAL_STR(OBJ_PROP_NUM(object, CERTIFICATE_PEM), tusk_zstr_of(from->pem));
    return object;
}
