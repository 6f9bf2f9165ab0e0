/* SPDX-License-Identifier: MIT */
/* What an SMTP client sends: commands in order, messages and chunks as they are. */
#include "net/tls.h"
#include "relay/smtp/session.h"

static bool waits(const relay_smtp *self)
{
    switch (self->state) {
    case SMTP_STATE_FRESH: return false;
    case SMTP_STATE_HEAD:
    case SMTP_STATE_ROUTE:
    case SMTP_STATE_PREPARE:
    case SMTP_STATE_LAST: return true;
    case SMTP_STATE_RELAY: break;
    }
    switch (self->mode) {
    case SMTP_MODE_WAIT:
    case SMTP_MODE_DATA:
    case SMTP_MODE_AUTH:
    case SMTP_MODE_QUIT: return true;
    case SMTP_MODE_COMMANDS:
    case SMTP_MODE_AUTH_LINE:
    case SMTP_MODE_MESSAGE:
    case SMTP_MODE_CHUNK: return false;
    }
    return false;
}

/* Bytes for the backend; the client stops being read while they wait for it. */
static void pass(relay_smtp *self, tusk_bytes bytes)
{
    tusk_conn *backend = &self->backend->conn;
    tusk_err err = tusk_conn_append(backend, bytes.ptr, bytes.len);
    self->bytes_up += bytes.len;
    if (err != TUSK_OK) {
        relay_smtp_lost(self, TUSK_ERESET, "the mail server cannot be reached", "backend reset");
    } else if (backend->send_bytes > relay_smtp_relay(self)->limits.pending_bytes) {
        tusk_conn_pause(&self->client);
    }
}

/* ---- what is answered here ---- */
static void say_error(relay_smtp *self, unsigned code, const char *status, const char *text)
{
    if (++self->errors > SMTP_ERRORS_MAX) {
        relay_smtp_relay(self)->stats.protocol_errors++;
        relay_smtp_leave(self, 421, "4.7.0", "too many errors", "too many errors");
        return;
    }
    relay_smtp_say(self, code, status, text);
}

static bool may_secure(const relay_smtp *self)
{
    return self->session.door->options.tls != NULL && self->client.filter == NULL &&
           self->session.door->options.downstream_tls != TUSK_TLS_DISABLE;
}

static void start_tls(relay_smtp *self)
{
    tusk_filter *filter;
    if (!may_secure(self)) {
        say_error(self, 502, "5.5.1", "TLS is not available");
        return;
    }
    if (tusk_conn_in(&self->client).len > 0) { /* sent in the clear, meant to be read as secure */
        relay_smtp_relay(self)->stats.protocol_errors++;
        relay_smtp_leave(self, 421, "4.7.0", "nothing may follow STARTTLS before its answer",
                         "bytes behind STARTTLS");
        return;
    }
    if (tusk_tls_filter_new_speaking(&filter, self->session.door->options.tls, NULL, "") !=
        TUSK_OK) {
        say_error(self, 454, "4.7.0", "TLS is not available now");
        return;
    }
    relay_smtp_say(self, 220, "2.0.0", "ready");
    tusk_err err = tusk_conn_secure(&self->client, filter);
    if (err != TUSK_OK) {
        tusk_tls_filter_free(filter);
        tusk_conn_abort(&self->client, err);
        return;
    }
    self->state = SMTP_STATE_FRESH;
    self->in_mail = false;
    relay_smtp_await(self);
}

/* After STARTTLS more is known of it, and some answer depended on that. */
static bool says_more(const relay_smtp *self)
{
    uint8_t room[RELAY_SERVER_NAME_MAX];
    uint8_t fingerprint[RELAY_FINGERPRINT_LEN];
    uint32_t fields = relay_fields_known(&relay_smtp_relay(self)->routes);
    if ((fields & 1u << TUSK_LOOKUP_SERVER_NAME) != 0 && !self->named &&
        relay_server_name(&self->client, room).ptr != NULL) {
        return true;
    }
    return (fields & 1u << TUSK_LOOKUP_CERTIFICATE) != 0 && !self->certified &&
           relay_fingerprint(self->client.filter, fingerprint).ptr != NULL;
}

