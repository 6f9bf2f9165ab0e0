/* SPDX-License-Identifier: MIT */
/* MySQL's connection phase: packets, greeting, answer, what follows, refusal. */
#include "proto/mysql.h"

#include "proto/wire.h"

enum { PROTOCOL_10 = 10, PACKET_OK = 0x00, PACKET_SWITCH = 0xfe, PACKET_ERR = 0xff };
enum { SALT_FIRST = 8, SALT_SECOND = MYSQL_SALT_LEN - SALT_FIRST, RESERVED_LEN = 10 };
enum { SSL_REQUEST_LEN = 32, SQLSTATE_LEN = 5, AUTH_SHORT_MAX = 250 };
enum { LENENC_16 = 0xfc, LENENC_24 = 0xfd, LENENC_64 = 0xfe, LENENC_NULL = 0xfb };

/* ---- packets ---- */
ptrdiff_t tusk__mysql_packet_parse(tusk__mysql_packet *out, tusk_bytes in, uint32_t max)
{
    tusk_bytes rest = in;
    uint32_t len;
    if (!tusk__take_uint_le(&rest, 3, &len)) {
        return 0;
    }
    if (len == 0 || len > max) {
        return len == 0 ? (ptrdiff_t)TUSK_EPROTO : (ptrdiff_t)TUSK_ETOOBIG;
    }
    if (in.len < MYSQL_HEAD + len) {
        return 0;
    }
    out->sequence = in.ptr[3];
    out->payload = tusk_bytes_of(in.ptr + MYSQL_HEAD, len);
    return MYSQL_HEAD + (ptrdiff_t)len;
}

tusk_err tusk__mysql_packet_head(tusk_buf *out, uint32_t len, uint8_t sequence)
{
    uint8_t head[MYSQL_HEAD];
    tusk__put_le24(head, len);
    head[3] = sequence;
    return tusk_buf_append(out, head, sizeof(head));
}

/* A packet under way: the first error stays, and what was written goes again with it. */
typedef struct writing {
    tusk_buf *out;
    size_t from;
    tusk_err err;
} writing;

static writing begin(tusk_buf *out, uint8_t sequence)
{
    writing self = {.out = out, .from = out->len};
    self.err = tusk__mysql_packet_head(out, 0, sequence);
    return self;
}

static void put(writing *self, const void *ptr, size_t len)
{
    if (self->err == TUSK_OK && len > 0) {
        self->err = tusk_buf_append(self->out, ptr, len);
    }
}

static void put_uint(writing *self, size_t width, uint32_t value)
{
    uint8_t bytes[4];
    tusk__put_le32(bytes, value);
    put(self, bytes, width);
}

static void put_bytes(writing *self, tusk_bytes bytes)
{
    put(self, bytes.ptr, bytes.len);
}

static void put_text(writing *self, tusk_bytes text)
{
    if (text.len > 0 && memchr(text.ptr, 0, text.len) != NULL) {
        self->err = self->err == TUSK_OK ? TUSK_EINVAL : self->err;
    }
    put_bytes(self, text);
    put(self, "", 1);
}

/* A length as MySQL packs it; 64 KiB at most here. */
static void put_lenenc(writing *self, size_t len)
{
    if (len > AUTH_SHORT_MAX) {
        put_uint(self, 1, len <= UINT16_MAX ? LENENC_16 : LENENC_24);
    }
    put_uint(self, len <= AUTH_SHORT_MAX ? 1 : len <= UINT16_MAX ? 2 : 3, (uint32_t)len);
}

static tusk_err end(writing *self, uint32_t max)
{
    size_t len = self->out->len - self->from;
    if (self->err == TUSK_OK && len - MYSQL_HEAD > max) {
        self->err = TUSK_ETOOBIG;
    }
    if (self->err != TUSK_OK) {
        self->out->len = self->from;
        return self->err;
    }
    tusk__put_le24(self->out->ptr + self->out->start + self->from, (uint32_t)(len - MYSQL_HEAD));
    return TUSK_OK;
}

/* ---- the greeting ---- */
static ptrdiff_t read_error(tusk__mysql_greeting *out, tusk_bytes body, ptrdiff_t used)
{
    uint32_t code;
    if (!tusk__take_uint_le(&body, 2, &code)) {
        return TUSK_EPROTO;
    }
    if (body.len > SQLSTATE_LEN && body.ptr[0] == '#') {
        (void)tusk__skip_bytes(&body, 1 + SQLSTATE_LEN);
    }
    out->is_error = true;
    out->error = (uint16_t)code;
    out->text = body;
    return used;
}

