/* SPDX-License-Identifier: MIT */
/* What the processor can do, asked where it is used: one load and a test, no state of ours. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stdbool.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define TUSK_CPU_X86 1
#define TUSK_TARGET_AVX2 __attribute__((target("avx2")))

static inline bool tusk__cpu_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}
/* clang knows the instructions, but before 19 not how to ask for them. */
#if !defined(__clang__) && __GNUC__ >= 11
#define TUSK_CPU_SHA 1
#define TUSK_TARGET_SHA __attribute__((target("sha,sse4.1")))

static inline bool tusk__cpu_has_sha(void)
{
    return __builtin_cpu_supports("sha") != 0 && __builtin_cpu_supports("sse4.1") != 0;
}
#endif
#else
static inline bool tusk__cpu_has_avx2(void)
{
    return false;
}
#endif

#endif
