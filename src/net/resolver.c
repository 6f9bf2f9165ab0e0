/* SPDX-License-Identifier: MIT */
/* Name lookups: jobs that threads take, and that come back through a wake-up. */
#define _GNU_SOURCE
#include "net/resolver.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "base/mem.h"
#include "net/socket.h"

#define THREADS 4
#define NAMES_MAX 1024
#define STACK_BYTES ((size_t)512 * 1024) /* the modules of nsswitch.conf run on it */

/* A name under way. Threads see it from `waiting` until `done`; who waits for it is the loop's. */
typedef struct resolver_job {
    tusk_link queue; /* of the crew: waiting or done; none: a thread has it */
    tusk_link all;
    tusk_link lookups;
    tusk_resolver *resolver;
    uint16_t port;
    int count;
    tusk_addr addrs[RESOLVER_ADDRS_MAX];
    char host[RESOLVER_HOST_MAX + 1];
} resolver_job;

/* What threads share with the resolver: freed by whoever is the last. All under the lock. Its
 * memory is libc's, as an allocator of the loop's need not be safe in threads. */
typedef struct crew {
    pthread_mutex_t lock;
    unsigned refs;
    unsigned threads;
    tusk_link waiting;
    tusk_link done;
    tusk_wakeup *wakeup; /* NULL: the resolver is gone */
    tusk_look_up look_up;
    void *user;
} crew;

struct tusk_resolver {
    tusk_loop *loop;
    crew *crew;
    tusk_wakeup *wakeup;
    unsigned threads_max;
    unsigned names_max;
    unsigned names;
    bool pinned;
    tusk_link jobs;
};

static const tusk_mem *heap(void)
{
    return tusk_mem_default();
}

/* ---- in threads ---- */
static void crew_unref(crew *self)
{
    bool last = --self->refs == 0;
    (void)pthread_mutex_unlock(&self->lock);
    if (last) {
        (void)pthread_mutex_destroy(&self->lock);
        tusk__free(heap(), self, sizeof(*self));
    }
}

static void *work(void *arg)
{
    crew *self = arg;
    tusk_link *link;
    (void)pthread_mutex_lock(&self->lock);
    while ((link = tusk__list_pop(&self->waiting)) != NULL) {
        resolver_job *job = TUSK_OWNER(link, resolver_job, queue);
        (void)pthread_mutex_unlock(&self->lock);
        int count = self->look_up(self->user, job->addrs, RESOLVER_ADDRS_MAX, job->host, job->port);
        (void)pthread_mutex_lock(&self->lock);
        job->count = count;
        if (self->wakeup == NULL) {
            tusk__free(heap(), job, sizeof(*job));
        } else {
            tusk__list_push(&self->done, &job->queue);
            tusk_wakeup_send(self->wakeup);
        }
    }
    self->threads--;
    crew_unref(self);
    return NULL;
}

/* A thread may outlive whoever loaded this code: it must not be unloaded under it. */
static void stay_loaded(tusk_resolver *self)
{
    if (self->pinned) {
        return;
    }
    self->pinned = true;
#if defined(RTLD_NODELETE) && defined(RTLD_NOLOAD)
    Dl_info info;
    void *(*code)(void *) = work;
    void *address;
    memcpy(&address, &code, sizeof(address));
    if (dladdr(address, &info) != 0 && info.dli_fname != NULL) {
        void *handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        if (handle != NULL) {
            (void)dlclose(handle);
        }
    }
#endif
}

/* Signals are for the threads that wait for them. */
static bool start_thread(crew *self)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all;
    sigset_t before;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, &attributes, work, self) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return started;
}

/* ---- in the loop ---- */
static void forget(resolver_job *job)
{
    tusk__link_remove(&job->all);
    job->resolver->names--;
}

static void on_wakeup(void *user)
{
    tusk_resolver *self = user;
    for (;;) {
        (void)pthread_mutex_lock(&self->crew->lock);
        tusk_link *link = tusk__list_pop(&self->crew->done);
        (void)pthread_mutex_unlock(&self->crew->lock);
        if (link == NULL) {
            return;
        }
        resolver_job *job = TUSK_OWNER(link, resolver_job, queue);
        forget(job);
        while ((link = tusk__list_pop(&job->lookups)) != NULL) {
            tusk_lookup *lookup = TUSK_OWNER(link, tusk_lookup, link);
            lookup->job = NULL;
            lookup->on_done(lookup, job->addrs, job->count);
        }
        tusk__free(heap(), job, sizeof(*job));
    }
}

static int look_up_by_system(void *user, tusk_addr *out, int cap, const char *host, uint16_t port)
{
    (void)user;
    return tusk_addr_resolve(out, cap, host, port);
}

