/* SPDX-License-Identifier: MIT */
/* Output buffers of a call or a task of this process, while its stack is left aside. */
#include "src/run/aside.h"

#include "src/run/call.h"

static php_output_handler *top(void)
{
    php_output_handler **at = zend_stack_top(&OG(handlers));
    return at == NULL ? NULL : *at;
}

/* Level of the outermost buffer that may be this stack's own. */
static int first_own(void)
{
    const tusk_call *call = TUSK_G(call);
    while (call != NULL && call->outer != NULL) {
        call = call->outer;
    }
    if (call != NULL) {
        return call->output_level + 1;
    }
    return TUSK_G(captured) > 0 ? TUSK_G(captured) : tusk_output_level() + 1;
}

void tusk_aside_put(tusk_aside *self)
{
    *self = (tusk_aside){.first = first_own(), .captured = TUSK_G(captured)};
    TUSK_G(captured) = 0;
    int count = tusk_output_level() - self->first + 1;
    if (count <= 0) {
        return;
    }
    self->handlers = safe_emalloc((size_t)count, sizeof(*self->handlers), 0);
    while (self->count < count) {
        self->handlers[self->count++] = top();
        zend_stack_del_top(&OG(handlers));
    }
    OG(active) = top();
}

void tusk_aside_take(tusk_aside *self)
{
    int moved = tusk_output_level() + 1 - self->first; /* others may have come or gone below */
    TUSK_G(captured) = self->captured == 0 ? 0 : self->captured + moved;
    for (tusk_call *call = TUSK_G(call); call != NULL; call = call->outer) {
        call->output_level += moved;
    }
    if (self->handlers == NULL) {
        return;
    }
    while (self->count > 0) {
        php_output_handler *handler = self->handlers[--self->count];
        handler->level = zend_stack_push(&OG(handlers), &handler);
        OG(active) = handler;
    }
    efree(self->handlers);
    self->handlers = NULL;
}

void tusk_aside_drop(int level)
{
    while (tusk_output_level() > level) {
        OG(active)->flags |= PHP_OUTPUT_HANDLER_REMOVABLE; /* ob_start(flags: 0) */
        if (php_output_discard() != SUCCESS) {
            return;
        }
    }
}
