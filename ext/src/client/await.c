/* SPDX-License-Identifier: MIT */
/* Waiting for what a client brings. */
#include "src/client/await.h"

#include <ext/spl/spl_exceptions.h>

static tusk_client *make(tusk_client **slot, tusk_loop *loop)
{
    if (*slot == NULL) {
        tusk_client_options options = {.loop = loop};
        tusk_err err = tusk_client_new(slot, &options);
        if (err != TUSK_OK) {
            tusk_throw(err, "Cannot make a client");
        }
    }
    return *slot;
}

tusk_client *tusk_client_here(tusk_loop **loop)
{
    if (TUSK_G(fiber) != NULL && !zend_fiber_switch_blocked()) {
        *loop = TUSK_G(loop);
        return make(&TUSK_G(client), *loop);
    }
    if (TUSK_G(own_loop) == NULL) {
        tusk_err err = tusk_loop_new(&TUSK_G(own_loop), NULL);
        if (err != TUSK_OK) {
            tusk_throw(err, "Cannot make an event loop");
            return NULL;
        }
    }
    *loop = TUSK_G(own_loop);
    return make(&TUSK_G(own_client), *loop);
}

static void on_late(tusk_timer *timer)
{
    tusk_await *self = TUSK_OWNER(timer, tusk_await, timer);
    self->late = true;
    tusk_await_wake(self);
}

void tusk_await_wake(tusk_await *self)
{
    if (self->loop == TUSK_G(loop)) {
        tusk_wait_wake(&self->wait);
    }
}

/* In a handler of a running server. */
static bool wait_parked(tusk_await *self, const bool *ready)
{
    while (!*ready && !self->late) {
        tusk_wait_end end = tusk_wait_park(&self->wait, TUSK_WAIT_ANY_TIME);
        if (end == WAIT_BLOCK) {
            zend_throw_exception(spl_ce_LogicException,
                                 "A client of a running server cannot be waited for here", 0);
        }
        if (end != WAIT_WOKEN) {
            return false;
        }
    }
    return true;
}

static bool wait_turning(tusk_await *self, const bool *ready)
{
    while (!*ready && !self->late) {
        tusk_err err = tusk_loop_turn(self->loop, -1);
        if (err != TUSK_OK) {
            tusk_throw(err, "The event loop failed");
            return false;
        }
        if (!tusk_serve_interrupts()) { /* a task's deadline, a handler of a signal */
            return false;
        }
    }
    return true;
}

bool tusk_await_ready(tusk_await *self, const bool *ready, int64_t timeout_ms)
{
    self->late = false;
    if (*ready) {
        return true;
    }
    if (self->waiting) {
        zend_throw_exception(spl_ce_LogicException, "Somebody waits for this client already", 0);
        return false;
    }
    self->waiting = true;
    if (timeout_ms >= 0) {
        self->timer.on_due = on_late;
        tusk_timer_start(self->loop, &self->timer, (uint64_t)timeout_ms);
    }
    volatile bool done = false;
    volatile bool fatal = false;
    zend_try
    {
        done = self->loop == TUSK_G(loop) ? wait_parked(self, ready) : wait_turning(self, ready);
    }
    zend_catch
    {
        fatal = true; /* an error of a signal's handler, which passes by whoever waits */
    }
    zend_end_try();
    tusk_await_fini(self);
    if (fatal) {
        zend_bailout();
    }
    return done;
}

void tusk_await_fini(tusk_await *self)
{
    if (self->loop != NULL) {
        tusk_timer_stop(self->loop, &self->timer);
    }
    self->waiting = false;
}

/* How far it came, and why no further. */
static const char *stage_of(const tusk_failure *failure)
{
    return failure->stage == NULL ? "start" : failure->stage;
}

static const char *text_of(const tusk_failure *failure)
{
    return failure->text == NULL || failure->text[0] == '\0' ? tusk_err_text(failure->err)
                                                             : failure->text;
}

void tusk_throw_failure(const tusk_failure *failure, const char *what, zend_string *url)
{
    if (failure->status != 0) {
        zend_throw_exception_ex(tusk_ce_exception, failure->err, "Cannot %s %s (%s): %s, status %u",
                                what, ZSTR_VAL(url), stage_of(failure), text_of(failure),
                                failure->status);
    } else {
        zend_throw_exception_ex(tusk_ce_exception, failure->err, "Cannot %s %s (%s): %s", what,
                                ZSTR_VAL(url), stage_of(failure), text_of(failure));
    }
}

zend_string *tusk_failure_say(const tusk_failure *failure)
{
    return failure->status != 0 ? zend_strpprintf(0, "%s: %s, status %u", stage_of(failure),
                                                  text_of(failure), failure->status)
                                : zend_strpprintf(0, "%s: %s", stage_of(failure), text_of(failure));
}

void tusk_failure_keep(tusk_kept_failure *out, const tusk_failure *failure)
{
    out->failure = *failure;
    snprintf(out->text, sizeof(out->text), "%s", failure->text == NULL ? "" : failure->text);
    out->failure.text = out->text;
}

tusk_tls *tusk_client_tls(bool verify, zend_string *ca, uint32_t ca_number, bool *ok)
{
    tusk_tls *tls = NULL;
    *ok = true;
    if (verify && ca == NULL) {
        return NULL;
    }
    char reason[256] = "";
    tusk_tls_options options = {.verify_peer = verify, .ca_file = ca == NULL ? NULL : ZSTR_VAL(ca)};
    tusk_err err = tusk_tls_client_new(&tls, &options, reason, sizeof(reason));
    if (err != TUSK_OK) {
        *ok = false;
        zend_argument_value_error(ca_number, "is of no use: %s",
                                  reason[0] != '\0' ? reason : tusk_err_text(err));
    }
    return tls;
}

void tusk_clients_shutdown(void)
{
    tusk_client_free(TUSK_G(client));
    tusk_client_free(TUSK_G(own_client));
    TUSK_G(client) = NULL;
    TUSK_G(own_client) = NULL;
    if (TUSK_G(own_loop) != NULL) {
        tusk_loop_settle(TUSK_G(own_loop));
        tusk_loop_free(TUSK_G(own_loop));
        TUSK_G(own_loop) = NULL;
    }
}
