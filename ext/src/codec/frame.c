/* SPDX-License-Identifier: MIT */
/* Frame and CloseFrame: what one WebSocket frame holds, and how one is made from bytes. */
#include "php_tusk.h"
#include "src/mask_key.h"
#include "src/parameters.h"

/* Slots of Frame and CloseFrame in the stub's order. */
enum { FRAME_TYPE, FRAME_OPCODE, FRAME_FLAGS, FRAME_PAYLOAD, FRAME_FINAL, FRAME_CONSUMED };
enum { CLOSE_CODE, CLOSE_REASON, CLOSE_FLAGS, CLOSE_CONSUMED };

/* Why the core refused a head: the first rule that it breaks. */
static const char *head_fault(tusk_bytes in)
{
    unsigned opcode = in.ptr[0] & 0x0fu;
    unsigned len = in.len > 1 ? in.ptr[1] & 0x7fu : 0;
    if ((opcode > 2 && opcode < 8) || opcode > 10) {
        return "unknown opcode";
    }
    if (opcode >= 8 && (in.ptr[0] & TUSK_WS_FIN) == 0) {
        return "control frame is fragmented";
    }
    if (opcode >= 8 && len > TUSK_WS_CONTROL_MAX) {
        return "control frame payload exceeds 125 bytes";
    }
    if (len == 127 && in.len > 2 && (in.ptr[2] & 0x80u) != 0) {
        return "most significant bit of the 64-bit length is set";
    }
    return "payload length is not minimally encoded";
}

static void close_object(zval *out, uint16_t code, tusk_bytes reason, unsigned flags,
                         size_t consumed)
{
    zend_object *object = zend_objects_new(tusk_ce_close_frame);
    ZVAL_LONG(OBJ_PROP_NUM(object, CLOSE_CODE), code == 0 ? TUSK_WS_CODE_NO_STATUS : code);
    ZVAL_STR(OBJ_PROP_NUM(object, CLOSE_REASON), tusk_zstr_of(reason));
    ZVAL_LONG(OBJ_PROP_NUM(object, CLOSE_FLAGS), flags);
    ZVAL_LONG(OBJ_PROP_NUM(object, CLOSE_CONSUMED), (zend_long)consumed);
    ZVAL_OBJ(out, object);
}

static bool decode_close(zval *out, tusk_bytes payload, unsigned flags, size_t consumed)
{
    uint16_t code;
    tusk_bytes reason;
    tusk_err err = tusk_ws_close_parse(payload, &code, &reason);
    if (err == TUSK_EUTF8) {
        zend_throw_error(NULL, "Invalid WebSocket frame: close reason is not UTF-8");
        return false;
    }
    if (err != TUSK_OK) {
        zend_throw_error(NULL, "Invalid WebSocket frame: %s",
                         payload.len == 1 ? "close payload of 1 byte" : "invalid close code");
        return false;
    }
    close_object(out, code, reason, flags, consumed);
    return true;
}

static inline unsigned flags_of(const tusk_ws_head *head)
{
    return ((head->flags & TUSK_WS_FIN) != 0 ? FLAG_FIN : 0u) |
           ((head->flags & TUSK_WS_RSV1) != 0 ? FLAG_RSV1 : 0u) |
           ((head->flags & TUSK_WS_RSV2) != 0 ? FLAG_RSV2 : 0u) |
           ((head->flags & TUSK_WS_RSV3) != 0 ? FLAG_RSV3 : 0u) | (head->masked ? FLAG_MASK : 0u);
}

static inline zend_string *unmasked(const tusk_ws_head *head, const uint8_t *payload, size_t len)
{
    if (len == 0 || !head->masked) {
        return tusk_zstr_of(tusk_bytes_of(payload, len));
    }
    zend_string *text = zend_string_alloc(len, 0);
    tusk_mask_apply((uint8_t *)ZSTR_VAL(text), payload, len, head->key, 0);
    ZSTR_VAL(text)[len] = '\0';
    return text;
}

/* All of the frame is there. */
static bool decode_whole(zval *out, const tusk_ws_head *head, const uint8_t *payload,
                         size_t consumed)
{
    size_t len = (size_t)head->len;
    unsigned flags = flags_of(head);
    if (head->opcode == TUSK_WS_CLOSE) {
        uint8_t plain[TUSK_WS_CONTROL_MAX];
        if (head->masked) {
            tusk_mask_apply(plain, payload, len, head->key, 0);
            payload = plain;
        }
        return decode_close(out, tusk_bytes_of(payload, len), flags, consumed);
    }
    zend_string *text = unmasked(head, payload, len);
    zend_object *object = zend_objects_new(tusk_ce_frame);
    ZVAL_OBJ_COPY(OBJ_PROP_NUM(object, FRAME_TYPE), tusk_opcode_case(head->opcode));
    ZVAL_LONG(OBJ_PROP_NUM(object, FRAME_OPCODE), head->opcode);
    ZVAL_LONG(OBJ_PROP_NUM(object, FRAME_FLAGS), flags);
    ZVAL_STR(OBJ_PROP_NUM(object, FRAME_PAYLOAD), text);
    ZVAL_BOOL(OBJ_PROP_NUM(object, FRAME_FINAL), (head->flags & TUSK_WS_FIN) != 0);
    ZVAL_LONG(OBJ_PROP_NUM(object, FRAME_CONSUMED), (zend_long)consumed);
    ZVAL_OBJ(out, object);
    return true;
}

