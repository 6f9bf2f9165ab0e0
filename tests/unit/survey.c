/* SPDX-License-Identifier: MIT */
/* The survey of failing allocations: with TUSK_SURVEY set, a program of unit tests runs each of its
 * tests again and again, every time in a process of its own with another of the core's requests for
 * memory refused.
 *
 * What such a run may do: pass all the same, or have a claim of the test fail, for memory was not
 * there. What it may not do: crash, trip a sanitizer or an assert of the core, leave a block that
 * nobody points to any more, or spin. Blocks are looked for where the claim failed, with all frames
 * of the test still on the stack: what is reachable then the test would have freed, the rest is
 * lost. A test that waits for what will not come now is cut short where it next turns its loop. */
#define _GNU_SOURCE
#include "survey.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    RECORD_MS = 400, /* a long test is judged by what it asks for in this time */
    RUN_MS_MAX = 60000,
    SLICE_MS = 200, /* now and then the parent looks whether a process of the test was refused */
    SLICES = 5,     /* before the test loses its patience: another process may mend it */
    SAMPLE = 50,    /* runs of a group, where not all are wanted */
    SAID_MAX = 1 << 14
};

/* ---- in the parent: one run ---- */
static uint64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* What the runs so far took of the processors. */
static uint64_t worked_ms(void)
{
    struct rusage used;
    (void)getrusage(RUSAGE_CHILDREN, &used);
    return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
           (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
}

static survey_ending ending_of(int status)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    return code >= SURVIVED && code < CRASHED ? (survey_ending)code : CRASHED;
}

/* Waits without looking again and again: the child's end is a signal that is blocked here. A child
 * whose own request is refused has a clock for that; where it was one of its processes', it knows
 * nothing of it, and is told from here. */
static int wait_for(pid_t child, uint64_t ms, survey_record *record)
{
    sigset_t ends;
    int status = 0;
    uint64_t until = now_ms() + ms;
    uint64_t slice = now_ms() + SLICE_MS;
    unsigned slices = 0;
    (void)sigemptyset(&ends);
    (void)sigaddset(&ends, SIGCHLD);
    while (waitpid(child, &status, WNOHANG) == 0) {
        uint64_t now = now_ms();
        if (now >= until) {
            (void)kill(-child, SIGKILL);
            (void)kill(child, SIGKILL);
            (void)waitpid(child, &status, 0);
            return ms == RECORD_MS ? WAITED << 8 : SPUN << 8;
        }
        if (now >= slice) {
            slice = now + SLICE_MS;
            slices = record->refused > 0 && !record->has_clock ? slices + 1 : 0;
            if (slices > SLICES) {
                (void)kill(child, SURVEY_PATIENCE);
            }
        }
        uint64_t next = slice < until ? slice : until;
        struct timespec left = {.tv_sec = (time_t)((next - now) / 1000),
                                .tv_nsec = (long)((next - now) % 1000) * 1000000};
        (void)sigtimedwait(&ends, NULL, &left);
    }
    (void)kill(-child, SIGKILL); /* processes of the test that it could not end */
    return status;
}

typedef struct survey {
    const survey_group *tests;
    survey_record *record;
    int said; /* what the run printed */
    size_t endings[CRASHED + 1];
} survey;

static survey_ending run(survey *self, const survey_attempt *what, bool ever_after)
{
    bool records = what->request == 0;
    fflush(NULL);
    self->record->refused = 0;
    self->record->has_clock = 0;
    (void)ftruncate(self->said, 0);
    (void)lseek(self->said, 0, SEEK_SET);
    pid_t child = fork();
    if (child == 0) {
        sigset_t none;
        (void)sigemptyset(&none);
        (void)sigprocmask(SIG_SETMASK, &none, NULL);
        (void)dup2(self->said, 1);
        (void)dup2(self->said, 2);
        survey_be_the_test(self->tests, what, self->record, ever_after);
    }
    return ending_of(wait_for(child, records ? RECORD_MS : RUN_MS_MAX, self->record));
}

static void print_said(const survey *self)
{
    char text[SAID_MAX];
    ssize_t n = pread(self->said, text, sizeof(text), 0);
    fwrite(text, 1, n > 0 ? (size_t)n : 0, stdout);
}

