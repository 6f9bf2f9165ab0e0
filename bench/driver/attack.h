/* SPDX-License-Identifier: MIT */
/* Attack: hostile clients in a process of their own, which runs only when the core has nothing else
 * to do. */
#ifndef BENCH_ATTACK_H
#define BENCH_ATTACK_H

#include "driver.h"

/* Names with what they do, one a line. */
extern const char attack_usage[];

/* Begins; the process to end, or 0 for "none". Dies on an unknown name. */
pid_t attack_start(const driver_options *options);
/* Stops it where it is, with its connections open, or lets it go on. */
void attack_pause(pid_t pid, bool pause);
void attack_end(pid_t pid);
/* Connections that a bounded flood has made so far. */
uint64_t attack_made(void);

/* flood.c: --attack-rate connections a second, each with the same first words, none of which goes
 * further; the last --attackers of them are open. */
void flood_hellos(const driver_options *options, volatile uint64_t *made);
void flood_requests(const driver_options *options, volatile uint64_t *made);

#endif
