/* SPDX-License-Identifier: MIT */
/* A host with workers: the master, and a worker from its fork on. */
#include "src/process/workers.h"

#include "src/parameters.h"
#include "src/run/bootstrap.h"
#include "src/run/random.h"
#include "src/supervisor.h"

#include <Zend/zend_exceptions.h>
#include <main/php_output.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKER_DONE = 0, WORKER_UNREADY = 254, WORKER_FAILED = 255, REASON_MAX = 4096 };
enum { FOLLOW_MS = 1000 }; /* not later than workers look, by much */

/* ---- the worker ---- */
static void on_drain(void *user, bool cut)
{
    tusk_workers *self = user;
    if (cut || !self->host->stopping) {
        tusk_host_stop(self->host);
    }
}

static void on_adopt(void *user, uint32_t slot, bool adopt)
{
    tusk_workers *self = user;
    if (!adopt) {
        self->kind->give_back(self->host, slot);
        return;
    }
    for (size_t i = 0; self->host->kind->address(self->host, i) != NULL; i++) {
        int fd = tusk_crew_worker_socket(self->worker, slot, i);
        if (fd >= 0 && self->kind->adopt(self->host, i, slot, fd) != TUSK_OK) {
            (void)close(fd);
        }
    }
}

static const tusk_crew_orders orders = {.on_drain = on_drain, .on_adopt = on_adopt};

static void refresh(tusk_task *task)
{
    const tusk_workers *self = TUSK_OWNER(task, tusk_workers, refresh);
    self->kind->refresh(self->host);
}

static tusk_err inherit(const tusk_workers *self)
{
    for (size_t i = 0; self->host->kind->address(self->host, i) != NULL; i++) {
        int fd = tusk_crew_worker_socket(self->worker, tusk_crew_worker_slot(self->worker), i);
        tusk_err err = fd < 0 ? TUSK_ESYS : self->host->kind->inherit(self->host, i, fd);
        if (err != TUSK_OK) {
            return err;
        }
    }
    return TUSK_OK;
}

static void on_heavy(void *user, uint64_t now)
{
    const tusk_workers *self = user;
    self->host->heavy++;
    tusk_log("worker %u holds %" PRIu64
             " MiB, more than workerBytes: it drains, and another takes its "
             "place",
             tusk_crew_worker_slot(self->worker), now >> 20);
    tusk_host_stop(self->host);
}

/* Each worker would be replaced at once by one that is as large: nobody is, and it is said. */
static void be_bound(const tusk_workers *self)
{
    uint64_t now = 0;
    tusk_err err = self->bytes_max == 0
                       ? TUSK_OK
                       : tusk_crew_worker_bound(self->worker, self->bytes_max, &now, on_heavy);
    if (err == TUSK_ELIMIT) {
        tusk_log("workerBytes is not kept: worker %u begins with %" PRIu64 " MiB",
                 tusk_crew_worker_slot(self->worker), now >> 20);
    } else if (err != TUSK_OK) {
        tusk_log("workerBytes is not kept: this system does not tell what a process holds");
    }
}

/* A buffer that it left open would hold what all handlers print. */
static void drop_output(void)
{
    if (php_output_get_level() > 0) {
        php_output_discard_all();
        tusk_log("the bootstrap left an output buffer open, which is dropped");
    }
}

static bool boot(tusk_workers *self)
{
    if (!self->boots) {
        return true;
    }
    if (self->kind->boot(self->host)) {
        drop_output();
        return true;
    }
    if (self->unready != NULL) {
        tusk_bootstrap_why(self->unready, REASON_MAX, true);
    }
    return false;
}