/* The same name on the same connection is the same backend; another one is another route. */
static void hello(relay_smtp *self, const tusk__smtp_command *command)
{
    char domain[SMTP_DOMAIN_MAX];
    size_t len = tusk__smtp_domain(domain, command->argument);
    if (len == 0) {
        say_error(self, 501, "5.5.4", "a host name or an address is wanted");
        return;
    }
    bool same = len == self->domain_len && memcmp(domain, self->domain, len) == 0;
    self->verb = command->verb;
    self->in_mail = false;
    if (self->backend != NULL && same && !says_more(self)) {
        relay_smtp_prepare(self);
        return;
    }
    memcpy(self->domain, domain, len);
    self->domain_len = (uint8_t)len;
    relay_smtp_drop(self, true);
    relay_smtp_route(self);
}

/* A chunk that goes nowhere has to be read all the same. */
static void discard_chunk(relay_smtp *self, const tusk__smtp_command *command)
{
    self->chunk = command->chunk;
    self->discard = true;
    self->mode = command->chunk > 0 ? SMTP_MODE_CHUNK : SMTP_MODE_COMMANDS;
}

static void answer_here(relay_smtp *self, const tusk__smtp_command *command)
{
    switch (command->verb) {
    case SMTP_EHLO:
    case SMTP_HELO: hello(self, command); break;
    /* It answers a message once for each recipient: that would be told of the wrong commands. */
    case SMTP_LHLO: say_error(self, 500, "5.5.1", "LMTP is not spoken here"); break;
    case SMTP_STARTTLS: start_tls(self); break;
    case SMTP_NOOP:
    case SMTP_RSET: relay_smtp_say(self, 250, "2.0.0", "ok"); break;
    case SMTP_HELP: relay_smtp_say(self, 214, "2.0.0", "EHLO HELO MAIL RCPT DATA QUIT"); break;
    case SMTP_QUIT: relay_smtp_leave(self, 221, "2.0.0", "bye", "done"); break;
    case SMTP_XCLIENT:
    case SMTP_XFORWARD: say_error(self, 550, "5.7.0", "not for clients"); break;
    case SMTP_BDAT:
        discard_chunk(self, command);
        say_error(self, 503, "5.5.1", "EHLO first, and only where CHUNKING is offered");
        break;
    case SMTP_MAIL:
    case SMTP_RCPT:
    case SMTP_DATA:
    case SMTP_VRFY:
    case SMTP_AUTH: say_error(self, 503, "5.5.1", "EHLO first"); break;
    case SMTP_OTHER: say_error(self, 500, "5.5.2", "unknown command"); break;
    }
}

/* ---- what goes on ---- */
/* Commands that are answered here: they wait until all before them are answered. */
static bool is_ours(const relay_smtp *self, const tusk__smtp_command *command)
{
    switch (command->verb) {
    case SMTP_EHLO:
    case SMTP_HELO:
    case SMTP_LHLO:
    case SMTP_STARTTLS:
    case SMTP_XCLIENT:
    case SMTP_XFORWARD: return true;
    case SMTP_BDAT: return (self->backend->extensions & SMTP_EXT_CHUNKING) == 0;
    case SMTP_MAIL:
    case SMTP_RCPT:
    case SMTP_DATA:
    case SMTP_RSET:
    case SMTP_NOOP:
    case SMTP_QUIT:
    case SMTP_VRFY:
    case SMTP_HELP:
    case SMTP_AUTH:
    case SMTP_OTHER: return false;
    }
    return false;
}

static bool wants_tls(const relay_smtp *self, tusk__smtp_verb verb)
{
    bool free = verb == SMTP_EHLO || verb == SMTP_HELO || verb == SMTP_LHLO || verb == SMTP_NOOP ||
                verb == SMTP_RSET || verb == SMTP_QUIT || verb == SMTP_HELP ||
                verb == SMTP_STARTTLS;
    return !free && may_secure(self) &&
           self->session.door->options.downstream_tls == TUSK_TLS_REQUIRE;
}