/* The salt's second part, behind the fields that came with 4.1, and the plugin's name. */
static bool read_second_part(tusk__mysql_greeting *out, tusk_bytes *body, uint32_t salt_len)
{
    tusk_bytes salt;
    uint32_t len = salt_len > MYSQL_SALT_LEN + 1 ? salt_len - SALT_FIRST : SALT_SECOND + 1;
    if ((out->caps & MYSQL_CLIENT_SECURE_CONNECTION) != 0) {
        if (!tusk__take_bytes(body, len, &salt) || len > SALT_SECOND + 1) {
            return false;
        }
        memcpy(out->salt + SALT_FIRST, salt.ptr, SALT_SECOND);
        out->salt_len = MYSQL_SALT_LEN;
    }
    if ((out->caps & MYSQL_CLIENT_PLUGIN_AUTH) == 0) {
        return true;
    }
    if (!tusk__take_text(body, &out->plugin)) {
        out->plugin = *body; /* some versions forget the NUL */
    }
    return true;
}

static tusk_err read_greeting(tusk__mysql_greeting *out, tusk_bytes body)
{
    tusk_bytes salt;
    uint32_t low;
    uint32_t high;
    uint32_t charset;
    uint32_t status;
    uint32_t salt_len;
    if (!tusk__take_text(&body, &out->version) || !tusk__take_uint_le(&body, 4, &out->connection) ||
        !tusk__take_bytes(&body, SALT_FIRST, &salt) || !tusk__skip_bytes(&body, 1) ||
        !tusk__take_uint_le(&body, 2, &low)) {
        return TUSK_EPROTO;
    }
    if ((low & MYSQL_CLIENT_PROTOCOL_41) == 0) {
        return TUSK_EVERSION;
    }
    if (!tusk__take_uint_le(&body, 1, &charset) || !tusk__take_uint_le(&body, 2, &status) ||
        !tusk__take_uint_le(&body, 2, &high) || !tusk__take_uint_le(&body, 1, &salt_len) ||
        !tusk__skip_bytes(&body, RESERVED_LEN)) {
        return TUSK_EPROTO;
    }
    memcpy(out->salt, salt.ptr, SALT_FIRST);
    out->salt_len = SALT_FIRST;
    out->charset = (uint8_t)charset;
    out->status = (uint16_t)status;
    out->caps = low | high << 16;
    return read_second_part(out, &body, salt_len) ? TUSK_OK : TUSK_EPROTO;
}

ptrdiff_t tusk__mysql_greeting_parse(tusk__mysql_greeting *out, tusk_bytes in)
{
    tusk__mysql_packet packet;
    memset(out, 0, sizeof(*out));
    ptrdiff_t used = tusk__mysql_packet_parse(&packet, in, MYSQL_GREETING_MAX);
    if (used <= 0) {
        return used;
    }
    tusk_bytes body = tusk_bytes_of(packet.payload.ptr + 1, packet.payload.len - 1);
    if (packet.payload.ptr[0] == PACKET_ERR) {
        return read_error(out, body, used);
    }
    if (packet.payload.ptr[0] != PROTOCOL_10) {
        return TUSK_EVERSION;
    }
    tusk_err err = read_greeting(out, body);
    return err == TUSK_OK ? used : (ptrdiff_t)err;
}

tusk_err tusk__mysql_greeting_write(tusk_buf *out, const tusk__mysql_greeting *self)
{
    static const uint8_t reserved[RESERVED_LEN];
    if (memchr(self->salt, 0, MYSQL_SALT_LEN) != NULL) {
        return TUSK_EINVAL; /* clients read it as text */
    }
    uint32_t caps = self->caps | MYSQL_CLIENT_PROTOCOL_41 | MYSQL_CLIENT_SECURE_CONNECTION |
                    MYSQL_CLIENT_PLUGIN_AUTH;
    writing packet = begin(out, 0);
    put_uint(&packet, 1, PROTOCOL_10);
    put_text(&packet, self->version);
    put_uint(&packet, 4, self->connection);
    put(&packet, self->salt, SALT_FIRST);
    put_uint(&packet, 1, 0);
    put_uint(&packet, 2, caps);
    put_uint(&packet, 1, self->charset);
    put_uint(&packet, 2, self->status);
    put_uint(&packet, 2, caps >> 16);
    put_uint(&packet, 1, MYSQL_SALT_LEN + 1);
    put(&packet, reserved, sizeof(reserved));
    put(&packet, self->salt + SALT_FIRST, SALT_SECOND);
    put_uint(&packet, 1, 0);
    put_text(&packet, self->plugin);
    return end(&packet, MYSQL_GREETING_MAX);
}

