/* SPDX-License-Identifier: MIT */
/* Output buffers of a task that runs in this process, while its stack is left aside. */
#include "src/run/aside.h"

static php_output_handler *top(void)
{
    php_output_handler **at = zend_stack_top(&OG(handlers));
    return at == NULL ? NULL : *at;
}

void tusk_aside_put(tusk_aside *self)
{
    int count = php_output_get_level() - TUSK_G(captured) + 1;
    *self = (tusk_aside){0};
    if (TUSK_G(captured) == 0 || count <= 0 || OG(running) != NULL) {
        return;
    }
    self->handlers = safe_emalloc((size_t)count, sizeof(*self->handlers), 0);
    while (self->count < count) {
        self->handlers[self->count++] = top();
        zend_stack_del_top(&OG(handlers));
    }
    OG(active) = top();
    TUSK_G(captured) = 0;
}

void tusk_aside_take(tusk_aside *self)
{
    if (self->handlers == NULL) {
        return;
    }
    TUSK_G(captured) = php_output_get_level() + 1;
    while (self->count > 0) {
        php_output_handler *handler = self->handlers[--self->count];
        handler->level = zend_stack_push(&OG(handlers), &handler) - 1;
        OG(active) = handler;
    }
    efree(self->handlers);
    self->handlers = NULL;
}
