/* SPDX-License-Identifier: MIT */
/* What handlers echo, into the log of their process: each one's last line is ended with it, or
 * lines of two run together, and a reader of lines waits for the rest. */
#include "src/run/call.h"

#include <SAPI.h>

static size_t (*write_on)(const char *text, size_t len);

/* Of a handler that the line began with; what runs below a handler is none. */
static const tusk_call *writer(void)
{
    const tusk_call *call = TUSK_G(call);
    return call != NULL && call->host != NULL ? call : NULL;
}

/* Past all buffers of PHP's. */
static size_t write_text(const char *text, size_t len)
{
    const tusk_call *call = writer();
    if (call != TUSK_G(open_line)) {
        tusk_output_end_line(TUSK_G(open_line));
    }
    if (len > 0) {
        TUSK_G(open_line) = text[len - 1] == '\n' ? NULL : call;
    }
    return write_on(text, len);
}

void tusk_output_end_line(const tusk_call *call)
{
    if (call != NULL && call == TUSK_G(open_line)) {
        TUSK_G(open_line) = NULL;
        (void)write_on("\n", 1);
    }
}

bool tusk_sapi_serves(void)
{
    static const char *const names[] = {"cli", "phpdbg", "embed", "micro"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(sapi_module.name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

void tusk_output_startup(void)
{
    if (tusk_sapi_serves()) {
        write_on = sapi_module.ub_write;
        sapi_module.ub_write = write_text;
    }
}

void tusk_output_shutdown(void)
{
    if (sapi_module.ub_write == write_text) {
        sapi_module.ub_write = write_on;
    }
}
