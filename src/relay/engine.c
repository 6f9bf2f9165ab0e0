/* SPDX-License-Identifier: MIT */
/* What moves the bytes of this relay, and what its log and its operator hear of that. */
#include <tusk/relay.h>

#include <stdarg.h>
#include <stdio.h>

#include "relay/inner.h"

void relay_engine_set(tusk_relay *self, bool enabled, const char *format, ...)
{
    char text[RELAY_ENGINE_TEXT - 16];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    (void)snprintf(self->engine_text, sizeof(self->engine_text), "%s (%s)",
                   enabled ? "enabled" : "unavailable", text);
}

void relay_engine_tell(tusk_relay *self)
{
    char line[RELAY_ENGINE_TEXT + 16];
    (void)snprintf(line, sizeof(line), "%s: %s",
                   self->engine == TUSK_ENGINE_SOCKMAP ? "Sockmap" : "io_uring", self->engine_text);
    relay_log(self, line);
}

const char *tusk_relay_engine_state(const tusk_relay *self)
{
    switch (self->engine) {
    case TUSK_ENGINE_COPY: return "enabled (copy)";
    case TUSK_ENGINE_SPLICE:
#if defined(__linux__)
        return "enabled (splice)";
#else
        return "unavailable (only Linux splices; bytes are copied)";
#endif
    case TUSK_ENGINE_URING:
        return self->engine_text[0] != '\0' ? self->engine_text
                                            : "unavailable (the relay is not started)";
    case TUSK_ENGINE_SOCKMAP: return self->engine_text;
    }
    return "";
}

const char *tusk_relay_uring_library(void)
{
#if defined(TUSK_HAVE_LIBURING)
#define AS_TEXT(number) #number
#define TEXT_OF(number) AS_TEXT(number)
    return "liburing " TEXT_OF(TUSK_HAVE_LIBURING);
#else
    return NULL;
#endif
}
