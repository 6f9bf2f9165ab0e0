/* SPDX-License-Identifier: MIT */
/* The life of an object that stands for a session. */
#include "src/serve/connection.h"
#include "src/handlers.h"

#include <ext/spl/spl_exceptions.h>

static tusk_slot_handlers handlers;

static unsigned state_slot(const tusk_peer *self)
{
    return self->stream ? STREAM_STATE : CONNECTION_STATE;
}

static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(tusk_peer, ce, &handlers.base)->std;
}

static tusk_peer *make(tusk_service *service, tusk_handle session, bool stream)
{
    tusk_peer *self = tusk_peer_of(create(stream ? tusk_ce_event_stream : tusk_ce_connection));
    self->service = tusk_service_ref(service);
    self->session = session;
    self->stream = stream;
    ZVAL_NULL(OBJ_PROP_NUM(&self->std, stream ? STREAM_IDENTITY : CONNECTION_IDENTITY));
    return self;
}

/* Something that the user wants to find again in the next callback. */
static bool carries(tusk_peer *self)
{
    return Z_TYPE_P(OBJ_PROP_NUM(&self->std, state_slot(self))) > IS_NULL ||
           Z_TYPE_P(OBJ_PROP_NUM(&self->std,
                                 self->stream ? STREAM_IDENTITY : CONNECTION_IDENTITY)) > IS_NULL ||
           (OBJ_FLAGS(&self->std) & IS_OBJ_WEAKLY_REFERENCED) != 0 || self->reader != NULL;
}

/* Nobody but the service knows it, and nothing of it can be asked for again. */
static bool is_spare(tusk_peer *self)
{
    return GC_REFCOUNT(&self->std) == 1 && !self->closed && !self->kept &&
           self->std.properties == NULL && !carries(self);
}

static void forget_slot(tusk_peer *self, unsigned slot)
{
    zval *value = OBJ_PROP_NUM(&self->std, slot);
    if (!Z_ISUNDEF_P(value)) {
        zval_ptr_dtor(value);
        ZVAL_UNDEF(value);
    }
}

/* The service's recent object stands for another session from now on: cheaper than to free it and
 * to make the same again for each message. */
static tusk_peer *turn_over(tusk_service *service, tusk_peer *self, tusk_handle session)
{
    tusk_session_set_user(service->core, self->session, NULL);
    if (!Z_ISUNDEF_P(OBJ_PROP_NUM(&self->std, PEER_ID))) { /* all are filled in together */
        forget_slot(self, PEER_ID);
        forget_slot(self, PEER_ADDRESS);
        forget_slot(self, CONNECTION_SUBPROTOCOL);
        forget_slot(self, CONNECTION_PARAMS);
    }
    ZVAL_NULL(OBJ_PROP_NUM(&self->std, CONNECTION_IDENTITY));
    ZVAL_NULL(OBJ_PROP_NUM(&self->std, CONNECTION_STATE));
    self->session = session;
    return self;
}

tusk_peer *tusk_peer_get(tusk_service *service, tusk_handle session, bool stream)
{
    tusk_peer *recent = service->recent == NULL ? NULL : tusk_peer_of(service->recent);
    tusk_peer *self = recent;
    if (self == NULL || self->session.slot != session.slot ||
        self->session.generation != session.generation) {
        self = tusk_session_user(service->core, session);
    }
    if (self != NULL) {
        GC_ADDREF(&self->std);
        return self;
    }
    if (!stream && recent != NULL && is_spare(recent)) {
        self = turn_over(service, recent, session);
        GC_ADDREF(&self->std);
    } else {
        self = make(service, session, stream);
    }
    tusk_session_set_user(service->core, session, self);
    return self;
}

bool tusk_peer_alive(const tusk_peer *self)
{
    return !self->closed && self->service != NULL && self->service->core != NULL &&
           tusk_session_exists(self->service->core, self->session);
}

/* One reference is the session's from now on. */
static void keep(tusk_peer *self)
{
    self->kept = true;
    self->kept_prev = NULL;
    self->kept_next = self->service->kept;
    if (self->kept_next != NULL) {
        self->kept_next->kept_prev = self;
    }
    self->service->kept = self;
}

static void unkeep(tusk_peer *self)
{
    self->kept = false;
    if (self->kept_next != NULL) {
        self->kept_next->kept_prev = self->kept_prev;
    }
    if (self->kept_prev != NULL) {
        self->kept_prev->kept_next = self->kept_next;
    } else {
        self->service->kept = self->kept_next;
    }
}

void tusk_peers_gc(const tusk_service *service, zend_get_gc_buffer *buffer)
{
    for (tusk_peer *peer = service->kept; peer != NULL; peer = peer->kept_next) {
        tusk_gc_add_object(buffer, &peer->std);
    }
}

void tusk_peer_put(tusk_peer *self)
{
    tusk_service *service = self->service;
    if (service == NULL) {
        OBJ_RELEASE(&self->std);
        return;
    }
    if (service->recent == &self->std && GC_REFCOUNT(&self->std) > 1) {
        GC_DELREF(&self->std); /* the common case of a burst: nothing else to do */
        return;
    }
    if (GC_REFCOUNT(&self->std) == 1 && !self->closed && !self->kept && service->core != NULL) {
        if (carries(self)) {
            keep(self);
            return;
        }
        if (!self->stream) {
            zend_object *former = service->recent;
            service->recent = &self->std;
            if (former != NULL) {
                OBJ_RELEASE(former);
            }
            return;
        }
    }
    OBJ_RELEASE(&self->std);
}

