/* SPDX-License-Identifier: MIT */
/* A supervisor's two conventions, as the environment has them: sockets handed over (LISTEN_FDS),
 * and where to tell it how things are (NOTIFY_SOCKET). */
#include "src/supervisor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <tusk/loop.h>
#include <tusk/supervisor.h>
#include <unistd.h>

/* ---- sockets ---- */
static long number_of(const char *name)
{
    const char *text = getenv(name);
    char *end;
    if (text == NULL || *text == '\0') {
        return -1;
    }
    long value = strtol(text, &end, 10);
    return *end == '\0' ? value : -1;
}

int tusk_supervised_socket(const char *address)
{
    long count = number_of("LISTEN_FDS");
    int fd = -1;
    if (count > 0 && count <= TUSK_SUPERVISOR_FDS_MAX &&
        number_of("LISTEN_PID") == (long)getpid()) {
        (void)tusk_supervisor_socket(&fd, (int)count, address);
    }
    return fd;
}

/* ---- what is told ---- */
void tusk_supervised_tell(tusk_supervised what)
{
    static const char *const words[] = {
        [TUSK_SUPERVISED_READY] = "READY=1",
        [TUSK_SUPERVISED_RELOADING] = "RELOADING=1",
        [TUSK_SUPERVISED_STOPPING] = "STOPPING=1",
    };
    const char *socket = getenv("NOTIFY_SOCKET");
    if (socket == NULL) {
        return;
    }
    char text[80];
    int len = what == TUSK_SUPERVISED_RELOADING
                  ? snprintf(text, sizeof(text), "%s\nMONOTONIC_USEC=%" PRIu64, words[what],
                             tusk_loop_clock_ns() / 1000)
                  : snprintf(text, sizeof(text), "%s", words[what]);
    (void)tusk_supervisor_tell(socket, tusk_bytes_of(text, (size_t)len));
}
