/* SPDX-License-Identifier: MIT */
/* What those who serve with certificates do about them while they run. */
#include <tusk/loop.h>
#include <tusk/tls.h>

#include <stdio.h>

#include "net/tls_inner.h"

/* What is to be said of it; false: nothing, it was said when it began, or somebody else says it. */
static bool reload(tusk_tls *self, unsigned what, char *text, size_t cap)
{
    char reason[512];
    tusk_err err = tusk_tls_reload(self, reason, sizeof(reason));
    (void)snprintf(text, cap, "certificates %s%s",
                   err == TUSK_OK ? "reloaded" : "not reloaded, the old ones stay: ",
                   err == TUSK_OK ? "" : reason);
    bool speaks = (what & (TUSK_TLS_READ | TUSK_TLS_WARN)) != 0;
    return err == TUSK_OK ? speaks : err != TUSK_EAGAIN;
}

void tusk_tls_tend(tusk_tls *self, unsigned what, void (*say)(void *user, const char *text),
                   void *user)
{
    char text[1024];
    tusk__tls_tend_tickets(self);
    bool reads = (what & TUSK_TLS_READ) != 0 ||
                 ((what & TUSK_TLS_READ_CHANGED) != 0 && tusk_tls_changed(self));
    if (reads && reload(self, what, text, sizeof(text))) {
        say(user, text);
    }
    while ((what & TUSK_TLS_WARN) != 0 &&
           tusk_tls_warns(self, tusk_loop_wall_s(), text, sizeof(text))) {
        say(user, text);
    }
}
