/* SPDX-License-Identifier: MIT */
/* A line's life: lookup, one address after another, TLS, its users, the end. */
#include "client/line.h"

#include <unistd.h>

#include "base/mem.h"
#include "net/tls.h"

static void fail(tusk__line *self, tusk_err err, const char *stage, const char *text)
{
    self->failure = (tusk_failure){.err = err, .stage = stage, .text = text};
}

static void leave_idle(tusk__line *self)
{
    if (tusk__link_linked(&self->idle)) {
        tusk__link_remove(&self->idle);
        self->client->idle_len--;
    }
}

static void destroy(tusk__line *self)
{
    tusk_client *client = self->client;
    tusk_timer_stop(client->loop, &self->timer);
    tusk_task_cancel(&self->late_task);
    tusk_lookup_cancel(&self->lookup);
    leave_idle(self);
    tusk__link_remove(&self->ending);
    tusk__target_fini(&self->origin);
    tusk__free(client->mem, self, sizeof(*self));
    tusk__client_line_gone(client);
}

/* The user is told once, then the line is nobody's. */
static void tell_lost(tusk__line *self)
{
    tusk__line_user *user = self->user;
    if (user == NULL) {
        return;
    }
    self->user = NULL;
    tusk__line_user_enter(user);
    user->ops->on_lost(user, &self->failure);
    if (user->line == self) {
        user->line = NULL;
    }
    tusk__line_user_leave(user);
}

/* ---- connecting ---- */
static const tusk_conn_ops conn_ops;

static tusk_err make_filter(tusk__line *self, tusk_filter **filter)
{
    *filter = NULL;
    if (!self->origin.secure) {
        return TUSK_OK;
    }
    tusk_tls *tls = self->origin.tls != NULL ? self->origin.tls : tusk__client_tls(self->client);
    if (tls == NULL) {
        fail(self, TUSK_ENOTSUP, "tls", "no TLS in this build, or no store of certificates");
        return TUSK_ENOTSUP;
    }
    tusk_err err = tusk_tls_filter_new(filter, tls, self->origin.host);
    if (err != TUSK_OK) {
        fail(self, err, "tls", tusk_err_text(err));
    }
    return err;
}

static void dial(tusk__line *self)
{
    tusk_client *client = self->client;
    int fd = client->dial(client->dial_user);
    fail(self, TUSK_EREFUSED, "connect", tusk_err_text(TUSK_EREFUSED));
    self->addr_next = self->addr_count = 0;
    self->attached =
        fd >= 0 && tusk_conn_init(&self->conn, client->net, fd, NULL, &conn_ops) == TUSK_OK;
    if (fd >= 0 && !self->attached) {
        (void)close(fd);
    }
    if (self->attached) {
        tusk_conn_pause(&self->conn); /* nothing is read before its user is ready */
    }
    tusk_task_defer(client->loop, &self->late_task);
}

/* An address from which nothing comes leaves the others their time: what is left is shared by those
 * that have not been tried, and of two the second has half of it. Who waits for the line may have
 * less patience than it. */
static void start_share(tusk__line *self)
{
    uint64_t now = tusk_loop_now_ms(self->client->loop);
    const tusk_timer *users = self->user == NULL ? NULL : &self->user->timer;
    uint64_t due = self->due_ms;
    if (users != NULL && tusk_timer_running(users) && users->due_ms < due) {
        due = users->due_ms;
    }
    if (self->addr_next < self->addr_count && due > now) {
        tusk_timer_start(self->client->loop, &self->timer,
                         (due - now) / (self->addr_count - self->addr_next + 1u));
    }
}

/* Starts a connect to the next address that lets one start; else the user hears of it at the end of
 * the turn. */
static void attempt(tusk__line *self)
{
    if (self->client->dial != NULL) {
        dial(self);
        return;
    }
    while (self->addr_next < self->addr_count) {
        tusk_filter *filter;
        if (make_filter(self, &filter) != TUSK_OK) {
            break;
        }
        tusk_err err = tusk_conn_connect(&self->conn, self->client->net,
                                         &self->addrs[self->addr_next++], filter, &conn_ops);
        if (err == TUSK_OK) {
            self->attached = true;
            start_share(self);
            return;
        }
        tusk_tls_filter_free(filter);
        fail(self, err, "connect", tusk_err_text(err));
    }
    tusk_task_defer(self->client->loop, &self->late_task);
}

