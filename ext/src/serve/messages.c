/* SPDX-License-Identifier: MIT */
/* Messages: foreach ($connection as $data), the fiber waits between them. */
#include "src/serve/connection.h"
#include "src/run/fiber.h"

#include <ext/spl/spl_exceptions.h>

typedef struct waiting {
    struct waiting *next;
    zend_string *text;
    unsigned opcode;
} waiting;

struct tusk_messages {
    tusk_peer *connection; /* a reference */
    waiting *first, *last;
    zend_string *current; /* NULL: none yet, or the end */
    unsigned opcode;
    tusk_wait wait;
    bool started;
    bool ended;
    bool holding;          /* the session gives no more before this message was asked for */
    tusk_service *service; /* in whose list it is; NULL: the connection is being freed */
    struct tusk_messages *prev, *next;
    zend_object std;
};

static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(tusk_messages, ce, &handlers)->std;
}

static void hold(tusk_messages *self)
{
    if (!self->holding && !self->ended && tusk_peer_alive(self->connection)) {
        self->holding = true;
        tusk_session_park(self->connection->service->core, self->connection->session);
    }
}

static void let_on(tusk_messages *self)
{
    if (self->holding) {
        self->holding = false;
        if (self->service->core != NULL) {
            tusk_session_unpark(self->service->core, self->connection->session);
        }
    }
}

static void forget_current(tusk_messages *self)
{
    if (self->current != NULL) {
        zend_string_release(self->current);
        self->current = NULL;
    }
}

static bool shift(tusk_messages *self)
{
    waiting *head = self->first;
    if (head == NULL) {
        return false;
    }
    self->first = head->next;
    if (self->first == NULL) {
        self->last = NULL;
    }
    forget_current(self);
    self->current = head->text;
    self->opcode = head->opcode;
    efree(head);
    return true;
}

static void link_reader(tusk_messages *self, tusk_service *service)
{
    self->service = service;
    self->next = service->readers;
    if (self->next != NULL) {
        self->next->prev = self;
    }
    service->readers = self;
}

static void unlink_reader(tusk_messages *self)
{
    if (self->next != NULL) {
        self->next->prev = self->prev;
    }
    if (self->prev != NULL) {
        self->prev->next = self->next;
    } else {
        self->service->readers = self->next;
    }
    self->service = NULL;
}

void tusk_messages_part(tusk_messages *self)
{
    if (self->service != NULL) {
        let_on(self);
        self->connection->reader = NULL;
        self->ended = true;
        unlink_reader(self);
    }
}

static void destroy(zend_object *object)
{
    tusk_messages *self = TUSK_FROM(tusk_messages, object);
    while (shift(self)) {
    }
    forget_current(self);
    if (self->connection != NULL) {
        tusk_messages_part(self);
        tusk_peer_put(self->connection);
    }
    zend_object_std_dtor(object);
}

static HashTable *get_gc(zend_object *object, zval **table, int *n)
{
    zend_get_gc_buffer *buffer = zend_get_gc_buffer_create();
    tusk_messages *self = TUSK_FROM(tusk_messages, object);
    if (self->connection != NULL) {
        tusk_gc_add_object(buffer, &self->connection->std);
    }
    zend_get_gc_buffer_use(buffer, table, n);
    return NULL;
}

void tusk_messages_make(zval *out, tusk_peer *connection)
{
    if (connection->reader != NULL) {
        zend_throw_error(NULL, "The connection's messages are iterated already");
        return;
    }
    tusk_messages *self = TUSK_FROM(tusk_messages, create(tusk_ce_messages));
    GC_ADDREF(&connection->std);
    self->connection = connection;
    self->ended = connection->closed;
    connection->reader = self;
    link_reader(self, connection->service);
    ZVAL_OBJ(out, &self->std);
}

void tusk_messages_push(tusk_messages *self, zend_string *text, unsigned opcode)
{
    waiting *item = emalloc(sizeof(*item));
    item->next = NULL;
    item->text = zend_string_copy(text);
    item->opcode = opcode;
    if (self->last == NULL) {
        self->first = item;
    } else {
        self->last->next = item;
    }
    self->last = item;
    hold(self);
    tusk_wait_wake(&self->wait);
}

void tusk_messages_close(tusk_messages *self)
{
    self->ended = true;
    tusk_wait_wake(&self->wait);
}

void tusk_messages_end_all(tusk_service *service)
{
    for (tusk_messages *self = service->readers; self != NULL; self = self->next) {
        self->ended = true;
        let_on(self); /* told at the end of the turn */
    }
}

/* To the next message, or to the end. */
static void advance(tusk_messages *self)
{
    tusk_call *call = TUSK_G(call);
    self->started = true;
    while (!shift(self)) {
        if (self->wait.context != NULL) { /* one place for one stack */
            zend_throw_exception(spl_ce_LogicException,
                                 "Somebody waits for this connection's messages already", 0);
            return;
        }
        let_on(self);
        if (self->ended) {
            forget_current(self);
            return;
        }
        tusk_handle own = self->connection->session;
        bool below = call != NULL && call->session.slot == own.slot &&
                     call->session.generation == own.generation;
        if (below && !call->opens) {
            zend_throw_exception(spl_ce_LogicException,
                                 "A connection's messages can be iterated in its open handler, not "
                                 "in one that a message called",
                                 0);
            return;
        }
        if (below) {
            call->listening = true;
            if (call->session_parked) {
                call->session_parked = false;
                tusk_session_unpark(self->connection->service->core, own);
            }
            tusk_session_detach(self->connection->service->core, own);
        }
        tusk_wait_end end = tusk_wait_park(&self->wait, TUSK_WAIT_FOR_OTHERS);
        if (below) {
            call->listening = false;
        }
        if (end == WAIT_BLOCK) {
            zend_throw_exception(
                spl_ce_LogicException,
                "A connection's messages can be waited for in a running server only", 0);
        }
        if (end != WAIT_WOKEN) {
            forget_current(self);
            self->ended = true;
            return;
        }
    }
}

static tusk_messages *this_messages(zval *object)
{
    return TUSK_FROM(tusk_messages, Z_OBJ_P(object));
}

TUSK_METHOD(Tusk_WebSocket_Messages, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

TUSK_METHOD(Tusk_WebSocket_Messages, rewind)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_messages *self = this_messages(ZEND_THIS);
    if (!self->started) {
        advance(self);
    }
}

TUSK_METHOD(Tusk_WebSocket_Messages, valid)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_BOOL(this_messages(ZEND_THIS)->current != NULL);
}

TUSK_METHOD(Tusk_WebSocket_Messages, current)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_messages *self = this_messages(ZEND_THIS);
    if (self->current == NULL) {
        RETURN_NULL();
    }
    RETURN_STR_COPY(self->current);
}

TUSK_METHOD(Tusk_WebSocket_Messages, key)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_messages *self = this_messages(ZEND_THIS);
    if (self->current == NULL) {
        RETURN_NULL();
    }
    RETURN_OBJ_COPY(tusk_opcode_case(self->opcode));
}

TUSK_METHOD(Tusk_WebSocket_Messages, next)
{
    ZEND_PARSE_PARAMETERS_NONE();
    advance(this_messages(ZEND_THIS));
}

void tusk_messages_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(tusk_messages, std), destroy);
    handlers.get_gc = get_gc;
    tusk_ce_messages->create_object = create;
}
