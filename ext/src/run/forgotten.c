/* SPDX-License-Identifier: MIT */
/* A server, proxy or timer that the main script made and never ran: said once, at the script's end.
 */
#include "src/run/host.h"

#include <SAPI.h>
#include <unistd.h>

/* Whether who makes it is code of the main script's own file. A framework's command, or a test
 * runner, that makes one in a class for something else is not to be reminded. */
static uint32_t main_script_line(void)
{
    const zend_execute_data *nearest = NULL;
    const zend_execute_data *main = NULL;
    for (const zend_execute_data *at = EG(current_execute_data); at != NULL;
         at = at->prev_execute_data) {
        if (at->func != NULL && ZEND_USER_CODE(at->func->type)) {
            nearest = nearest == NULL ? at : nearest;
            main = at;
        }
    }
    bool own = nearest != NULL &&
               zend_string_equals(nearest->func->op_array.filename, main->func->op_array.filename);
    return own ? nearest->opline->lineno : 0;
}

void tusk_forgotten_init(tusk_forgotten *self)
{
    self->line = strcmp(sapi_module.name, "cli") == 0 ? main_script_line() : 0;
    self->process = (int)getpid();
}

/* One line is enough, and a script that ends with a failure says so itself. */
static bool is_forgotten(const tusk_forgotten *made)
{
    if (TUSK_G(run_called) || EG(exit_status) != 0 || made->line == 0 ||
        made->process != (int)getpid()) {
        return false;
    }
    TUSK_G(run_called) = true;
    return true;
}

void tusk_forgotten_tell(const tusk_host *self, size_t listeners)
{
    const tusk_forgotten *made = &self->forgotten;
    /* What a script lets go of before its end is on purpose. */
    if ((EG(flags) & EG_FLAGS_IN_SHUTDOWN) == 0 || listeners == 0 || !is_forgotten(made)) {
        return;
    }
    tusk_log("the script ended without run(): the %s that it made in line %u serves nobody. Its "
             "last line is to be exit($%s->run());",
             self->kind->what, made->line, self->kind->what);
}

void tusk_forgotten_tell_timer(const tusk_forgotten *made)
{
    if (is_forgotten(made)) {
        tusk_log("the script ended before the timer of line %u was due: timers run while a server "
                 "does. Its last line is to be exit($server->run());",
                 made->line);
    }
}