static void fail_lookup(tusk__line *self, tusk_err err)
{
    fail(self, err, "resolve",
         err == TUSK_ENOENT       ? "no address for that host"
         : err == TUSK_EEXHAUSTED ? "no thread or descriptor is left to look the name up "
                                    "(ulimit -u, ulimit -n)"
                                  : tusk_err_text(err));
}

static void on_looked_up(tusk_lookup *lookup, const tusk_addr *addrs, int count)
{
    tusk__line *self = TUSK_OWNER(lookup, tusk__line, lookup);
    if (count > 0) {
        memcpy(self->addrs, addrs, (size_t)count * sizeof(addrs[0]));
        self->addr_count = (uint8_t)count;
    } else {
        fail_lookup(self, count < 0 ? (tusk_err)count : TUSK_ENOENT);
    }
    attempt(self);
}

/* An address is its own answer; a name is looked up beside the loop. */
static void look_up(tusk__line *self)
{
    const tusk__target *origin = &self->origin;
    if (self->client->dial != NULL ||
        tusk_addr_from_host(&self->addrs[0], origin->host, origin->port) == TUSK_OK) {
        self->addr_count = 1;
        attempt(self);
        return;
    }
    tusk_err err = tusk__client_look_up(self->client, &self->lookup, origin->host, origin->port);
    if (err != TUSK_OK) {
        fail_lookup(self, err);
        tusk_task_defer(self->client->loop, &self->late_task);
    }
}

/* What a line that is not ready is at. */
static const char *stage_of(const tusk__line *self)
{
    return self->lookup.job != NULL                   ? "resolve"
           : self->attached && !self->conn.connecting ? "tls"
                                                      : "connect";
}

/* Nobody will be told of an answer: the line ends as one that could not connect. */
static bool stop_lookup(tusk__line *self)
{
    if (self->lookup.job == NULL) {
        return false;
    }
    tusk_lookup_cancel(&self->lookup);
    tusk_task_defer(self->client->loop, &self->late_task);
    return true;
}

static void on_timer(tusk_timer *timer)
{
    tusk__line *self = TUSK_OWNER(timer, tusk__line, timer);
    if (self->ready) {
        tusk__line_drop(self); /* kept long enough */
        return;
    }
    bool is_share = tusk_loop_now_ms(self->client->loop) < self->due_ms;
    if (is_share) {
        tusk_timer_start_at(self->client->loop, &self->timer, self->due_ms);
    }
    if (is_share && (!self->attached || !self->conn.connecting)) {
        return; /* its address has answered */
    }
    fail(self, TUSK_ETIMEOUT, stage_of(self), "no answer in time");
    if (is_share) {
        tusk_conn_abort(&self->conn, TUSK_ETIMEOUT); /* and on to the next */
        return;
    }
    (void)stop_lookup(self);
    self->addr_next = self->addr_count;
    if (self->attached) {
        tusk_conn_abort(&self->conn, TUSK_ETIMEOUT);
    }
}

/* ---- what the connection tells ---- */
static tusk__line *line_of(tusk_conn *conn)
{
    return (tusk__line *)(void *)conn;
}

static void tell(tusk__line_user *user, void (*told)(tusk__line_user *self))
{
    tusk__line_user_enter(user);
    told(user);
    tusk__line_user_leave(user);
}

static void on_ready(tusk_conn *conn, tusk_err err)
{
    tusk__line *self = line_of(conn);
    if (err == TUSK_OK) {
        self->ready = true;
        tusk_timer_stop(self->client->loop, &self->timer);
        if (self->user != NULL) {
            if (self->user->paused) {
                tusk_conn_pause(conn);
            }
            tell(self->user, self->user->ops->on_ready);
        }
        return;
    }
    bool in_tls = conn->filter != NULL && !conn->connecting;
    const char *reason = in_tls ? tusk_filter_reason(conn->filter) : NULL;
    if (reason != NULL) {
        size_t len = strlen(reason) < LINE_TEXT_MAX ? strlen(reason) : LINE_TEXT_MAX - 1;
        memcpy(self->text, reason, len);
        self->text[len] = '\0';
        reason = self->text;
    }
    fail(self, err, in_tls ? "tls" : "connect", reason != NULL ? reason : tusk_err_text(err));
}

