/* SPDX-License-Identifier: MIT */
/* Protocol: the frame codec alone, one frame in, one frame out. */
#include "php_tusk.h"
#include "src/mask_key.h"

/* A control frame's and a text's rules. */
static bool check_payload(unsigned opcode, unsigned flags, zend_string *payload)
{
    if (opcode >= 8 && ZSTR_LEN(payload) > TUSK_WS_CONTROL_MAX) {
        zend_argument_value_error(1, "must be at most 125 bytes for a control frame, %zu given",
                                  ZSTR_LEN(payload));
        return false;
    }
    if (opcode == TUSK_WS_TEXT && (flags & (FLAG_FIN | FLAG_RSV1)) == FLAG_FIN &&
        !tusk_zstr_utf8(payload)) {
        zend_argument_value_error(1, "must be valid UTF-8 for a text frame");
        return false;
    }
    if (opcode == TUSK_WS_CLOSE) {
        uint16_t code;
        tusk_bytes reason;
        if (tusk_ws_close_parse(tusk_zstr(payload), &code, &reason) != TUSK_OK) {
            zend_argument_value_error(
                1, "must be empty or a close code and a UTF-8 reason for a close frame");
            return false;
        }
    }
    return true;
}

static zend_string *encode(unsigned opcode, unsigned flags, tusk_bytes payload)
{
    uint8_t wire = (uint8_t)(((flags & FLAG_FIN) != 0 ? TUSK_WS_FIN : 0) |
                             ((flags & FLAG_RSV1) != 0 ? TUSK_WS_RSV1 : 0) |
                             ((flags & FLAG_RSV2) != 0 ? TUSK_WS_RSV2 : 0) |
                             ((flags & FLAG_RSV3) != 0 ? TUSK_WS_RSV3 : 0));
    bool masked = (flags & FLAG_MASK) != 0;
    uint8_t key[4];
    if (masked) {
        tusk_mask_key(key);
    }
    size_t head = tusk_ws_head_size(payload.len, masked);
    zend_string *out = zend_string_safe_alloc(1, payload.len, head, 0);
    uint8_t *place = (uint8_t *)ZSTR_VAL(out);
    place += tusk_ws_head_encode(place, wire, (uint8_t)opcode, payload.len, masked ? key : NULL);
    if (masked) {
        tusk_mask_apply(place, payload.ptr, payload.len, key, 0);
    } else {
        memcpy(place, payload.ptr, payload.len);
    }
    ZSTR_VAL(out)[head + payload.len] = '\0';
    return out;
}

static zend_string *encode_compressed(unsigned opcode, unsigned flags, tusk_bytes payload)
{
    tusk_ws_deflater *deflater;
    tusk_err err = tusk_ws_deflater_new(&deflater, tusk_mem_default(), 15, 6, 8, false);
    if (err != TUSK_OK) {
        zend_throw_error(NULL, "Cannot compress: %s", tusk_err_text(err));
        return NULL;
    }
    tusk_buf packed;
    tusk_buf_init(&packed, tusk_mem_default(), SIZE_MAX / 2);
    zend_string *out = NULL;
    err = tusk_ws_deflater_run(deflater, payload, &packed);
    if (err == TUSK_OK) {
        out = encode(opcode, flags | FLAG_RSV1, tusk_buf_view(&packed));
    } else {
        zend_throw_error(NULL, "Cannot compress: %s", tusk_err_text(err));
    }
    tusk_buf_fini(&packed);
    tusk_ws_deflater_free(deflater);
    return out;
}

