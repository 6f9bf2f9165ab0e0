/* SPDX-License-Identifier: MIT */
/* What the master says of its workers, in sentences. */
#define _GNU_SOURCE
#include "crew/inner.h"

#include <stdarg.h>
#include <stdio.h>

enum { LOG_MAX = 256 };

void crew_log(const tusk_crew *self, const char *format, ...)
{
    char text[LOG_MAX];
    va_list args;
    if (self->options.calls->on_log == NULL) {
        return;
    }
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    self->options.calls->on_log(self->options.user, text);
}