static void tell_late(tusk_task *task)
{
    tusk__line *self = TUSK_OWNER(task, tusk__line, late_task);
    if (self->attached) { /* dialled */
        tusk_conn_resume(&self->conn);
        on_ready(&self->conn, TUSK_OK);
        return;
    }
    tell_lost(self);
    destroy(self);
}

static void on_data(tusk_conn *conn)
{
    tusk__line *self = line_of(conn);
    if (self->user == NULL) {
        tusk_conn_consume(conn, conn->in_len);
        if (tusk__link_linked(&self->idle)) {
            tusk__line_drop(self); /* an answer to nothing */
        }
        return;
    }
    tell(self->user, self->user->ops->on_data);
}

static void on_eof(tusk_conn *conn)
{
    tusk__line *self = line_of(conn);
    if (self->user == NULL) {
        tusk__line_drop(self);
        return;
    }
    tell(self->user, self->user->ops->on_eof);
}

static void on_drain(tusk_conn *conn)
{
    tusk__line *self = line_of(conn);
    if (self->user != NULL && self->user->ops->on_drain != NULL) {
        tell(self->user, self->user->ops->on_drain);
    }
}

static uint8_t *landing(tusk_conn *conn, size_t *cap)
{
    tusk__line_user *user = line_of(conn)->user;
    return user != NULL && user->ops->landing != NULL ? user->ops->landing(user, cap) : NULL;
}

static void on_landed(tusk_conn *conn, size_t len)
{
    tusk__line_user *user = line_of(conn)->user;
    if (user != NULL) {
        tusk__line_user_enter(user);
        user->ops->on_landed(user, len);
        tusk__line_user_leave(user);
    }
}

static void on_close(tusk_conn *conn, tusk_err why)
{
    tusk__line *self = line_of(conn);
    leave_idle(self);
    if (self->ready) {
        fail(self, why == TUSK_OK ? TUSK_EEOF : why, "stream",
             tusk_err_text(why == TUSK_OK ? TUSK_EEOF : why));
    }
}

static void on_released(tusk_conn *conn)
{
    tusk__line *self = line_of(conn);
    self->attached = false;
    if (!self->ready && self->user != NULL && self->addr_next < self->addr_count &&
        self->failure.err != TUSK_ETLS) {
        attempt(self);
        return;
    }
    tell_lost(self);
    destroy(self);
}

static const tusk_conn_ops conn_ops = {
    .on_data = on_data,
    .landing = landing,
    .on_landed = on_landed,
    .on_eof = on_eof,
    .on_drain = on_drain,
    .on_ready = on_ready,
    .on_close = on_close,
    .on_released = on_released,
};

/* ---- users ---- */
/* What came while nobody asked is no answer to what is asked now (RFC 9112, 9.2), and an end that
 * came need not cost a request; outside of a server no turn of the loop has told of either. */
static bool is_fresh(const tusk__line *self)
{
    return tusk_conn_open(&self->conn) && self->conn.in_len == 0 && tusk_conn_quiet(&self->conn);
}

