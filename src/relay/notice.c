/* SPDX-License-Identifier: MIT */
/* Notices: one of each kind in ten seconds, of targets sixteen. */
#include "relay/notice.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "relay/inner.h"

enum { SAY_AGAIN_MS = 10000, NOTICE_TEXT_MAX = 640, HEALTH_LINES = 16 };

void relay_say(tusk_relay *relay, relay_notice_kind kind, const char *format, ...)
{
    relay_notice *self = &relay->notices[kind];
    uint64_t now_ms = tusk_loop_now_ms(relay->loop);
    char text[NOTICE_TEXT_MAX];
    char line[NOTICE_TEXT_MAX + 64];
    va_list args;
    uint32_t lines = kind == NOTICE_HEALTH ? HEALTH_LINES : 1;
    bool anew = self->said_ms == 0 || now_ms - self->said_ms >= SAY_AGAIN_MS;
    if (!anew && self->said >= lines) {
        self->unsaid++;
        return;
    }
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    (void)snprintf(line, sizeof(line),
                   self->unsaid > 0 ? "%s (and %" PRIu64 " times before)" : "%s", text,
                   self->unsaid);
    *self =
        (relay_notice){.said_ms = anew ? now_ms : self->said_ms, .said = anew ? 1 : self->said + 1};
    relay_log(relay, line);
}

void relay_lost(tusk_relay *relay, tusk_err why)
{
    if (why == TUSK_ENOMEM) {
        relay->stats.out_of_memory++;
        return;
    }
    relay_say(relay, NOTICE_WATCH, NET_GATE_WATCHES_SPENT);
}