/* ---- the client's answer ---- */
/* False: not there, or NULL, which no length is. */
static bool take_lenenc(tusk_bytes *rest, size_t *out)
{
    uint32_t first;
    uint32_t value;
    uint32_t high = 0;
    if (!tusk__take_uint_le(rest, 1, &first) || first == LENENC_NULL || first > LENENC_64) {
        return false;
    }
    if (first < LENENC_NULL) {
        *out = first;
        return true;
    }
    size_t width = first == LENENC_16 ? 2 : first == LENENC_24 ? 3 : 4;
    bool fine = tusk__take_uint_le(rest, width, &value) &&
                (first != LENENC_64 || tusk__take_uint_le(rest, 4, &high));
    *out = fine ? value : 0;
    return fine && high == 0;
}

static bool take_lenenc_bytes(tusk_bytes *rest, tusk_bytes *out)
{
    size_t len;
    return take_lenenc(rest, &len) && tusk__take_bytes(rest, len, out);
}

static bool read_attributes(tusk__mysql_response *out, tusk_bytes *body)
{
    if (!take_lenenc_bytes(body, &out->attributes)) {
        return false;
    }
    tusk_bytes rest = out->attributes;
    while (rest.len > 0) {
        tusk_bytes name;
        tusk_bytes value;
        if (!take_lenenc_bytes(&rest, &name) || !take_lenenc_bytes(&rest, &value)) {
            return false;
        }
        if (tusk_bytes_eq(name, tusk_bytes_str("program_name"))) {
            out->program = value;
        }
    }
    return true;
}

static bool read_auth(tusk__mysql_response *out, tusk_bytes *body)
{
    if ((out->caps & MYSQL_CLIENT_LENENC_AUTH) != 0) {
        return take_lenenc_bytes(body, &out->auth);
    }
    uint32_t len;
    if ((out->caps & MYSQL_CLIENT_SECURE_CONNECTION) != 0) {
        return tusk__take_uint_le(body, 1, &len) && tusk__take_bytes(body, len, &out->auth);
    }
    return tusk__take_text(body, &out->auth);
}

/* Text that ends with a NUL or, as some clients write their last field, with the packet. */
static bool take_last_text(tusk_bytes *rest, tusk_bytes *out)
{
    if (!tusk__take_text(rest, out)) {
        *out = *rest;
        rest->len = 0;
    }
    return true;
}

static bool read_fields(tusk__mysql_response *out, tusk_bytes body)
{
    uint32_t level = 0;
    bool fine = tusk__take_text(&body, &out->user) && read_auth(out, &body);
    if (fine && (out->caps & MYSQL_CLIENT_CONNECT_WITH_DB) != 0) {
        fine = take_last_text(&body, &out->database);
    }
    if (fine && (out->caps & MYSQL_CLIENT_PLUGIN_AUTH) != 0) {
        fine = take_last_text(&body, &out->plugin);
    }
    if (fine && (out->caps & MYSQL_CLIENT_CONNECT_ATTRS) != 0) {
        fine = read_attributes(out, &body);
    }
    if (fine && (out->caps & MYSQL_CLIENT_ZSTD) != 0) {
        fine = tusk__take_uint_le(&body, 1, &level);
    }
    out->zstd_level = (uint8_t)level;
    return fine;
}

static tusk_err read_response(tusk__mysql_response *out, tusk_bytes body)
{
    tusk_bytes reserved;
    uint32_t charset;
    if (!tusk__take_uint_le(&body, 2, &out->caps)) {
        return TUSK_EPROTO;
    }
    if ((out->caps & MYSQL_CLIENT_PROTOCOL_41) == 0) {
        return TUSK_EVERSION;
    }
    uint32_t high;
    if (!tusk__take_uint_le(&body, 2, &high) || !tusk__take_uint_le(&body, 4, &out->packet_max) ||
        !tusk__take_uint_le(&body, 1, &charset) ||
        !tusk__take_bytes(&body, sizeof(out->reserved), &reserved)) {
        return TUSK_EPROTO;
    }
    out->caps |= high << 16;
    out->charset = (uint8_t)charset;
    memcpy(out->reserved, reserved.ptr, sizeof(out->reserved));
    out->wants_tls = body.len == 0 && (out->caps & MYSQL_CLIENT_SSL) != 0;
    return out->wants_tls || read_fields(out, body) ? TUSK_OK : TUSK_EPROTO;
}

ptrdiff_t tusk__mysql_response_parse(tusk__mysql_response *out, tusk_bytes in)
{
    tusk__mysql_packet packet;
    memset(out, 0, sizeof(*out));
    ptrdiff_t used = tusk__mysql_packet_parse(&packet, in, MYSQL_RESPONSE_MAX);
    if (used <= 0) {
        return used;
    }
    out->sequence = packet.sequence;
    tusk_err err = read_response(out, packet.payload);
    return err == TUSK_OK ? used : (ptrdiff_t)err;
}