tusk_err tusk__line_user_open(tusk__line_user *user)
{
    tusk_client *client = user->client;
    const tusk__target *target = &user->target;
    user->line = NULL;
    tusk__line *self = tusk__new(client->mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    client->lines++;
    self->client = client;
    self->user = user;
    self->timer.on_due = on_timer;
    self->late_task.run = tell_late;
    self->lookup.on_done = on_looked_up;
    self->origin.secure = target->secure;
    self->origin.port = target->port;
    self->origin.tls = target->tls != NULL ? tusk_tls_ref(target->tls) : NULL;
    memcpy(self->origin.host, target->host, sizeof(target->host));
    tusk_timer_start(client->loop, &self->timer, client->options.connect_ms);
    self->due_ms = self->timer.due_ms;
    look_up(self);
    user->line = self;
    return TUSK_OK;
}

bool tusk__line_user_take(tusk__line_user *user)
{
    tusk_client *client = user->client;
    /* The youngest is the one whose server has least reason to have closed it. */
    for (tusk_link *link = client->idle.prev; link != &client->idle;) {
        tusk__line *self = TUSK_OWNER(link, tusk__line, idle);
        link = link->prev;
        if (!tusk__target_same_origin(&self->origin, &user->target)) {
            continue;
        }
        if (!is_fresh(self)) {
            tusk__line_drop(self);
        } else {
            leave_idle(self);
            tusk_timer_stop(client->loop, &self->timer);
            self->user = user;
            self->taken = true;
            user->line = self;
            return true;
        }
    }
    return false;
}

void tusk__line_keep(tusk__line *self)
{
    tusk_client *client = self->client;
    self->user = NULL;
    if (client->freeing || !tusk_conn_open(&self->conn) || self->conn.eof_seen) {
        tusk__line_drop(self);
        return;
    }
    tusk_conn_resume(&self->conn); /* to see its end */
    tusk__list_push(&client->idle, &self->idle);
    client->idle_len++;
    tusk_timer_start(client->loop, &self->timer, client->options.idle_ms);
    if (client->idle_len > client->options.idle_max) {
        tusk__line_drop(TUSK_OWNER(client->idle.next, tusk__line, idle));
    }
}

static void let_go(tusk__line *self)
{
    self->user = NULL;
    self->addr_next = self->addr_count;
    tusk_timer_stop(self->client->loop, &self->timer);
    leave_idle(self);
    (void)stop_lookup(self);
}

void tusk__line_drop(tusk__line *self)
{
    let_go(self);
    if (self->attached) {
        tusk_conn_abort(&self->conn, TUSK_OK);
    } /* else the task that would have told of the failure gives the memory back */
}

void tusk__line_finish(tusk__line *self)
{
    let_go(self);
    if (self->attached) {
        tusk__list_push(&self->client->ending, &self->ending);
        tusk_conn_resume(&self->conn);
        tusk_conn_finish(&self->conn);
    }
}

static void on_user_due(tusk_timer *timer)
{
    tusk__line_user *self = TUSK_OWNER(timer, tusk__line_user, timer);
    tell(self, self->ops->on_due);
}

void tusk__line_user_init(tusk__line_user *self, tusk_client *client, const tusk__line_ops *ops)
{
    *self = (tusk__line_user){.handle = {.abort = ops->abort},
                              .client = client,
                              .ops = ops,
                              .timer = {.on_due = on_user_due}};
}

void tusk__line_user_fini(tusk__line_user *self)
{
    tusk_timer_stop(self->client->loop, &self->timer);
    tusk__link_remove(&self->handle.link);
    tusk__target_fini(&self->target);
}

void tusk__line_user_enter(tusk__line_user *self)
{
    self->holds++;
}

void tusk__line_user_leave(tusk__line_user *self)
{
    if (--self->holds == 0 && self->gone) {
        self->ops->destroy(self);
    }
}

void tusk__line_user_drop(tusk__line_user *self)
{
    if (self->line != NULL) {
        tusk__line_drop(self->line);
        self->line = NULL;
    }
}

void tusk__line_user_end(tusk__line_user *self)
{
    self->gone = true;
    tusk__line_user_drop(self);
    tusk_timer_stop(self->client->loop, &self->timer);
}

void tusk__line_user_abandon(tusk__line_user *self)
{
    tusk__line_user_enter(self);
    self->gone = true;
    tusk__link_remove(&self->handle.link);
    tusk__line_user_drop(self);
    tusk__line_user_leave(self);
}

const char *tusk__line_user_stage(const tusk__line_user *self)
{
    return self->line != NULL ? stage_of(self->line) : "connect";
}

void tusk__line_user_pause(tusk__line_user *self)
{
    self->paused = true;
    if (self->line != NULL && self->line->ready) {
        tusk_conn_pause(&self->line->conn);
    }
}

void tusk__line_user_resume(tusk__line_user *self, bool again)
{
    bool paused = self->paused;
    self->paused = false;
    if (!paused || self->line == NULL || !self->line->ready) {
        return;
    }
    tusk_conn_resume(&self->line->conn);
    if (again) {
        tusk_conn_again(&self->line->conn);
    }
}
