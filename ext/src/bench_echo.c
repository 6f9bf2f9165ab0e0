/* SPDX-License-Identifier: MIT */
/* EchoServer: small servers in processes of their own, for calibration. */
#include "src/bench.h"

#define NOT_YET(class_name, method)                                                                \
    TUSK_METHOD(class_name, method)                                                                \
    {                                                                                              \
        zend_throw_error(NULL, "the echo servers are not part of this build");                     \
    }

NOT_YET(Tusk_Bench_EchoServer, __construct)
NOT_YET(Tusk_Bench_EchoServer, port)
NOT_YET(Tusk_Bench_EchoServer, pids)
NOT_YET(Tusk_Bench_EchoServer, stop)

void tusk_bench_echo_startup(void)
{
}