TUSK_METHOD(Tusk_WebSocket_Protocol, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

TUSK_METHOD(Tusk_WebSocket_Protocol, acceptKey)
{
    zend_string *key;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(key)
    ZEND_PARSE_PARAMETERS_END();

    char accept[TUSK_WS_ACCEPT_LEN];
    tusk_ws_accept_key(accept, tusk_zstr(key));
    RETURN_STRINGL(accept, TUSK_WS_ACCEPT_LEN);
}

TUSK_METHOD(Tusk_WebSocket_Protocol, encode)
{
    zend_string *payload;
    zend_object *type = NULL;
    bool masked = false;

    ZEND_PARSE_PARAMETERS_START(1, 3)
    Z_PARAM_STR(payload)
    Z_PARAM_OPTIONAL
    Z_PARAM_OBJ_OF_CLASS(type, tusk_ce_message_type)
    Z_PARAM_BOOL(masked)
    ZEND_PARSE_PARAMETERS_END();

    unsigned opcode = type == NULL ? TUSK_WS_TEXT : tusk_case_opcode(type);
    if (!check_payload(opcode, FLAG_FIN, payload)) {
        RETURN_THROWS();
    }
    RETURN_STR(encode(opcode, FLAG_FIN | (masked ? FLAG_MASK : 0u), tusk_zstr(payload)));
}

static void decode(INTERNAL_FUNCTION_PARAMETERS, unsigned mode)
{
    zend_string *bytes;
    size_t consumed;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(bytes)
    ZEND_PARSE_PARAMETERS_END();

    tusk_frame_decode(return_value, tusk_zstr(bytes), mode, UINT64_MAX, &consumed);
}

TUSK_METHOD(Tusk_WebSocket_Protocol, decode)
{
    decode(INTERNAL_FUNCTION_PARAM_PASSTHRU, 0);
}

TUSK_METHOD(Tusk_WebSocket_Protocol, unpack)
{
    decode(INTERNAL_FUNCTION_PARAM_PASSTHRU, FRAME_RAW);
}

/* The first argument where it is no object: converted in place, as PHP converts to string. NULL: a
 * TypeError was thrown. */
static zend_string *payload_of(zval *given, bool strict)
{
    if (Z_TYPE_P(given) == IS_STRING) {
        return Z_STR_P(given);
    }
    zend_string *payload = strict || Z_TYPE_P(given) == IS_NULL ? NULL : tusk_weak_string(given, 1);
    if (payload != NULL) {
        return payload;
    }
    if (!EG(exception)) {
        zend_argument_type_error(
            1,
            "must be of type Tusk\\WebSocket\\Frame|Tusk\\WebSocket\\CloseFrame|string, %s given",
            zend_zval_type_name(given));
    }
    return NULL;
}

static bool check_kind(zend_long opcode, zend_long flags)
{
    bool control = opcode >= 8;
    if (!(opcode >= 0 && opcode <= 2) && !(opcode >= 8 && opcode <= 10)) {
        zend_argument_value_error(
            2, "must be a known opcode (0, 1, 2, 8, 9 or 10), " ZEND_LONG_FMT " given", opcode);
        return false;
    }
    const char *fault =
        flags < 0 || flags > FLAG_ALL        ? "must be a combination of Protocol::FLAG_* constants"
        : control && (flags & FLAG_FIN) == 0 ? "must include Protocol::FLAG_FIN for a control frame"
        : control && (flags & FLAG_COMPRESS) != 0
            ? "must not include Protocol::FLAG_COMPRESS for a control frame"
            : NULL;
    if (fault != NULL) {
        zend_argument_value_error(3, "%s", fault);
    }
    return fault == NULL;
}

/* A frame goes as it is. The defaults are no wish: they also stand where only the other one was
 * given by its name. */
static bool check_own(zend_long opcode, zend_long flags, unsigned own_opcode, unsigned own_flags)
{
    uint32_t fault = opcode != TUSK_WS_TEXT && opcode != (zend_long)own_opcode ? 2
                     : flags != FLAG_FIN && flags != (zend_long)own_flags      ? 3
                                                                               : 0;
    if (fault != 0) {
        zend_argument_value_error(fault,
                                  "must be left out for a frame, which goes with its own: pack its "
                                  "payload, or encode(), to have another");
    }
    return fault == 0;
}

TUSK_METHOD(Tusk_WebSocket_Protocol, pack)
{
    zval *given;
    zend_long opcode_long = TUSK_WS_TEXT;
    zend_long flags_long = FLAG_FIN;

    ZEND_PARSE_PARAMETERS_START(1, 3)
    Z_PARAM_ZVAL(given)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(opcode_long)
    Z_PARAM_LONG(flags_long)
    ZEND_PARSE_PARAMETERS_END();

    if (Z_TYPE_P(given) == IS_OBJECT && Z_OBJCE_P(given) == tusk_ce_close_frame) {
        uint8_t payload[TUSK_WS_CONTROL_MAX];
        unsigned flags;
        size_t len = tusk_close_payload(Z_OBJ_P(given), payload, &flags);
        if (!check_own(opcode_long, flags_long, TUSK_WS_CLOSE, flags)) {
            RETURN_THROWS();
        }
        RETURN_STR(encode(TUSK_WS_CLOSE, flags, tusk_bytes_of(payload, len)));
    }
    unsigned opcode, flags;
    zend_string *payload;
    if (Z_TYPE_P(given) == IS_OBJECT && Z_OBJCE_P(given) == tusk_ce_frame) {
        tusk_frame_view(Z_OBJ_P(given), &opcode, &flags, &payload);
        if (!check_own(opcode_long, flags_long, opcode, flags)) {
            RETURN_THROWS();
        }
    } else {
        payload = payload_of(given, ZEND_ARG_USES_STRICT_TYPES());
        if (payload == NULL || !check_kind(opcode_long, flags_long)) {
            RETURN_THROWS();
        }
        opcode = (unsigned)opcode_long;
        flags = (unsigned)flags_long;
    }
    if (!check_payload(opcode, flags, payload)) {
        RETURN_THROWS();
    }
    zend_string *out = (flags & FLAG_COMPRESS) != 0
                           ? encode_compressed(opcode, flags, tusk_zstr(payload))
                           : encode(opcode, flags, tusk_zstr(payload));
    if (out == NULL) {
        RETURN_THROWS();
    }
    RETURN_STR(out);
}