static relay_smtp_mode mode_after(const tusk__smtp_command *command)
{
    switch (command->verb) {
    case SMTP_DATA: return SMTP_MODE_DATA;
    case SMTP_AUTH: return SMTP_MODE_AUTH;
    case SMTP_QUIT: return SMTP_MODE_QUIT;
    case SMTP_BDAT: return command->chunk > 0 ? SMTP_MODE_CHUNK : SMTP_MODE_COMMANDS;
    case SMTP_OTHER: return SMTP_MODE_WAIT; /* what it does to the dialogue is not known */
    case SMTP_EHLO:
    case SMTP_HELO:
    case SMTP_LHLO:
    case SMTP_MAIL:
    case SMTP_RCPT:
    case SMTP_RSET:
    case SMTP_NOOP:
    case SMTP_VRFY:
    case SMTP_HELP:
    case SMTP_STARTTLS:
    case SMTP_XCLIENT:
    case SMTP_XFORWARD: return SMTP_MODE_COMMANDS;
    }
    return SMTP_MODE_WAIT;
}

/* Its reply is the last one that is owed so far. */
static void end_mail(relay_smtp *self)
{
    self->ends = self->owed;
    self->in_mail = false;
}

static void go_on(relay_smtp *self, const tusk__smtp_command *command, tusk_bytes line)
{
    self->owed++;
    self->mode = mode_after(command);
    self->discard = false;
    self->chunk = command->chunk;
    self->in_mail = command->verb == SMTP_MAIL || (self->in_mail && command->verb != SMTP_RSET);
    if (command->verb == SMTP_BDAT && command->last) {
        end_mail(self);
    }
    pass(self, line);
}

/* Behind a chunk of unknown size nothing can be told apart: that ends the session, too. */
static void refuse_line(relay_smtp *self, ptrdiff_t err, tusk__smtp_verb verb)
{
    static const char end[] = "protocol error";
    relay_smtp_relay(self)->stats.protocol_errors++;
    if (err == TUSK_ETOOBIG) {
        relay_smtp_leave(self, 421, "4.5.2", "line too long", end);
    } else if (verb == SMTP_BDAT) {
        relay_smtp_leave(self, 501, "5.5.4", "BDAT is followed by a size, and LAST or nothing",
                         end);
    } else {
        relay_smtp_leave(self, 421, "4.5.2", "lines end with CR LF", end);
    }
}

/* One command. False: it waits, or more of it is awaited. */
static bool read_command(relay_smtp *self, tusk_bytes in)
{
    tusk__smtp_command command;
    ptrdiff_t used = tusk__smtp_command_parse(&command, in);
    if (used < 0) {
        if (self->owed > 0) {
            return false; /* the answers before it come first */
        }
        refuse_line(self, used, command.verb);
        return false;
    }
    if (used == 0) {
        return false;
    }
    bool fresh = self->state == SMTP_STATE_FRESH;
    bool refused = wants_tls(self, command.verb);
    bool ours = fresh || refused || is_ours(self, &command);
    bool alone = ours || (self->backend->extensions & SMTP_EXT_PIPELINING) == 0;
    if ((alone && self->owed > 0) || self->owed >= SMTP_OWED_MAX) {
        return false;
    }
    tusk_conn_consume(&self->client, (size_t)used);
    if (refused) {
        if (command.verb == SMTP_BDAT) {
            discard_chunk(self, &command);
        }
        say_error(self, 530, "5.7.0", "STARTTLS first");
    } else if (ours) {
        answer_here(self, &command);
    } else {
        go_on(self, &command, tusk_bytes_of(in.ptr, (size_t)used));
    }
    return true;
}

static bool read_auth_line(relay_smtp *self, tusk_bytes in)
{
    tusk_bytes line;
    ptrdiff_t used = tusk__smtp_auth_line_parse(&line, in);
    if (used < 0) {
        relay_smtp_relay(self)->stats.protocol_errors++;
        relay_smtp_leave(self, 421, "4.5.2", "line too long, or not ended with CR LF",
                         "protocol error");
    }
    if (used <= 0) {
        return false;
    }
    tusk_conn_consume(&self->client, (size_t)used);
    self->owed++;
    self->mode = SMTP_MODE_AUTH;
    pass(self, tusk_bytes_of(in.ptr, (size_t)used));
    return true;
}