/* Its exit status. */
static int serve(tusk_workers *self)
{
    char reason[256] = "";
    tusk_host *host = self->host;
    tusk_err err = inherit(self);
    err = err == TUSK_OK ? self->kind->share(host, tusk_crew_worker_seat(self->worker)) : err;
    if (err == TUSK_OK && !boot(self)) {
        return WORKER_UNREADY;
    }
    err = err == TUSK_OK ? tusk_crew_worker_obey(self->worker, TUSK_G(loop), &orders, self) : err;
    err = err == TUSK_OK ? host->kind->start(host, reason, sizeof(reason)) : err;
    if (!tusk_host_started(err, reason, "the worker")) {
        return WORKER_FAILED;
    }
    be_bound(self);
    tusk_crew_worker_ready(self->worker);
    if (!tusk_crew_worker_first(self->worker)) { /* what it has is as the master was at the start */
        self->refresh.run = refresh;
        tusk_task_defer(TUSK_G(loop), &self->refresh);
    }
    return tusk_host_serve(host) ? WORKER_DONE : WORKER_FAILED;
}

/* Neither destructors nor shutdown functions run here: they are the application's, which is the
 * master. What a handler printed was not held back, as no buffer was left. */
static int run_worker(void *user, tusk_crew_worker *worker)
{
    tusk_workers *self = user;
    volatile int status = WORKER_FAILED; /* read after a longjmp */
    self->worker = worker;
    self->host->worker = true;
    TUSK_G(loop_forks) = tusk_calls_forks(); /* the crew has made the loop this process's own */
    tusk_random_anew();
    zend_try
    {
        tusk_time_limit_anew();
        php_output_discard_all();
        status = serve(self);
        if (EG(exception) != NULL) {
            zend_exception_error(EG(exception), E_WARNING);
        }
    }
    zend_end_try();
    self->kind->last(self->host);
    (void)fflush(NULL);
    return status;
}

/* ---- the master ---- */
static void on_gone(void *user, uint32_t seat)
{
    const tusk_workers *self = user;
    self->kind->gone(self->host, seat);
}

static void on_log(void *user, const char *text)
{
    (void)user;
    tusk_log("%s", text);
}

static void on_stopped(void *user)
{
    tusk_loop_stop(((tusk_workers *)user)->master_loop);
}

static void stop_crew(const tusk_workers *self)
{
    if (!self->host->stopping) {
        tusk_supervised_tell(TUSK_SUPERVISED_STOPPING);
    }
    self->host->stopping = true;
    tusk_crew_stop(self->crew);
}

/* What a worker wrote, whatever it is by now. */
static const char *why_unready(const tusk_workers *self)
{
    if (self->unready == NULL || self->unready[0] == '\0') {
        return "its worker's log has it";
    }
    self->unready[REASON_MAX - 1] = '\0';
    return self->unready;
}

/* What failed for the first ones before anybody has served will not be otherwise the next time. A
 * signal may: memory that lacked is there a moment later. */
static void on_unready(void *user, int status, bool ever)
{
    tusk_workers *self = user;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : WORKER_FAILED;
    if (!self->boots || code == WORKER_FAILED) {
        return;
    }
    if (code != WORKER_UNREADY && self->unready != NULL) { /* past PHP, which says exit() */
        (void)snprintf(self->unready, REASON_MAX, "it ended its process by exit %d", code);
    }
    if (ever) {
        tusk_log("the bootstrap failed: %s", why_unready(self));
    } else {
        self->failed = true; /* run() tells why */
        stop_crew(self);
    }
}

static const tusk_crew_calls calls = {.run = run_worker,
                                      .on_gone = on_gone,
                                      .on_unready = on_unready,
                                      .on_log = on_log,
                                      .on_stopped = on_stopped};

static void on_stop_signal(tusk_signals *signals)
{
    stop_crew(TUSK_OWNER(signals, tusk_workers, signals));
}

static void on_reload_signal(tusk_signals *signals)
{
    const tusk_workers *self = TUSK_OWNER(signals, tusk_workers, signals);
    self->kind->hang_up(self->host);
    tusk_crew_reload(self->crew);
}

static void say_nothing(void *user, const char *text)
{
    (void)user;
    (void)text;
}

/* It serves nobody by them: what its workers read by themselves, and tell of, it reads in silence,
 * so that whoever follows one of them has what was good last, whatever the files are by then. A
 * worker that is somebody else reads none. */
