/* SPDX-License-Identifier: MIT */
/* Proxy\Forwarding: what an HTTP proxy tells backends of its clients. */
#include "src/proxy/proxy.h"

enum { FORWARDING_X_FORWARDED, FORWARDING_FORWARDED, FORWARDING_VIA, FORWARDING_VIA_NAME };

TUSK_METHOD(Tusk_Proxy_Forwarding, __construct)
{
    zend_object *modes[] = {NULL, NULL, NULL};
    zend_string *name = NULL;

    TUSK_PARSE_CONSTRUCTOR_START(0, 4)
    Z_PARAM_OPTIONAL
    Z_PARAM_OBJ_OF_CLASS(modes[FORWARDING_X_FORWARDED], tusk_proxy_ce[PROXY_FORWARD])
    Z_PARAM_OBJ_OF_CLASS(modes[FORWARDING_FORWARDED], tusk_proxy_ce[PROXY_FORWARD])
    Z_PARAM_OBJ_OF_CLASS(modes[FORWARDING_VIA], tusk_proxy_ce[PROXY_FORWARD])
    Z_PARAM_STR(name)
    TUSK_PARSE_CONSTRUCTOR_END();

    zend_object *self = Z_OBJ_P(ZEND_THIS);
    if (Z_TYPE_P(OBJ_PROP_NUM(self, 0)) != IS_UNDEF) {
        zend_throw_error(NULL, "%s is readonly once it is made", ZSTR_VAL(self->ce->name));
        RETURN_THROWS();
    }
    if (name != NULL && !tusk_http_name_valid(tusk_zstr(name))) {
        zend_argument_value_error(4, "must be a token such as \"edge-1\"");
        RETURN_THROWS();
    }
    for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        zend_object *mode = modes[i];
        if (mode == NULL) {
            mode = zend_enum_get_case_cstr(tusk_proxy_ce[PROXY_FORWARD], "Append");
        }
        ZVAL_OBJ_COPY(OBJ_PROP_NUM(self, i), mode);
    }
    if (name == NULL) {
        ZVAL_STRING(OBJ_PROP_NUM(self, FORWARDING_VIA_NAME),
                    tusk_relay_http_options_default()->via_name);
    } else {
        ZVAL_STR_COPY(OBJ_PROP_NUM(self, FORWARDING_VIA_NAME), name);
    }
}

static tusk_relay_forward mode_of(const zend_object *from, unsigned slot)
{
    return (tusk_relay_forward)tusk_enum_index(Z_OBJ_P(OBJ_PROP_NUM(from, slot)));
}

void tusk_proxy_read_forwarding(tusk_relay_http_options *out, const zend_object *from)
{
    if (from == NULL) {
        return;
    }
    out->x_forwarded = mode_of(from, FORWARDING_X_FORWARDED);
    out->forwarded = mode_of(from, FORWARDING_FORWARDED);
    out->via = mode_of(from, FORWARDING_VIA);
    out->via_name = Z_STRVAL_P(OBJ_PROP_NUM(from, FORWARDING_VIA_NAME));
}