bool tusk_frame_decode(zval *out, tusk_bytes in, unsigned mode, uint64_t size_max, size_t *consumed)
{
    tusk_ws_head head;
    *consumed = 0;
    ZVAL_NULL(out);
    if (in.len == 0) {
        return true;
    }
    if ((mode & FRAME_RAW) == 0 && /* before the head: it stands in the first byte, however cut */
        (in.ptr[0] & (TUSK_WS_RSV1 | TUSK_WS_RSV2 | TUSK_WS_RSV3)) != 0) {
        zend_throw_error(NULL, "Invalid WebSocket frame: reserved bit set without an extension");
        return false;
    }
    ptrdiff_t size = tusk_ws_head_parse(&head, in);
    if (UNEXPECTED(size < 0)) {
        zend_throw_error(NULL, "Invalid WebSocket frame: %s", head_fault(in));
        return false;
    }
    if (size == 0) {
        return true;
    }
    if (UNEXPECTED(head.len > size_max)) {
        zend_throw_error(
            NULL, "Invalid WebSocket frame: %" PRIu64 " bytes are over the limit of %" PRIu64,
            head.len, size_max);
        return false;
    }
    if (in.len - (size_t)size < head.len) {
        return true;
    }
    *consumed = (size_t)size + (size_t)head.len;
    return decode_whole(out, &head, in.ptr + size, *consumed);
}

TUSK_METHOD(Tusk_WebSocket_Frame, __construct)
{
    zend_object *type;
    zend_string *payload;
    bool final = true;

    TUSK_PARSE_CONSTRUCTOR_START(2, 3)
    Z_PARAM_OBJ_OF_CLASS(type, tusk_ce_message_type)
    Z_PARAM_STR(payload)
    Z_PARAM_OPTIONAL
    Z_PARAM_BOOL(final)
    TUSK_PARSE_CONSTRUCTOR_END();

    zend_object *object = Z_OBJ_P(ZEND_THIS);
    unsigned opcode = tusk_case_opcode(type);
    if (Z_TYPE_P(OBJ_PROP_NUM(object, FRAME_OPCODE)) != IS_UNDEF) {
        zend_throw_error(NULL, "Cannot modify readonly property Tusk\\WebSocket\\Frame::$type");
        RETURN_THROWS();
    }
    if (opcode >= 8 && ZSTR_LEN(payload) > TUSK_WS_CONTROL_MAX) {
        zend_argument_value_error(2, "must be at most 125 bytes for a control frame, %zu given",
                                  ZSTR_LEN(payload));
        RETURN_THROWS();
    }
    if (opcode >= 8 && !final) {
        zend_argument_value_error(3, "must be true for a control frame");
        RETURN_THROWS();
    }
    ZVAL_OBJ_COPY(OBJ_PROP_NUM(object, FRAME_TYPE), type);
    ZVAL_LONG(OBJ_PROP_NUM(object, FRAME_OPCODE), opcode);
    ZVAL_LONG(OBJ_PROP_NUM(object, FRAME_FLAGS), final ? FLAG_FIN : 0);
    ZVAL_STR_COPY(OBJ_PROP_NUM(object, FRAME_PAYLOAD), payload);
    ZVAL_BOOL(OBJ_PROP_NUM(object, FRAME_FINAL), final);
    ZVAL_LONG(OBJ_PROP_NUM(object, FRAME_CONSUMED), 0);
}

TUSK_METHOD(Tusk_WebSocket_CloseFrame, __construct)
{
    zend_long code = TUSK_WS_CODE_NORMAL;
    zend_string *reason = ZSTR_EMPTY_ALLOC();

    TUSK_PARSE_CONSTRUCTOR_START(0, 2)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(code)
    Z_PARAM_STR(reason)
    TUSK_PARSE_CONSTRUCTOR_END();

    zend_object *object = Z_OBJ_P(ZEND_THIS);
    if (Z_TYPE_P(OBJ_PROP_NUM(object, CLOSE_CODE)) != IS_UNDEF) {
        zend_throw_error(NULL,
                         "Cannot modify readonly property Tusk\\WebSocket\\CloseFrame::$code");
        RETURN_THROWS();
    }
    if (!tusk_close_valid(1, code, reason)) {
        RETURN_THROWS();
    }
    ZVAL_LONG(OBJ_PROP_NUM(object, CLOSE_CODE), code);
    ZVAL_STR_COPY(OBJ_PROP_NUM(object, CLOSE_REASON), reason);
    ZVAL_LONG(OBJ_PROP_NUM(object, CLOSE_FLAGS), FLAG_FIN);
    ZVAL_LONG(OBJ_PROP_NUM(object, CLOSE_CONSUMED), 0);
}

void tusk_frame_view(zend_object *frame, unsigned *opcode, unsigned *flags, zend_string **payload)
{
    *opcode = (unsigned)Z_LVAL_P(OBJ_PROP_NUM(frame, FRAME_OPCODE));
    *flags = (unsigned)Z_LVAL_P(OBJ_PROP_NUM(frame, FRAME_FLAGS));
    *payload = Z_STR_P(OBJ_PROP_NUM(frame, FRAME_PAYLOAD));
}

size_t tusk_close_payload(zend_object *frame, uint8_t payload[TUSK_WS_CONTROL_MAX], unsigned *flags)
{
    zend_long code = Z_LVAL_P(OBJ_PROP_NUM(frame, CLOSE_CODE));
    zend_string *reason = Z_STR_P(OBJ_PROP_NUM(frame, CLOSE_REASON));
    *flags = (unsigned)Z_LVAL_P(OBJ_PROP_NUM(frame, CLOSE_FLAGS));
    if (code == TUSK_WS_CODE_NO_STATUS) {
        return 0;
    }
    payload[0] = (uint8_t)((unsigned)code >> 8);
    payload[1] = (uint8_t)((unsigned)code & 0xffu);
    memcpy(payload + 2, ZSTR_VAL(reason), ZSTR_LEN(reason));
    return 2 + ZSTR_LEN(reason);
}