static void follow_certificates(tusk_timer *timer)
{
    const tusk_workers *self = TUSK_OWNER(timer, tusk_workers, certificates);
    tusk_tls *contexts[TUSK_CONTEXTS_MAX];
    size_t count = self->kind->contexts(self->host, contexts, TUSK_CONTEXTS_MAX);
    for (size_t i = 0; i < count; i++) {
        tusk_tls_tend(contexts[i], TUSK_TLS_READ_CHANGED, say_nothing, NULL);
    }
    tusk_timer_start(self->master_loop, timer, FOLLOW_MS);
}

/* Clients outside of a server wait in a loop of their own, of which the crew does not know. */
static bool may_fork(char *reason, size_t cap)
{
    if (TUSK_G(own_loop) == NULL || tusk_loop_may_fork(TUSK_G(own_loop))) {
        return true;
    }
    (void)snprintf(
        reason, cap,
        "connections of clients are open in this process, and workers cannot share them");
    return false;
}

/* What is opened from tusk_crew_new on is the master's alone. */
static tusk_err start(tusk_workers *self, char *reason, size_t cap)
{
    const tusk_workers_kind *kind = self->kind;
    const tusk_crew_options options = {
        .loop = self->master_loop,
        .worker_loop = TUSK_G(loop),
        .workers = self->count,
        .drain_ms = self->host->drain_ms,
        .identity = self->identity,
        .calls = &calls,
        .user = self,
    };
    const char *address;
    if (self->boots && self->unready == NULL) {
        void *shared =
            mmap(NULL, REASON_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        self->unready = shared == MAP_FAILED ? NULL : shared;
    }
    tusk_err err = may_fork(reason, cap) ? kind->prepare(self->host, 2 * self->count) : TUSK_ESTATE;
    err = err == TUSK_OK ? tusk_crew_new(&self->crew, &options) : err;
    for (size_t i = 0;
         err == TUSK_OK && (address = self->host->kind->address(self->host, i)) != NULL; i++) {
        int fd = tusk_supervised_socket(address);
        err = fd < 0 ? tusk_crew_listen(self->crew, address, self->backlog)
                     : tusk_crew_listen_on(self->crew, address, fd);
        if (err != TUSK_OK && fd >= 0) {
            (void)close(fd);
        }
    }
    err = err == TUSK_OK ? tusk_host_start_admin(self->host, reason, cap) : err;
    return err == TUSK_OK ? tusk_crew_start(self->crew, reason, cap) : err;
}

static bool supervise(const tusk_workers *self)
{
    self->host->ran = true;
    tusk_host_listens(self->host, tusk_crew_port(self->crew, 0));
    tusk_err err = tusk_loop_run(self->master_loop);
    if (err != TUSK_OK) {
        tusk_throw(err, "The master's event loop failed");
    } else if (self->failed) {
        zend_throw_exception_ex(tusk_ce_exception, 0, "The bootstrap failed: %s",
                                why_unready(self));
    }
    return err == TUSK_OK && !self->failed;
}

static bool run(tusk_host *host)
{
    tusk_workers *self = host->workers;
    zend_object *object = host->object;
    char reason[256] = "";
    char what[32];
    (void)snprintf(what, sizeof(what), "the %s's workers", host->kind->what);
    self->host = host;
    GC_ADDREF(object);
    self->signals.stop = on_stop_signal;
    self->signals.reload = on_reload_signal;
    tusk_signals_watch(&self->signals, self->master_loop, false); /* before the first fork */
    self->certificates.on_due = follow_certificates;
    if (!self->identity.given) {
        tusk_timer_start(self->master_loop, &self->certificates, FOLLOW_MS);
    }
    host->running = true;
    bool done =
        tusk_host_begun(start(self, reason, sizeof(reason)), reason, what) && supervise(self);
    host->running = false;
    tusk_signals_unwatch(&self->signals);
    tusk_timer_stop(self->master_loop, &self->certificates);
    tusk_crew_free(self->crew);
    self->crew = NULL;
    bool failed = host->failed;
    OBJ_RELEASE(object);
    if (failed) { /* in a handler of the master's */
        zend_bailout();
    }
    return done;
}

static bool leave(const tusk_host *host)
{
    tusk_crew *crew = tusk_workers_crew(host);
    if (crew != NULL) {
        tusk_crew_stop(crew);
    } else if (host->worker) {
        tusk_crew_worker_leave(host->workers->worker);
    }
    return crew != NULL;
}

static void free_master(tusk_workers *self)
{
    tusk_loop_free(self->master_loop);
    if (self->unready != NULL) {
        (void)munmap(self->unready, REASON_MAX);
    }
    efree(self);
}

/* ---- made ---- */
/* A string of digits was a number before there was a word, where types are not strict. */
bool tusk_workers_parse(zend_long *out, zval *given, uint32_t number)
{
    zend_string *text = NULL;
    bool is_null;
    double fraction;
    if (!zend_parse_arg_str_or_long(given, &text, out, &is_null, false, number)) {
        if (EG(exception) == NULL) {
            zend_wrong_parameter_type_error(number, Z_EXPECTED_STRING_OR_LONG, given);
        }
        return false;
    }
    if (text == NULL ||
        (!ZEND_ARG_USES_STRICT_TYPES() &&
         is_numeric_string(ZSTR_VAL(text), ZSTR_LEN(text), out, &fraction, false) == IS_LONG)) {
        return true;
    }
    return tusk_automatic_count(text, number, TUSK_CREW_WORKERS_MAX, out);
}

bool tusk_workers_valid(zend_long count, uint32_t number)
{
    if (count < 1 || count > TUSK_CREW_WORKERS_MAX) {
        zend_argument_value_error(number, "must be between 1 and %u, " ZEND_LONG_FMT " given",
                                  TUSK_CREW_WORKERS_MAX, count);
        return false;
    }
    return true;
}

bool tusk_workers_identity(tusk_identity *out, const zend_string *user, const zend_string *group,
                           uint32_t number)
{
    const char *user_name = user == NULL ? NULL : ZSTR_VAL(user);
    const char *group_name = group == NULL ? NULL : ZSTR_VAL(group);
    if (tusk_identity_find(out, user_name, NULL) != TUSK_OK) {
        zend_argument_value_error(number, "must be a user of this system, \"%s\" given", user_name);
        return false;
    }
    if (tusk_identity_find(out, user_name, group_name) != TUSK_OK) {
        zend_argument_value_error(number + 1, "must be a group of this system, \"%s\" given",
                                  group_name);
        return false;
    }
    return true;
}

static const tusk_master master = {.run = run, .leave = leave, .free = free_master};

bool tusk_workers_make(tusk_host *host, const tusk_workers_kind *kind, uint32_t count,
                       const tusk_identity *identity, int backlog, bool boots)
{
    if (count == 1 && !identity->given && !boots) {
        return true;
    }
    tusk_workers *self = ecalloc(1, sizeof(*self));
    tusk_err err = tusk_loop_new(&self->master_loop, NULL);
    if (err != TUSK_OK) {
        efree(self);
        tusk_throw(err, "Cannot make the master's loop");
        return false;
    }
    self->kind = kind;
    self->count = count;
    self->identity = *identity;
    self->backlog = backlog;
    self->boots = boots;
    host->workers = self;
    host->master = &master;
    return true;
}

/* ---- stopped ---- */
void tusk_workers_stop(tusk_host *host)
{
    if (host->worker) {
        tusk_crew_worker_stop(host->workers->worker);
    } else if (tusk_workers_crew(host) != NULL) {
        stop_crew(host->workers);
    } else {
        tusk_host_stop(host);
    }
}

void tusk_workers_number(const tusk_host *host, zval *out)
{
    if (host->worker) {
        ZVAL_LONG(out, tusk_crew_worker_slot(host->workers->worker));
    } else {
        ZVAL_NULL(out);
    }
}