tusk_err tusk_resolver_new(tusk_resolver **out, tusk_loop *loop,
                           const tusk_resolver_options *options)
{
    *out = NULL;
    static const tusk_resolver_options defaults;
    options = options == NULL ? &defaults : options;
    tusk_resolver *self = tusk__new(tusk_loop_mem(loop), sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    self->loop = loop;
    self->threads_max = options->threads > 0 ? options->threads : THREADS;
    self->names_max = options->names > 0 ? options->names : NAMES_MAX;
    tusk__list_init(&self->jobs);
    tusk_err err = TUSK_ENOMEM;
    self->crew = tusk__new(heap(), sizeof(*self->crew));
    if (self->crew == NULL) {
        goto fail_crew;
    }
    err = tusk_wakeup_open(&self->wakeup, loop, on_wakeup, self);
    if (err != TUSK_OK) {
        err = err == TUSK_ESYS ? tusk__socket_err_of(errno) : err;
        goto fail_wakeup;
    }
    if (pthread_mutex_init(&self->crew->lock, NULL) != 0) {
        err = TUSK_ESYS;
        goto fail_lock;
    }
    self->crew->refs = 1;
    self->crew->wakeup = self->wakeup;
    self->crew->look_up = options->look_up == NULL ? look_up_by_system : options->look_up;
    self->crew->user = options->user;
    tusk__list_init(&self->crew->waiting);
    tusk__list_init(&self->crew->done);
    tusk_loop_background(loop, 1);
    *out = self;
    return TUSK_OK;

fail_lock:
    tusk_wakeup_close(self->wakeup);
fail_wakeup:
    tusk__free(heap(), self->crew, sizeof(*self->crew));
fail_crew:
    tusk__free(tusk_loop_mem(loop), self, sizeof(*self));
    return err;
}

void tusk_resolver_free(tusk_resolver *self)
{
    if (self == NULL) {
        return;
    }
    tusk_link *link;
    (void)pthread_mutex_lock(&self->crew->lock);
    tusk__list_splice(&self->crew->done, &self->crew->waiting);
    while ((link = tusk__list_pop(&self->crew->done)) != NULL) {
        resolver_job *job = TUSK_OWNER(link, resolver_job, queue);
        forget(job);
        tusk__free(heap(), job, sizeof(*job));
    }
    while ((link = tusk__list_pop(&self->jobs)) != NULL) { /* a thread has it and frees it */
        assert(tusk__list_empty(&TUSK_OWNER(link, resolver_job, all)->lookups));
    }
    self->crew->wakeup = NULL;
    crew_unref(self->crew);
    tusk_wakeup_close(self->wakeup);
    tusk_loop_background(self->loop, -1);
    tusk__free(tusk_loop_mem(self->loop), self, sizeof(*self));
}

static resolver_job *find(const tusk_resolver *self, const char *host, uint16_t port)
{
    for (tusk_link *link = self->jobs.next; link != &self->jobs; link = link->next) {
        resolver_job *job = TUSK_OWNER(link, resolver_job, all);
        if (job->port == port && strcmp(job->host, host) == 0) {
            return job;
        }
    }
    return NULL;
}

/* One thread more, unless there are enough; those that run take what waits before they end. */
static tusk_err hand_over(tusk_resolver *self, resolver_job *job)
{
    crew *shared = self->crew;
    tusk_err err = TUSK_OK;
    stay_loaded(self);
    (void)pthread_mutex_lock(&shared->lock);
    tusk__list_push(&shared->waiting, &job->queue);
    if (shared->threads < self->threads_max) {
        shared->refs++;
        shared->threads++;
        if (!start_thread(shared)) {
            shared->refs--;
            shared->threads--;
            if (shared->threads == 0) {
                tusk__link_remove(&job->queue);
                err = TUSK_EEXHAUSTED;
            }
        }
    }
    (void)pthread_mutex_unlock(&shared->lock);
    return err;
}

static tusk_err make_job(resolver_job **out, tusk_resolver *self, const char *host, uint16_t port)
{
    size_t len = strlen(host);
    *out = NULL;
    if (len == 0 || len > RESOLVER_HOST_MAX) {
        return TUSK_EINVAL;
    }
    if (self->names >= self->names_max) {
        return TUSK_ELIMIT;
    }
    resolver_job *job = tusk__new(heap(), sizeof(*job));
    if (job == NULL) {
        return TUSK_ENOMEM;
    }
    job->resolver = self;
    job->port = port;
    memcpy(job->host, host, len + 1);
    tusk__list_init(&job->lookups);
    tusk_err err = hand_over(self, job);
    if (err != TUSK_OK) {
        tusk__free(heap(), job, sizeof(*job));
        return err;
    }
    tusk__list_push(&self->jobs, &job->all);
    self->names++;
    *out = job;
    return TUSK_OK;
}

tusk_err tusk_resolver_start(tusk_resolver *self, tusk_lookup *lookup, const char *host,
                             uint16_t port)
{
    assert(lookup->job == NULL);
    resolver_job *job = find(self, host, port);
    if (job == NULL) {
        tusk_err err = make_job(&job, self, host, port);
        if (err != TUSK_OK) {
            return err;
        }
    }
    lookup->job = job;
    tusk__list_push(&job->lookups, &lookup->link);
    return TUSK_OK;
}

/* A name that nobody wants any more takes no thread, unless it has one. */
void tusk_lookup_cancel(tusk_lookup *self)
{
    resolver_job *job = self->job;
    if (job == NULL) {
        return;
    }
    tusk__link_remove(&self->link);
    self->job = NULL;
    if (!tusk__list_empty(&job->lookups)) {
        return;
    }
    crew *shared = job->resolver->crew;
    (void)pthread_mutex_lock(&shared->lock);
    bool ours = tusk__link_linked(&job->queue);
    tusk__link_remove(&job->queue);
    (void)pthread_mutex_unlock(&shared->lock);
    if (ours) {
        forget(job);
        tusk__free(heap(), job, sizeof(*job));
    }
}