/* A message that ends nowhere is answered by us, now that its end is there. */
static void end_discarded(relay_smtp *self)
{
    self->discard = false;
    self->mode = SMTP_MODE_COMMANDS;
    if (self->bare) {
        relay_smtp_leave(self, 550, "5.6.0", "a bare CR or LF in the message; lines end with CR LF",
                         "bare CR or LF");
    } else if (self->early) {
        tusk_bytes early = tusk_buf_view(&self->hello);
        (void)tusk_conn_append(&self->client, early.ptr, early.len);
        relay_smtp_finish(self, "backend refused");
    } else if (self->lost) {
        relay_smtp_leave(self, 421, "4.4.2", "the mail server is gone; the message was not taken",
                         self->end);
    }
}

/* A backend that takes a bare LF for a line's end would see an end, and commands behind it, where
 * we see a message: it gets no more of this one, and so does not take it. */
static bool read_message(relay_smtp *self, tusk_bytes in)
{
    tusk__smtp_data before = self->data;
    ptrdiff_t used = tusk__smtp_data_scan(&self->data, in);
    if (used < 0) {
        relay_smtp_relay(self)->stats.protocol_errors++;
        relay_smtp_drop(self, false);
        self->discard = true;
        self->bare = true;
        self->data = before;
        self->data.lenient = true;
        used = tusk__smtp_data_scan(&self->data, in);
    }
    tusk_conn_consume(&self->client, (size_t)used);
    bool done = self->data.done;
    if (self->discard) {
        if (done) {
            end_discarded(self);
        }
        return true;
    }
    if (done) {
        self->mode = SMTP_MODE_COMMANDS;
        self->owed++;
        end_mail(self);
    }
    pass(self, tusk_bytes_of(in.ptr, (size_t)used));
    return true;
}

static bool read_chunk(relay_smtp *self, tusk_bytes in)
{
    size_t len = in.len < self->chunk ? in.len : (size_t)self->chunk;
    tusk_conn_consume(&self->client, len);
    self->chunk -= len;
    if (self->chunk == 0) {
        self->mode = SMTP_MODE_COMMANDS;
    }
    if (!self->discard) {
        pass(self, tusk_bytes_of(in.ptr, len));
    } else if (self->chunk == 0) {
        end_discarded(self);
    }
    return true;
}

static bool read_one(relay_smtp *self, tusk_bytes in)
{
    switch (self->mode) {
    case SMTP_MODE_COMMANDS: return read_command(self, in);
    case SMTP_MODE_AUTH_LINE: return read_auth_line(self, in);
    case SMTP_MODE_MESSAGE: return read_message(self, in);
    case SMTP_MODE_CHUNK: return read_chunk(self, in);
    case SMTP_MODE_WAIT:
    case SMTP_MODE_DATA:
    case SMTP_MODE_AUTH:
    case SMTP_MODE_QUIT: return false;
    }
    return false;
}

/* A client that has ended its half is answered what it asked; then it is over. */
static void end_if_asked_all(relay_smtp *self)
{
    bool quiet = !waits(self) && self->owed == 0;
    if (self->client_eof && quiet && self->state != SMTP_STATE_LAST) {
        relay_smtp_finish(self, self->status >= 400 ? self->refused : "client left");
    }
}

static void read_all(relay_smtp *self)
{
    bool more = true;
    while (more && tusk_conn_open(&self->client) && !waits(self) && !self->client.paused) {
        tusk_bytes in = tusk_conn_in(&self->client);
        more = in.len > 0 && read_one(self, in);
        if (more && tusk_conn_enough(&self->client)) {
            return;
        }
    }
    if (!tusk_conn_open(&self->client)) {
        return;
    }
    if (!more || waits(self)) {
        end_if_asked_all(self);
    }
    /* What waits unread is bounded: a line or a window of commands is enough. */
    if (tusk_conn_in(&self->client).len > SMTP_UNREAD_MAX) {
        tusk_conn_pause(&self->client);
    }
}

/* Who is waited for next depends on what was read; before a backend serves, one deadline holds for
 * all of it. */
void relay_smtp_read(relay_smtp *self)
{
    read_all(self);
    if (self->state == SMTP_STATE_RELAY && tusk_conn_open(&self->client)) {
        relay_smtp_await(self);
    }
}

void relay_smtp_go_on(relay_smtp *self)
{
    relay_smtp_drain(self);
    tusk_conn_resume(&self->client);
    tusk_conn_again(&self->client);
}
