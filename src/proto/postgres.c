/* SPDX-License-Identifier: MIT */
/* PostgreSQL's first packets: read, written again, answered, watched. */
#include "proto/postgres.h"

#include "proto/wire.h"

enum { START_HEAD = 8, TLS_HANDSHAKE = 22, CANCEL_HEAD = START_HEAD + 4 };
enum { MAJOR_3 = 3, MAJOR_REQUEST = 1234 };
enum { REQUEST_CANCEL = 5678, REQUEST_SSL = 5679, REQUEST_GSSENC = 5680 };

const uint8_t tusk__pg_ssl_request[8] = {0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f};

/* ---- the frontend's first packet ---- */
bool tusk__pg_next_pair(tusk_bytes *rest, tusk_bytes *name, tusk_bytes *value)
{
    return tusk__take_text(rest, name) && tusk__take_text(rest, value);
}

/* Where a parameter that we read is kept; NULL: one that only passes. */
static tusk_bytes *place_of(tusk__pg_start *self, tusk_bytes name)
{
    const struct {
        tusk_bytes name;
        tusk_bytes *place;
    } known[] = {
        {tusk_bytes_str("user"), &self->user},
        {tusk_bytes_str("database"), &self->database},
        {tusk_bytes_str("application_name"), &self->application},
        {tusk_bytes_str("options"), &self->options},
        {tusk_bytes_str("replication"), &self->replication},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (tusk_bytes_eq(known[i].name, name)) {
            return known[i].place;
        }
    }
    return NULL;
}

static ptrdiff_t read_startup(tusk__pg_start *out, tusk_bytes packet)
{
    tusk_bytes body = tusk_bytes_of(packet.ptr + START_HEAD, packet.len - START_HEAD);
    if (body.len == 0 || body.ptr[body.len - 1] != 0) {
        return TUSK_EPROTO;
    }
    out->kind = PG_STARTUP;
    out->pairs = tusk_bytes_of(body.ptr, body.len - 1);
    tusk_bytes rest = out->pairs;
    while (rest.len > 0) {
        tusk_bytes name;
        tusk_bytes value;
        if (!tusk__pg_next_pair(&rest, &name, &value) || name.len == 0) {
            return TUSK_EPROTO;
        }
        tusk_bytes *place = place_of(out, name);
        if (place != NULL && place->ptr != NULL) {
            return TUSK_EPROTO; /* which of the two a backend takes is not ours to guess */
        }
        if (place != NULL) {
            *place = value;
        }
    }
    return out->user.len == 0 ? (ptrdiff_t)TUSK_EPROTO : (ptrdiff_t)packet.len;
}

/* The kinds of request that stand where a version does. */
static ptrdiff_t read_request(tusk__pg_start *out, uint32_t request, tusk_bytes packet)
{
    if (request == REQUEST_CANCEL) {
        out->kind = PG_CANCEL_REQUEST;
        out->process = tusk__be32(packet.ptr + START_HEAD);
        out->key = tusk_bytes_of(packet.ptr + CANCEL_HEAD, packet.len - CANCEL_HEAD);
    } else {
        out->kind = request == REQUEST_SSL ? PG_SSL_REQUEST : PG_GSSENC_REQUEST;
    }
    return (ptrdiff_t)packet.len;
}

/* Whether a packet of this length may have this code; TUSK_OK: it may. */
static tusk_err check_head(uint32_t len, uint32_t code)
{
    uint32_t major = code >> 16;
    uint32_t minor = code & 0xffff;
    if (major == MAJOR_3) {
        return TUSK_OK;
    }
    if (major != MAJOR_REQUEST) {
        return TUSK_EVERSION;
    }
    switch (minor) {
    case REQUEST_SSL:
    case REQUEST_GSSENC: return len == START_HEAD ? TUSK_OK : TUSK_EPROTO;
    case REQUEST_CANCEL:
        return len >= CANCEL_HEAD + PG_KEY_MIN && len <= CANCEL_HEAD + PG_KEY_MAX ? TUSK_OK
                                                                                  : TUSK_EPROTO;
    default: return TUSK_EVERSION;
    }
}