/* ---- in the parent: which requests ---- */
typedef struct set {
    uint64_t *places;
    size_t cap, len;
} set;

static bool add(set *self, uint64_t hash)
{
    if (self->len * 2 >= self->cap) {
        set grown = {.cap = self->cap == 0 ? 1024 : self->cap * 2};
        grown.places = calloc(grown.cap, sizeof(uint64_t));
        for (size_t i = 0; i < self->cap; i++) {
            if (self->places[i] != 0) {
                (void)add(&grown, self->places[i]);
            }
        }
        free(self->places);
        *self = grown;
    }
    size_t at = (size_t)hash & (self->cap - 1);
    while (self->places[at] != 0 && self->places[at] != hash) {
        at = (at + 1) & (self->cap - 1);
    }
    bool added = self->places[at] == 0;
    self->places[at] = hash;
    self->len += added;
    return added;
}

typedef struct attempts {
    survey_attempt *list;
    size_t len, cap, done;
} attempts;

static void push(attempts *self, const survey_attempt *one)
{
    if (self->len == self->cap) {
        self->cap = self->cap == 0 ? 256 : self->cap * 2;
        self->list = realloc(self->list, self->cap * sizeof(*self->list));
    }
    self->list[self->len++] = *one;
}

typedef struct plan {
    attempts first;  /* a place that no other test of the program has shown */
    attempts second; /* a way to a place that this test alone takes */
    attempts rest;
    size_t recorded;
    uint64_t seed;
    set places, ways;
} plan;

/* What the test asks for when it gets everything. */
static survey_ending explore(survey *self, plan *all, size_t which)
{
    survey_attempt one = {.test = (uint32_t)which};
    self->record->count = 0;
    self->record->live = SIZE_MAX;
    survey_ending how = run(self, &one, false);
    size_t count =
        self->record->count < SURVEY_REQUESTS_MAX ? self->record->count : SURVEY_REQUESTS_MAX;
    one.live = self->record->live;
    one.slow = how == WAITED;
    for (size_t n = 0; n < count && how != UNREACHED; n++) {
        uint64_t way = (self->record->far[n] ^ (which + 1) * UINT64_C(0x9e3779b97f4a7c15)) | 1;
        bool new_place = add(&all->places, self->record->near[n]);
        bool new_way = add(&all->ways, way);
        one.request = (uint32_t)n + 1;
        push(new_place ? &all->first : new_way ? &all->second : &all->rest, &one);
        all->seed ^= self->record->near[n];
        all->recorded++;
    }
    return how;
}

/* Where time does not suffice for all, other code has another sample, and the same code the same.
 */
static void shuffle(attempts *self, uint64_t seed)
{
    uint64_t state = seed;
    for (size_t i = self->len; i > 1; i--) {
        size_t other = (size_t)(test_random(&state) % i);
        survey_attempt kept = self->list[i - 1];
        self->list[i - 1] = self->list[other];
        self->list[other] = kept;
    }
}

static const char *const ending_names[] = {"survived",
                                           "noticed",
                                           "waited",
                                           "unreached",
                                           "a leak",
                                           "a spin or a hang",
                                           "an assert of the core",
                                           "a crash"};

static size_t judge(survey *self, const survey_attempt *one, bool ever_after)
{
    survey_ending how = run(self, one, ever_after);
    self->endings[how]++;
    if (how < LEAKED) {
        return 0;
    }
    printf("not ok %u - %s: %s when request %u %s refused\n", one->test + 1,
           self->tests->tests[one->test].name, ending_names[how - SURVIVED], one->request,
           ever_after ? "and all behind it are" : "is");
    print_said(self);
    return 1;
}

/* What may still be tried. */
typedef struct allowance {
    uint64_t until_ms;
    uint64_t until_work_ms; /* beside others the processors give less in the same time */
    uint64_t last_ms;       /* even so */
    size_t attempts;
} allowance;

static bool is_used_up(const allowance *self)
{
    uint64_t now = now_ms();
    return self->attempts == 0 || now >= self->last_ms ||
           (now >= self->until_ms && worked_ms() >= self->until_work_ms);
}

