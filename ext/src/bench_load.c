/* SPDX-License-Identifier: MIT */
/* Load: a run of the load engine. */
#include "src/bench.h"

#define NOT_YET(class_name, method)                                                                \
    TUSK_METHOD(class_name, method)                                                                \
    {                                                                                              \
        zend_throw_error(NULL, "the load engine is not part of this build");                       \
    }

NOT_YET(Tusk_Bench_Load, options)
NOT_YET(Tusk_Bench_Load, __construct)
NOT_YET(Tusk_Bench_Load, start)
NOT_YET(Tusk_Bench_Load, poll)
NOT_YET(Tusk_Bench_Load, stop)
NOT_YET(Tusk_Bench_Load, partial)
NOT_YET(Tusk_Bench_Load, phase)
NOT_YET(Tusk_Bench_Load, counters)
NOT_YET(Tusk_Bench_Load, histogram)
NOT_YET(Tusk_Bench_Load, intervals)
NOT_YET(Tusk_Bench_Load, workers)
NOT_YET(Tusk_Bench_Load, facts)

void tusk_bench_load_startup(void)
{
}
