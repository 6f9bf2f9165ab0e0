/* SPDX-License-Identifier: MIT */
/* What a process of a pool is: prepared once in the template, told what to run. */
#include "src/parallel/parallel.h"
#include "src/parallel/output.h"
#include "src/run/bootstrap.h"
#include "src/run/random.h"

#include <Zend/zend_exceptions.h>
#include <dirent.h>
#include <limits.h>
#include <main/SAPI.h>
#include <main/php_output.h>
#include <unistd.h>

/* ---- a task ---- */
/* set_time_limit() is its task's: it would end another one. */
static void forget_time_limit(void)
{
    if (EXPECTED(EG(timeout_seconds) == 0) || TUSK_G(task_depth) > 0) {
        return;
    }
    zend_string *name = zend_string_init(ZEND_STRL("max_execution_time"), 0);
    (void)zend_alter_ini_entry_chars(name, ZEND_STRL("0"), PHP_INI_USER, PHP_INI_STAGE_RUNTIME);
    zend_string_release(name);
}

static bool on_run(tusk_worker *worker, const tusk_work_task *task, void *user)
{
    tusk_pool *pool = user;
    tusk_packer out;
    tusk_packer_init(&out, NULL, 0);
    const tusk_errand errand = {.request = task->request,
                                .job = pool->guest_job,
                                .argc = pool->guest_argc,
                                .argv = pool->guest_argv,
                                .to = worker,
                                .timed = !task->watched}; /* run() tells no times */
    bool fit = tusk_answer_write(&out, pool, &errand);
    if (out.ptr != NULL) {
        tusk_worker_answer(worker, out.len);
    }
    tusk_packer_fini(&out);
    forget_time_limit();
    tusk_interrupt_forget(); /* the core looks itself after what is around this one */
    if (UNEXPECTED(EG(exception) != NULL)) {
        tusk_clear_exception(); /* a destructor's, of something that the task left */
    }
    return fit;
}

/* ---- the template, and a worker's beginning ---- */
/* Other pools of the application, or the one whose task made this one, are not its own either:
 * their descriptors are closed, and their memory would stay as long as this process. */
static void leave_other_pools(const tusk_pool *own)
{
    for (uint32_t i = 1; i < EG(objects_store).top; i++) {
        zend_object *object = EG(objects_store).object_buckets[i];
        if (!IS_OBJ_VALID(object) || object->ce != tusk_ce_pool || object == &own->std) {
            continue;
        }
        tusk_pool *pool = tusk_pool_of(object);
        tusk_pool_leave_loop(pool);
        pool->waiters = NULL;
        if (pool->core != NULL) {
            tusk_work_detach(pool->core);
        } else if (pool->worker != NULL) {
            tusk_worker_detach(pool->worker);
        }
    }
}

/* Of this process's own output nothing has been sent, whatever its maker sent: header() and
 * session_start() work in a task as in a script. Where a web server is behind PHP it is not this
 * process that may answer. */
static void renew_output(void)
{
    SG(headers_sent) = 1; /* or the end of the output would send them */
    php_output_deactivate();
    SG(headers_sent) = strcmp(sapi_module.name, "cli") != 0;
    php_output_activate();
}

/* This process is another one now: what the application's loop and server held is not its own. */
static void become_another(tusk_pool *pool)
{
    leave_other_pools(pool);
    TUSK_G(worker) = NULL;
    TUSK_G(worker_pool) = NULL;
    tusk_output_detach();
    renew_output();
    if (TUSK_G(loop) != NULL) {
        TUSK_G(parents_loop) = TUSK_G(loop);
        TUSK_G(parents_timers) = TUSK_G(timers);
    }
    TUSK_G(loop) = NULL;
    TUSK_G(fiber) = NULL;
    TUSK_G(idle_fibers) = NULL;
    TUSK_G(idle_fiber_count) = 0;
    TUSK_G(parked_fibers) = 0;
    TUSK_G(waits) = NULL;
    TUSK_G(call) = NULL;
    TUSK_G(run) = NULL;
    TUSK_G(running_host) = NULL;
    TUSK_G(timers) = NULL;
    TUSK_G(watches) = NULL;
    TUSK_G(strands) = NULL;
    TUSK_G(inner) = NULL;
    TUSK_G(scope) = NULL;
    TUSK_G(scope_frames) = NULL;
    TUSK_G(own_loop) = NULL;
    TUSK_G(client) = NULL;
    TUSK_G(own_client) = NULL;
    EG(active_fiber) = NULL;
    pool->core = NULL;
    pool->lane = NULL;
    pool->waiters = NULL;
    pool->loop = NULL;
    tusk_time_limit_anew();
    zend_set_timeout(0, 0);
    tusk_output_start();
}

