/* SPDX-License-Identifier: MIT */
/*
 * The kernel's own relay, loaded: BPF maps and a program that pass bytes from one plain TCP socket
 * to another without user space (TUSK_ENGINE_SOCKMAP).
 *
 * Loading needs CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON (or root); using what is loaded needs
 * nothing (Linux 5.19). So a parent loads, forks its workers, and each gives the same handle to its
 * relay (tusk_relay_options.sockmap), whatever rights it has kept: the handle is plain memory and
 * descriptors, both of which a fork inherits. Relays of one handle do not see each other's pairs.
 */
#ifndef TUSK_SOCKMAP_H
#define TUSK_SOCKMAP_H

#include <stddef.h>
#include <stdint.h>
#include <tusk/err.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tusk_sockmap tusk_sockmap;

typedef struct tusk_sockmap_options {
    const char *object; /* a BPF object file instead of the program built in; NULL: that one */
    uint32_t pairs;     /* in the kernel at once, of all relays; the rest is copied. 0: 65536 */
    uint32_t relays;    /* that use it at once: one per worker. 0: 128 */
} tusk_sockmap_options;

/* `options` NULL: the defaults. TUSK_ENOTSUP: not built in, or no such kernel; TUSK_EACCES: a
 * capability lacks; TUSK_EINVAL: no such file, or not such an object; TUSK_ENOMEM. `reason` says
 * it in words. */
TUSK_API tusk_err tusk_sockmap_load(tusk_sockmap **out, const tusk_sockmap_options *options,
                                    char *reason, size_t reason_cap);
/* Counted in each process by itself. */
TUSK_API tusk_sockmap *tusk_sockmap_ref(tusk_sockmap *self);
TUSK_API void tusk_sockmap_unref(tusk_sockmap *self); /* NULL is fine */
/* Its descriptors, for a child that closes those it does not know; how many there are. All are
 * close-on-exec. */
TUSK_API size_t tusk_sockmap_fds(const tusk_sockmap *self, int *fds, size_t cap);
/* "libbpf 1.1"; NULL: this build has none. */
TUSK_API const char *tusk_sockmap_library(void);

#ifdef __cplusplus
}
#endif
#endif