/* The last reference outside goes while the session lives: what it carries keeps it. */
static void on_last_reference(zend_object *object)
{
    tusk_peer *self = tusk_peer_of(object);
    if (!self->kept && tusk_peer_alive(self) && !self->service->host.failed && carries(self) &&
        tusk_session_user(self->service->core, self->session) == self) {
        keep(self);
        GC_ADDREF(object);
        GC_TYPE_INFO(object) &= ~((uint32_t)IS_OBJ_DESTRUCTOR_CALLED << GC_FLAGS_SHIFT);
    }
}

static void destroy(zend_object *object)
{
    tusk_peer *self = tusk_peer_of(object);
    if (tusk_peer_alive(self) && tusk_session_user(self->service->core, self->session) == self) {
        tusk_session_set_user(self->service->core, self->session, NULL);
    }
    tusk_request_view_fini(&self->view);
    if (self->kept) {
        unkeep(self);
    }
    if (self->reader != NULL) { /* both are collected in one go */
        tusk_messages_part(self->reader);
    }
    if (self->service != NULL) {
        tusk_service_unref(self->service);
        self->service = NULL; /* for an iterator that goes after it */
    }
    zend_object_std_dtor(object);
}

/* ---- properties that are made when somebody looks ---- */
static void fill_params(tusk_peer *self, zval *slot)
{
    tusk_param params[TUSK_ROUTE_PARAMS_CAP];
    size_t count =
        tusk_peer_alive(self) ? tusk_session_params(self->service->core, self->session, params) : 0;
    ZVAL_ARR(slot, tusk_params_array(params, count));
}

static void fill(tusk_peer *self)
{
    zend_object *object = &self->std;
    bool alive = tusk_peer_alive(self);
    zval *slot = OBJ_PROP_NUM(object, PEER_ID);
    if (Z_ISUNDEF_P(slot)) {
        ZVAL_STR(slot,
                 zend_strpprintf(0, "%08x%08x", self->session.generation, self->session.slot));
    }
    slot = OBJ_PROP_NUM(object, PEER_ADDRESS);
    if (Z_ISUNDEF_P(slot)) {
        char text[64];
        size_t len = alive ? tusk_session_address(self->service->core, self->session, text) : 0;
        ZVAL_STR(slot, tusk_zstr_of(tusk_bytes_of(text, len)));
    }
    slot = OBJ_PROP_NUM(object, self->stream ? STREAM_PARAMS : CONNECTION_PARAMS);
    if (Z_ISUNDEF_P(slot)) {
        fill_params(self, slot);
    }
    slot = OBJ_PROP_NUM(object, CONNECTION_SUBPROTOCOL);
    if (!self->stream && Z_ISUNDEF_P(slot)) {
        tusk_bytes name = alive ? tusk_session_subprotocol(self->service->core, self->session)
                                : tusk_bytes_of(NULL, 0);
        if (name.ptr == NULL) {
            ZVAL_NULL(slot);
        } else {
            ZVAL_STR(slot, tusk_zstr_of(name));
        }
    }
}

/* All at once, whichever is looked at. */
static void fill_if_empty(zend_object *object, const zend_string *name)
{
    if (Z_ISUNDEF_P(OBJ_PROP_NUM(object, PEER_ID)) && tusk_peer_of(object)->service != NULL) {
        fill(tusk_peer_of(object));
    }
}

void tusk_peer_close(tusk_peer *self)
{
    if (GC_REFCOUNT(&self->std) > (self->kept ? 2u : 1u)) {
        fill_if_empty(&self->std, NULL); /* somebody will still hold it */
    }
    if (self->reader != NULL) {
        tusk_messages_close(self->reader);
    }
    self->closed = true;
    zval state;
    zval *slot = OBJ_PROP_NUM(&self->std, state_slot(self));
    ZVAL_COPY_VALUE(&state, slot);
    ZVAL_NULL(slot);
    if (self->kept) {
        unkeep(self);
        GC_DELREF(&self->std);
    }
    if (self->service->recent == &self->std) {
        self->service->recent = NULL;
        GC_DELREF(&self->std);
    }
    zval_ptr_dtor(&state);
}

bool tusk_topic_valid(zend_string *topic, uint32_t number)
{
    if (ZSTR_LEN(topic) == 0 || ZSTR_LEN(topic) > 1024) {
        zend_argument_value_error(number, "must have 1 to 1024 bytes, %zu given", ZSTR_LEN(topic));
        return false;
    }
    return true;
}

void tusk_peer_startup(void)
{
    tusk_slot_handlers_init(&handlers, offsetof(tusk_peer, std), destroy, fill_if_empty);
    handlers.base.dtor_obj = on_last_reference;
    tusk_ce_connection->create_object = create;
    tusk_ce_event_stream->create_object = create;
}
