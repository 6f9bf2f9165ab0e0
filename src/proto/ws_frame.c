/* SPDX-License-Identifier: MIT */
/* WebSocket frame heads and close payloads (RFC 6455, 5.2, 5.5.1 and 7.4). */
#include "proto/ws_frame.h"

#include "base/utf8.h"

ptrdiff_t tusk_ws_head_parse(tusk_ws_head *head, tusk_bytes in)
{
    return tusk__ws_head_parse(head, in.ptr, in.len);
}

size_t tusk_ws_head_encode(uint8_t *out, uint8_t flags, uint8_t opcode, uint64_t len,
                           const uint8_t *key)
{
    uint8_t mask_bit = key == NULL ? 0 : 0x80;
    size_t size = 2;
    out[0] = (uint8_t)(flags | opcode);
    if (len < 126) {
        out[1] = (uint8_t)(mask_bit | len);
    } else {
        size = len < 65536 ? 4 : 10;
        out[1] = (uint8_t)(mask_bit | (size == 4 ? 126 : 127));
        for (size_t i = size - 1; i >= 2; i--) {
            out[i] = (uint8_t)len;
            len >>= 8;
        }
    }
    if (key != NULL) {
        memcpy(out + size, key, 4);
        size += 4;
    }
    return size;
}

bool tusk_ws_code_valid(unsigned code)
{
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
           (code >= 3000 && code <= 4999);
}

tusk_err tusk_ws_close_parse(tusk_bytes payload, uint16_t *code, tusk_bytes *reason)
{
    *code = 0;
    *reason = tusk_bytes_of(payload.ptr, 0);
    if (payload.len == 0) {
        return TUSK_OK;
    }
    if (payload.len == 1 || payload.len > TUSK_WS_CONTROL_MAX) {
        return TUSK_EPROTO;
    }
    uint16_t value = (uint16_t)tusk__ws_big_endian(payload.ptr, 2);
    if (!tusk_ws_code_valid(value)) {
        return TUSK_EPROTO;
    }
    if (!tusk_utf8_valid(payload.ptr + 2, payload.len - 2)) {
        return TUSK_EUTF8;
    }
    *code = value;
    *reason = tusk_bytes_of(payload.ptr + 2, payload.len - 2);
    return TUSK_OK;
}

uint16_t tusk_ws_code_of(tusk_err err)
{
    switch (err) {
    case TUSK_OK: return TUSK_WS_CODE_NORMAL;
    case TUSK_EUTF8:
    case TUSK_EDEFLATE: return TUSK_WS_CODE_INVALID_PAYLOAD;
    case TUSK_ETOOBIG: return TUSK_WS_CODE_MESSAGE_TOO_BIG;
    case TUSK_ELIMIT:
    case TUSK_EPOLICY:
    case TUSK_ETIMEOUT: return TUSK_WS_CODE_POLICY_VIOLATION;
    case TUSK_EPROTO:
    case TUSK_EHEADERS:
    case TUSK_EURI:
    case TUSK_EVERSION:
    case TUSK_EMETHOD:
    case TUSK_ECODING:
    case TUSK_EEXPECT: return TUSK_WS_CODE_PROTOCOL_ERROR;
    case TUSK_ENOMEM:
    case TUSK_EINVAL:
    case TUSK_ESTATE:
    case TUSK_EAGAIN:
    case TUSK_ESYS:
    case TUSK_ENOTSUP:
    case TUSK_ENOENT:
    case TUSK_EADDRINUSE:
    case TUSK_EADDRNOTAVAIL:
    case TUSK_EEXHAUSTED:
    case TUSK_EACCES:
    case TUSK_EEOF:
    case TUSK_ERESET:
    case TUSK_ETLS:
    case TUSK_EREFUSED: return TUSK_WS_CODE_SERVER_ERROR;
    }
    return TUSK_WS_CODE_SERVER_ERROR;
}
