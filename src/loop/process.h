/* SPDX-License-Identifier: MIT */
/* Child processes: watched and reaped each by itself, so that nobody else's child is taken; what a
 * fork keeps open, whose death it shares, and which signals reach it. */
#ifndef LOOP_PROCESS_H
#define LOOP_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tusk/err.h>
#include <tusk/mem.h>

/* Readable when the process ended; -1 where there is none (old kernels, other systems). */
int tusk__pidfd_open(int pid);
/* 1: it ended (`*status` as waitpid tells it); 0: it runs; -1: it is not our child. */
int tusk__reap(int pid, int pidfd, int *status);
/* Whether that child has ended, or is none of ours; it stays to be reaped. */
bool tusk__has_ended(int pid);
/* What a pool's processes are called. */
#define TUSK_NAME_TEMPLATE "tusk-template"
#define TUSK_NAME_WORKER "tusk-worker"
/* Where one inherits children of processes that died (as the first process of a container, or by
 * PR_SET_CHILD_SUBREAPER): reaps those of that name that have ended. Others are the application's
 * to wait for. How many. */
uint32_t tusk__reap_orphans(const char *name);
/* As fork(), but the new process is a child of our parent, and the system has written its number to
 * `*pid`, which is shared with that parent, before it runs: so the parent knows it even where we
 * are killed in that moment. Only in a process that has one thread and that has done nothing since
 * it was forked: handlers of pthread_atfork() do not run once more. -1: not here (errno). */
int tusk__fork_sibling(_Atomic int *pid);

/* Opens /dev/null at each of 0, 1 and 2 that is closed: whoever prints there, or a library that
 * complains, would write into the socket or file that got its number. */
void tusk__hold_standard(void);
/* In the child. */
void tusk__close_all_but(int *kept, size_t count); /* beyond 2; sorts `kept` */
/* The same where objects of the parent live on, which write to their numbers and close them: what
 * is opened next must not have one of these. Those below 512 (and half of the limit) stay taken, by
 * what can neither be read nor written (EBADF), until somebody closes them. */
void tusk__end_all_but(int *kept, size_t count);
/* At most one parent's death away from one's own. False: it is dead already. Who changes its user
 * asks again: the system forgets it then. */
bool tusk__die_with(int parent);
void tusk__process_name(const char *name);
/* Nothing is done at that signal, as where it is ignored; but a program that is begun here does not
 * inherit that: what ends it (proc_terminate()) ends it. */
void tusk__pass_over(int number);
void tusk__calm_signals(void);
/* A file at its limit (RLIMIT_FSIZE) is an error of the write (EFBIG), not the end of a process
 * that serves others; a handler of the application's stays. */
void tusk__outlive_full_files(void);

/* What is open now beyond 2, ascending; tusk__free(mem, *out, *count * sizeof(int)). */
tusk_err tusk__open_descriptors(int **out, size_t *count, const tusk_mem *mem);

#endif