/* The bits that say which fields follow, as the fields are. */
static uint32_t caps_of(const tusk__mysql_response *self)
{
    uint32_t caps = self->caps & ~(MYSQL_CLIENT_CONNECT_WITH_DB | MYSQL_CLIENT_PLUGIN_AUTH |
                                   MYSQL_CLIENT_CONNECT_ATTRS);
    caps |= MYSQL_CLIENT_PROTOCOL_41 | MYSQL_CLIENT_SECURE_CONNECTION;
    caps |= self->database.len > 0 ? MYSQL_CLIENT_CONNECT_WITH_DB : 0;
    caps |= self->plugin.len > 0 ? MYSQL_CLIENT_PLUGIN_AUTH : 0;
    caps |= self->attributes.len > 0 ? MYSQL_CLIENT_CONNECT_ATTRS : 0;
    return self->wants_tls ? caps | MYSQL_CLIENT_SSL : caps;
}

static void put_fields(writing *packet, const tusk__mysql_response *self, uint32_t caps)
{
    put_text(packet, self->user);
    if ((caps & MYSQL_CLIENT_LENENC_AUTH) != 0) {
        put_lenenc(packet, self->auth.len);
    } else {
        put_uint(packet, 1, (uint32_t)self->auth.len);
        packet->err =
            packet->err == TUSK_OK && self->auth.len > UINT8_MAX ? TUSK_EINVAL : packet->err;
    }
    put_bytes(packet, self->auth);
    if (self->database.len > 0) {
        put_text(packet, self->database);
    }
    if (self->plugin.len > 0) {
        put_text(packet, self->plugin);
    }
    if (self->attributes.len > 0) {
        put_lenenc(packet, self->attributes.len);
        put_bytes(packet, self->attributes);
    }
    if ((caps & MYSQL_CLIENT_ZSTD) != 0) {
        put_uint(packet, 1, self->zstd_level);
    }
}

tusk_err tusk__mysql_response_write(tusk_buf *out, const tusk__mysql_response *self)
{
    uint32_t caps = caps_of(self);
    writing packet = begin(out, self->sequence);
    put_uint(&packet, 4, caps);
    put_uint(&packet, 4, self->packet_max);
    put_uint(&packet, 1, self->charset);
    put(&packet, self->reserved, sizeof(self->reserved));
    if (!self->wants_tls) {
        put_fields(&packet, self, caps);
    }
    return end(&packet, MYSQL_RESPONSE_MAX);
}

/* ---- what passes until OK or ERR ---- */
ptrdiff_t tusk__mysql_auth_parse(tusk__mysql_packet *out, tusk_bytes in)
{
    static const uint8_t empty[MYSQL_HEAD - 1];
    if (in.len < MYSQL_HEAD) {
        return 0;
    }
    if (memcmp(in.ptr, empty, sizeof(empty)) == 0) {
        out->sequence = in.ptr[3];
        out->payload = tusk_bytes_of(in.ptr + MYSQL_HEAD, 0);
        return MYSQL_HEAD;
    }
    return tusk__mysql_packet_parse(out, in, MYSQL_AUTH_MAX);
}

tusk__mysql_verdict tusk__mysql_verdict_of(tusk_bytes payload)
{
    if (payload.len == 0) {
        return MYSQL_MORE;
    }
    switch (payload.ptr[0]) {
    case PACKET_OK: return MYSQL_OK;
    case PACKET_ERR: return MYSQL_ERR;
    case PACKET_SWITCH: return payload.len == 1 ? MYSQL_SWITCH_OLD : MYSQL_SWITCH;
    default: return MYSQL_MORE;
    }
}

tusk_bytes tusk__mysql_switch_plugin(tusk_bytes payload)
{
    tusk_bytes rest = tusk_bytes_of(payload.ptr + 1, payload.len - 1);
    tusk_bytes name;
    return tusk__take_text(&rest, &name) ? name : rest;
}

/* ---- refusing ---- */
tusk_err tusk__mysql_error_write(tusk_buf *out, uint8_t sequence, uint16_t code,
                                 const char *sqlstate, tusk_bytes text)
{
    size_t len = text.len < MYSQL_TEXT_MAX ? text.len : MYSQL_TEXT_MAX;
    const uint8_t *nul = len == 0 ? NULL : (const uint8_t *)memchr(text.ptr, 0, len);
    writing packet = begin(out, sequence);
    put_uint(&packet, 1, PACKET_ERR);
    put_uint(&packet, 2, code);
    if (sqlstate != NULL) {
        put_uint(&packet, 1, '#');
        put(&packet, sqlstate, SQLSTATE_LEN);
    }
    put(&packet, text.ptr, nul == NULL ? len : (size_t)(nul - text.ptr));
    return end(&packet, MYSQL_GREETING_MAX);
}