/* A length's first two bytes are zero, as no TLS and no text begins. */
ptrdiff_t tusk__pg_start_parse(tusk__pg_start *out, tusk_bytes in)
{
    memset(out, 0, sizeof(*out));
    if (in.len == 0) {
        return 0;
    }
    if (in.ptr[0] == TLS_HANDSHAKE) {
        out->kind = PG_DIRECT_TLS;
        return 1;
    }
    if (in.ptr[0] != 0 || (in.len > 1 && in.ptr[1] != 0)) {
        return TUSK_ENOENT;
    }
    if (in.len < 4) {
        return 0;
    }
    uint32_t len = tusk__be32(in.ptr);
    if (len < START_HEAD || len > PG_START_MAX) {
        return len < START_HEAD ? (ptrdiff_t)TUSK_ENOENT : (ptrdiff_t)TUSK_ETOOBIG;
    }
    if (in.len < START_HEAD) {
        return 0;
    }
    uint32_t code = tusk__be32(in.ptr + 4);
    tusk_err err = check_head(len, code);
    if (err != TUSK_OK || in.len < len) {
        return err;
    }
    out->minor = (uint16_t)code;
    tusk_bytes packet = tusk_bytes_of(in.ptr, len);
    return code >> 16 == MAJOR_3 ? read_startup(out, packet)
                                 : read_request(out, code & 0xffff, packet);
}

/* ---- what leaves ---- */
static tusk_err put_text(tusk_buf *out, tusk_bytes text)
{
    tusk_err err = text.len == 0 ? TUSK_OK : tusk_buf_append(out, text.ptr, text.len);
    return err == TUSK_OK ? tusk_buf_append(out, "", 1) : err;
}

static tusk_err put_pair(tusk_buf *out, tusk_bytes name, tusk_bytes value)
{
    tusk_err err = put_text(out, name);
    return err == TUSK_OK ? put_text(out, value) : err;
}

static bool may_replace(tusk_bytes value)
{
    return value.ptr == NULL || (value.len > 0 && memchr(value.ptr, 0, value.len) == NULL);
}

/* The parameters with the two replaced, each in its place; a database that was not there comes
 * last. */
static tusk_err put_pairs(tusk_buf *out, const tusk__pg_start *start, tusk_bytes user,
                          tusk_bytes database)
{
    tusk_bytes rest = start->pairs;
    tusk_bytes name;
    tusk_bytes value;
    tusk_err err = TUSK_OK;
    while (err == TUSK_OK && tusk__pg_next_pair(&rest, &name, &value)) {
        if (value.ptr == start->user.ptr) {
            value = user;
        } else if (value.ptr == start->database.ptr) {
            value = database;
        }
        err = put_pair(out, name, value);
    }
    if (err == TUSK_OK && start->database.ptr == NULL) {
        err = put_pair(out, tusk_bytes_str("database"), database);
    }
    return err == TUSK_OK ? tusk_buf_append(out, "", 1) : err;
}

/* Writes the length into the four bytes that were left for it at `at`. */
static tusk_err end_packet(tusk_buf *out, size_t from, size_t at)
{
    tusk__put_be32(out->ptr + out->start + at, (uint32_t)(out->len - from));
    return TUSK_OK;
}

/* Who is half written is taken back, so that `out` holds whole packets only. */
static tusk_err undo(tusk_buf *out, size_t len, tusk_err err)
{
    out->len = len;
    return err;
}

tusk_err tusk__pg_startup_write(tusk_buf *out, const tusk__pg_start *start, tusk_bytes user,
                                tusk_bytes database)
{
    size_t from = out->len;
    uint8_t head[START_HEAD] = {[5] = MAJOR_3};
    if (!may_replace(user) || !may_replace(database)) {
        return TUSK_EINVAL;
    }
    if (database.ptr == NULL) {
        database = start->database.len > 0 ? start->database : start->user;
    }
    tusk__put_be16(head + 6, start->minor);
    tusk_err err = tusk_buf_append(out, head, sizeof(head));
    if (err == TUSK_OK) {
        err = put_pairs(out, start, user.ptr == NULL ? start->user : user, database);
    }
    if (err == TUSK_OK && out->len - from > PG_START_MAX) {
        err = TUSK_ETOOBIG;
    }
    return err == TUSK_OK ? end_packet(out, from, from) : undo(out, from, err);
}

