/* SPDX-License-Identifier: MIT */
/* First bytes, read as what they are. */
#include "relay/first.h"

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

static uint16_t mysql_code(uint16_t status, const char **state)
{
    *state = status == 503 || status == 429 ? "08004"
             : status == 403                ? "28000"
             : status == 404                ? "42000"
                                            : "HY000";
    return status == 503 || status == 429 ? 1040
           : status == 403                ? 1045
           : status == 404                ? 1049
                                          : 1105;
}

tusk_err relay_say_refusal(tusk_buf *out, relay_tongue tongue, uint16_t status, tusk_bytes reason)
{
    const char *state;
    switch (tongue) {
    case TONGUE_NONE: return TUSK_OK;
    case TONGUE_POSTGRES: return tusk__pg_error_write(out, "FATAL", postgres_state(status), reason);
    case TONGUE_MYSQL: {
        uint16_t code = mysql_code(status, &state);
        return tusk__mysql_error_write(out, 0, code, state, reason);
    }
    }
    return TUSK_OK;
}