static size_t try_all(survey *self, attempts *list, bool ever_after, allowance *left)
{
    size_t bad = 0;
    for (list->done = 0; list->done < list->len && !is_used_up(left); list->done++) {
        left->attempts--;
        bad += judge(self, &list->list[list->done], ever_after);
    }
    return bad;
}

static void plan_fini(plan *self)
{
    free(self->first.list);
    free(self->second.list);
    free(self->rest.list);
    free(self->places.places);
    free(self->ways.places);
}

static size_t survey_all(survey *self, uint64_t spare_ms, bool everything)
{
    plan all = {0};
    size_t bad = 0;
    for (size_t i = 0; i < self->tests->count; i++) {
        survey_ending how = explore(self, &all, i);
        if (how >= LEAKED) {
            bad++;
            printf("not ok %zu - %s: %s with all its memory\n", i + 1, self->tests->tests[i].name,
                   ending_names[how - SURVIVED]);
            print_said(self);
        }
    }
    allowance left = {.until_ms = UINT64_MAX, .last_ms = UINT64_MAX, .attempts = SIZE_MAX};
    if (!everything) { /* a machine that is fast does not find what others did not look for */
        left = (allowance){.until_ms = now_ms() + spare_ms,
                           .until_work_ms = worked_ms() + spare_ms / 2,
                           .last_ms = now_ms() + 4 * spare_ms,
                           .attempts = SAMPLE};
    }
    shuffle(&all.first, all.seed);
    shuffle(&all.second, all.seed);
    bad += try_all(self, &all.first, false, &left);
    bad += try_all(self, &all.second, false, &left);
    size_t places = all.first.done;
    size_t ways = all.second.done;
    if (everything) {
        bad += try_all(self, &all.rest, false, &left);
        bad += try_all(self, &all.first, true, &left);
        bad += try_all(self, &all.second, true, &left);
    }
    for (size_t i = bad; i < self->tests->count; i++) {
        printf("ok %zu - surveyed\n", i + 1);
    }
    printf("# survey %s: places %zu of %zu, ways %zu of %zu, requests %zu; survived %zu, noticed "
           "%zu, waited %zu, unreached %zu\n",
           self->tests->name, places, all.first.len, ways, all.second.len, all.recorded,
           self->endings[SURVIVED], self->endings[NOTICED], self->endings[WAITED],
           self->endings[UNREACHED]);
    plan_fini(&all);
    return bad;
}

/* "NAME:N" or "NAME:N+": that one run, in this process's sight. */
static int run_one(survey *self, const char *what)
{
    const char *colon = strrchr(what, ':');
    for (size_t i = 0; colon != NULL && i < self->tests->count; i++) {
        const char *name = self->tests->tests[i].name;
        if (strlen(name) == (size_t)(colon - what) && strncmp(name, what, strlen(name)) == 0) {
            char *rest;
            survey_attempt one = {.test = (uint32_t)i};
            one.request = (uint32_t)strtoul(colon + 1, &rest, 10);
            survey_ending how = run(self, &one, *rest == '+');
            print_said(self);
            printf("# %s\n", ending_names[how - SURVIVED]);
            return how >= LEAKED;
        }
    }
    return 0;
}

int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    const char *how = getenv("TUSK_SURVEY");
    const survey_group all = {name, tests, count, set_up, tear_down};
    if (how == NULL) {
        return test_run_and_look(&all);
    }
    survey self = {.tests = &all, .said = memfd_create("said", MFD_CLOEXEC)};
    sigset_t ends;
    (void)sigemptyset(&ends);
    (void)sigaddset(&ends, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &ends, NULL);
    self.record = mmap(NULL, sizeof(survey_record), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(self.said >= 0 && self.record != MAP_FAILED);
    size_t bad = strchr(how, ':') != NULL
                     ? (size_t)run_one(&self, how)
                     : survey_all(&self, strtoul(how, NULL, 10), strcmp(how, "all") == 0);
    (void)munmap(self.record, sizeof(survey_record));
    (void)close(self.said);
    return bad > 0;
}