tusk_err tusk__pg_error_write(tusk_buf *out, const char *severity, const char *sqlstate,
                              tusk_bytes message)
{
    size_t from = out->len;
    const uint8_t *nul =
        message.len == 0 ? NULL : (const uint8_t *)memchr(message.ptr, 0, message.len);
    message.len = nul == NULL ? message.len : (size_t)(nul - message.ptr);
    const struct {
        char type;
        tusk_bytes value;
    } fields[] = {{'S', tusk_bytes_str(severity)},
                  {'V', tusk_bytes_str(severity)}, /* the same, never translated */
                  {'C', tusk_bytes_str(sqlstate)},
                  {'M', message}};
    tusk_err err = tusk_buf_append(out, "E\0\0\0", 5);
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) && err == TUSK_OK; i++) {
        err = tusk_buf_append(out, &fields[i].type, 1);
        if (err == TUSK_OK) {
            err = put_text(out, fields[i].value);
        }
    }
    if (err == TUSK_OK) {
        err = tusk_buf_append(out, "", 1);
    }
    return err == TUSK_OK ? end_packet(out, from + 1, from + 1) : undo(out, from, err);
}

/* ---- the backend's start ---- */
/* A key comes once, after authentication; so what `body` holds of one is never overwritten. */
static bool may_come(const tusk__pg_watch *self, size_t len)
{
    switch (self->head[0]) {
    case 'R': return !self->authenticated && len >= 4;
    case 'K':
        return self->authenticated && self->key_len == 0 && len >= 4 + PG_KEY_MIN &&
               len <= 4 + PG_KEY_MAX;
    case 'Z': return self->authenticated && len == 1;
    default: return memchr("SNEv", self->head[0], 4) != NULL;
    }
}

static tusk_err begin_message(tusk__pg_watch *self)
{
    uint32_t len = tusk__be32(self->head + 1);
    if (len < 4 || !may_come(self, len - 4)) {
        return TUSK_EPROTO;
    }
    self->left = len - 4;
    self->kept = 0;
    return self->left > PG_MESSAGE_MAX ? TUSK_ETOOBIG : TUSK_OK;
}

static void end_message(tusk__pg_watch *self)
{
    switch (self->head[0]) {
    case 'R': self->authenticated = tusk__be32(self->body) == 0; break;
    case 'K':
        self->process = tusk__be32(self->body);
        self->key_len = (uint16_t)(self->kept - 4);
        break;
    case 'Z': self->ready = true; break;
    case 'E': self->failed = true; break;
    default: break;
    }
    self->head_len = 0;
}

/* What is read of a body: all of a key, the code of an authentication message. */
static void keep(tusk__pg_watch *self, tusk_bytes in)
{
    size_t wanted = self->head[0] == 'K' ? 4 + PG_KEY_MAX : self->head[0] == 'R' ? 4 : 0;
    size_t len = wanted > self->kept ? wanted - self->kept : 0;
    len = len < in.len ? len : in.len;
    if (len > 0) {
        memcpy(self->body + self->kept, in.ptr, len);
        self->kept += (uint32_t)len;
    }
}

ptrdiff_t tusk__pg_watch_bytes(tusk__pg_watch *self, tusk_bytes in)
{
    size_t at = 0;
    while (at < in.len && !self->ready && !self->failed) {
        if (self->head_len < sizeof(self->head)) {
            self->head[self->head_len++] = in.ptr[at++];
            if (self->head_len < sizeof(self->head)) {
                continue;
            }
            tusk_err err = begin_message(self);
            if (err != TUSK_OK) {
                return err;
            }
        }
        size_t here = in.len - at < self->left ? in.len - at : self->left;
        keep(self, tusk_bytes_of(in.ptr + at, here));
        at += here;
        self->left -= (uint32_t)here;
        if (self->left == 0) {
            end_message(self);
        }
    }
    return (ptrdiff_t)at;
}
