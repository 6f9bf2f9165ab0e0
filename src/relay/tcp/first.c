/* SPDX-License-Identifier: MIT */
/* First bytes, read as what they are. */
#include "relay/tcp/first.h"

#include "proto/mysql.h"

static void join_alpn(relay_first *self)
{
    size_t at = 0;
    tusk_bytes protocol;
    self->alpn_len = 0;
    while (tusk__tls_hello_next_alpn(&self->hello, &at, &protocol)) {
        if (self->alpn_len > 0) {
            self->alpn[self->alpn_len++] = ',';
        }
        memcpy(self->alpn + self->alpn_len, protocol.ptr, protocol.len);
        self->alpn_len += protocol.len; /* a comma instead of each length byte: it fits */
    }
}

static ptrdiff_t read_tls(relay_first *self, tusk_bytes in)
{
    ptrdiff_t got = tusk__tls_hello_parse(&self->hello, in);
    if (got > 0) {
        self->kind = FIRST_TLS;
        self->len = (size_t)got;
        join_alpn(self);
    }
    return got;
}

static ptrdiff_t read_postgres(relay_first *self, tusk_bytes in)
{
    ptrdiff_t got = tusk__pg_start_parse(&self->pg, in);
    if (got <= 0) {
        return got;
    }
    self->len = (size_t)got;
    switch (self->pg.kind) {
    case PG_DIRECT_TLS: return read_tls(self, in);
    case PG_SSL_REQUEST: self->kind = FIRST_PG_TLS; break;
    case PG_GSSENC_REQUEST: self->kind = FIRST_PG_GSS; break;
    case PG_CANCEL_REQUEST: self->kind = FIRST_PG_CANCEL; break;
    case PG_STARTUP: self->kind = FIRST_PG_STARTUP; break;
    }
    return got;
}

static ptrdiff_t read_raw(relay_first *self, tusk_bytes in)
{
    self->kind = FIRST_RAW;
    self->len = in.len;
    return (ptrdiff_t)in.len;
}

static ptrdiff_t read_any(relay_first *self, tusk_bytes in)
{
    ptrdiff_t got = read_tls(self, in);
    if (got == TUSK_ENOENT) {
        got = read_postgres(self, in);
    }
    return got == TUSK_ENOENT ? read_raw(self, in) : got;
}

ptrdiff_t relay_first_read(relay_first *self, tusk_relay_protocol protocol, tusk_bytes in)
{
    self->len = 0;
    if (in.len == 0) {
        return 0;
    }
    switch (protocol) {
    case TUSK_PROTOCOL_AUTO: return read_any(self, in);
    case TUSK_PROTOCOL_RAW:
    case TUSK_PROTOCOL_MYSQL: return read_raw(self, in);
    case TUSK_PROTOCOL_TLS: return read_tls(self, in);
    case TUSK_PROTOCOL_POSTGRES: return read_postgres(self, in);
    }
    return TUSK_EINVAL;
}

static void fill_if(tusk_bytes *field, tusk_bytes value)
{
    if (value.len > 0) {
        *field = value;
    }
}

void relay_first_fill(const relay_first *self, tusk_bytes in, tusk_relay_lookup *lookup)
{
    tusk_bytes *field = lookup->field;
    if (self->len == 0) {
        return;
    }
    field[TUSK_LOOKUP_FIRST] = in;
    if (self->kind == FIRST_TLS) {
        fill_if(&field[TUSK_LOOKUP_SERVER_NAME], tusk__tls_hello_name(&self->hello));
        fill_if(&field[TUSK_LOOKUP_ALPN], tusk_bytes_of(self->alpn, self->alpn_len));
    } else if (self->kind == FIRST_PG_STARTUP) {
        fill_if(&field[TUSK_LOOKUP_USER], self->pg.user);
        /* A startup packet without one means the database of the user's name. */
        fill_if(&field[TUSK_LOOKUP_DATABASE],
                self->pg.database.len > 0 ? self->pg.database : self->pg.user);
        fill_if(&field[TUSK_LOOKUP_APPLICATION], self->pg.application);
    }
}

/* ---- refusals ---- */
static const char *postgres_state(uint16_t status)
{
    switch (status) {
    case 403: return "28000"; /* invalid_authorization_specification */
    case 404: return "3D000"; /* invalid_catalog_name */
    case 400: return "08P01"; /* protocol_violation */
    case 503: return "57P03"; /* cannot_connect_now */
    case 429: return "53300"; /* too_many_connections */
    case 500: return "XX000"; /* internal_error */
    default: return "08006";  /* connection_failure */
    }
}

/* The server's own error codes, also for what a server without a proxy never says: its clients' own
 * (2000 and above) are refused by MariaDB's client as a malformed packet. */
static uint16_t mysql_code(uint16_t status, const char **state)
{
    static const struct {
        uint16_t status, code;
        const char *state;
    } known[] = {
        {400, 1043, "08S01"}, /* ER_HANDSHAKE_ERROR */
        {403, 1045, "28000"}, /* ER_ACCESS_DENIED_ERROR */
        {404, 1049, "42000"}, /* ER_BAD_DB_ERROR */
        {408, 1159, "08S01"}, /* ER_NET_READ_INTERRUPTED */
        {429, 1040, "08004"}, /* ER_CON_COUNT_ERROR */
        {502, 1429, "HY000"}, /* ER_CONNECT_TO_FOREIGN_DATA_SOURCE */
        {503, 1040, "08004"}, {504, 1429, "HY000"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].status == status) {
            *state = known[i].state;
            return known[i].code;
        }
    }
    *state = "HY000";
    return 1105; /* ER_UNKNOWN_ERROR */
}

tusk_err relay_say_refusal(tusk_buf *out, relay_tongue tongue, uint8_t sequence, uint16_t status,
                           tusk_bytes reason)
{
    const char *state;
    switch (tongue) {
    case TONGUE_NONE: return TUSK_OK;
    case TONGUE_POSTGRES: return tusk__pg_error_write(out, "FATAL", postgres_state(status), reason);
    case TONGUE_MYSQL: {
        uint16_t code = mysql_code(status, &state);
        return tusk__mysql_error_write(out, sequence, code, sequence == 0 ? NULL : state, reason);
    }
    }
    return TUSK_OK;
}
