/* SPDX-License-Identifier: MIT */
/* TlsInfo: what a session's TLS handshake agreed upon, and whose certificate was shown in it. */
#include "src/tls.h"

/* Slots in the stub's order. */
enum { INFO_VERSION, INFO_CIPHER, INFO_SERVER_NAME, INFO_ALPN, INFO_RESUMED, INFO_CERTIFICATE };

TUSK_METHOD(Tusk_TlsInfo, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

/* "TLSv1.3" of OpenSSL is "1.3", as Tls has it. */
static tusk_bytes version_of(const tusk_tls_info *info)
{
    tusk_bytes version = tusk_bytes_str(info->version);
    return version.len > 4 && memcmp(version.ptr, "TLSv", 4) == 0
               ? tusk_bytes_of(version.ptr + 4, version.len - 4)
               : version;
}

static void fill(zend_object *object, const tusk_tls_info *info)
{
    ZVAL_STR(OBJ_PROP_NUM(object, INFO_VERSION), tusk_zstr_of(version_of(info)));
    ZVAL_STR(OBJ_PROP_NUM(object, INFO_CIPHER), tusk_zstr_of(tusk_bytes_str(info->cipher)));
    ZVAL_NULL(OBJ_PROP_NUM(object, INFO_SERVER_NAME));
    if (info->server_name[0] != '\0') {
        ZVAL_STR(OBJ_PROP_NUM(object, INFO_SERVER_NAME),
                 tusk_zstr_of(tusk_bytes_str(info->server_name)));
    }
    ZVAL_NULL(OBJ_PROP_NUM(object, INFO_ALPN));
    if (info->protocol.ptr != NULL) {
        ZVAL_STR(OBJ_PROP_NUM(object, INFO_ALPN), tusk_zstr_of(info->protocol));
    }
    ZVAL_BOOL(OBJ_PROP_NUM(object, INFO_RESUMED), info->resumed);
}

zend_object *tusk_tls_info_make(const tusk_server *server, tusk_handle session)
{
    tusk_tls_info info;
    tusk_certificate *shown;
    if (!tusk_session_tls(server, session, &info)) {
        return NULL;
    }
    tusk_err err = tusk_session_certificate(server, session, &shown);
    if (err != TUSK_OK && err != TUSK_ENOENT) { /* one was shown: null would say there was none */
        tusk_throw(err, "Cannot read the client's certificate");
        return NULL;
    }
    zend_object *object = tusk_ce_tls_info->create_object(tusk_ce_tls_info);
    fill(object, &info);
    ZVAL_NULL(OBJ_PROP_NUM(object, INFO_CERTIFICATE));
    if (shown != NULL) {
        ZVAL_OBJ(OBJ_PROP_NUM(object, INFO_CERTIFICATE), tusk_certificate_make(shown));
        tusk_certificate_free(shown);
    }
    return object;
}
