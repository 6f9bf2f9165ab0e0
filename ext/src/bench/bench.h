/* SPDX-License-Identifier: MIT */
/* What the classes of Tusk\Bench share. */
#ifndef TUSK_EXT_BENCH_H
#define TUSK_EXT_BENCH_H

#include "php_tusk.h"

#include <tusk/stats.h>

extern zend_class_entry *tusk_ce_bench_load;
extern zend_class_entry *tusk_ce_bench_histogram;
extern zend_class_entry *tusk_ce_bench_echo;

void tusk_bench_load_startup(void);
void tusk_bench_histogram_startup(void);
void tusk_bench_echo_startup(void);

/* A Histogram object with a copy of `from`. */
zend_object *tusk_ext_histogram_of(const tusk_hist *from);

#endif
