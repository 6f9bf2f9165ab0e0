/* SPDX-License-Identifier: MIT */
/* The version of the library, as numbers and as text. */
#ifndef TUSK_VERSION_H
#define TUSK_VERSION_H

#define TUSK_VERSION_MAJOR 0
#define TUSK_VERSION_MINOR 1
#define TUSK_VERSION_PATCH 0
#define TUSK_VERSION "0.1.0-dev"

#if defined(__GNUC__)
#define TUSK_API __attribute__((visibility("default")))
#define TUSK_HIDDEN __attribute__((visibility("hidden")))
#define TUSK_LIKELY(x) __builtin_expect(!!(x), 1)
#define TUSK_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define TUSK_API
#define TUSK_HIDDEN
#define TUSK_LIKELY(x) (x)
#define TUSK_UNLIKELY(x) (x)
#endif

#endif