static bool on_prepare(char *reason, size_t cap, void *user)
{
    tusk_pool *pool = user;
    become_another(pool);
    if (!tusk_memory_set_limit(pool->memory)) {
        snprintf(reason, cap, "memory: %s is less than this process holds", ZSTR_VAL(pool->memory));
        return false;
    }
    if (EG(exception) != NULL) { /* a fresh one's, of what it received */
        tusk_bootstrap_why(reason, cap, false);
        return false;
    }
    if (Z_TYPE(pool->bootstrap) <= IS_NULL) {
        return true;
    }
    bool ok = tusk_bootstrap_call(&pool->bootstrap, 0, NULL);
    if (!ok) {
        tusk_bootstrap_why(reason, cap, false);
    }
    (void)php_output_clean();
    return ok;
}

static void on_begin(tusk_worker *worker, void *user)
{
    tusk_pool *pool = user;
    if (tusk_worker_guest(worker)) {
        become_another(pool);
        (void)tusk_memory_set_limit(pool->memory); /* else the caller's stays */
    }
    tusk_random_anew();
    tusk_time_limit_anew();
    zend_set_timeout(0, 1); /* the signal of set_time_limit() was given back with all others */
    tusk_interrupt_begin();
    TUSK_G(worker) = worker;
    TUSK_G(worker_pool) = pool;
    TUSK_G(task_depth) = 0;
    pool->worker = worker;
    pool->closed = false;
    pool->forks = tusk_calls_forks();
    while (pool->here != NULL) { /* its maker's */
        tusk_task_leave_here(pool->here);
    }
    pool->lane = tusk_worker_lane(worker);
    pool->slots = 64;
    if (pool->by_slot != NULL) {
        efree(pool->by_slot); /* the application's, as it was in the moment of the fork */
    }
    pool->by_slot = ecalloc(pool->slots, sizeof(*pool->by_slot));
    memset(&pool->counters, 0, sizeof(pool->counters));
}

/* Under opcache every file that is compiled takes a lock of a descriptor that opcache opened when
 * PHP started; without it the process ends. */
static size_t find_locks(int *out, size_t cap)
{
    char path[32];
    char name[PATH_MAX];
    size_t count = 0;
    DIR *open_ones = opendir("/proc/self/fd");
    const struct dirent *entry;
    while (open_ones != NULL && count < cap && (entry = readdir(open_ones)) != NULL) {
        int fd = atoi(entry->d_name);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        ssize_t len = fd < 3 ? 0 : readlink(path, name, sizeof(name) - 1);
        name[len < 0 ? 0 : len] = '\0';
        if (strstr(name, "/.ZendSem.") != NULL || strstr(name, "opcache_lock") != NULL) {
            out[count++] = fd;
        }
    }
    if (open_ones != NULL) {
        (void)closedir(open_ones);
    }
    return count;
}

/* Looked for once, in the template: its workers have what it kept. */
static size_t on_keep(int *out, size_t cap, void *user)
{
    enum { LOCKS_MAX = 8 };
    static int locks[LOCKS_MAX];
    static size_t count;
    static bool known;
    (void)user;
    if (!known) {
        known = true;
        count = zend_hash_str_exists(&module_registry, ZEND_STRL("zend opcache"))
                    ? find_locks(locks, LOCKS_MAX)
                    : 0;
    }
    size_t given = count < cap ? count : cap;
    memcpy(out, locks, given * sizeof(*out));
    return given;
}

const tusk_work_calls tusk_pool_calls = {.receive = tusk_fresh_receive,
                                         .prepare = on_prepare,
                                         .begin = on_begin,
                                         .run = on_run,
                                         .interrupt = tusk_interrupt_ask,
                                         .keep = on_keep};
