/* SPDX-License-Identifier: MIT */
/* Proxy\Access: how a session ended, told to onAccess. */
#include "src/run/fiber.h"
#include "src/proxy/proxy.h"

#include <Zend/zend_closures.h>
#include <ext/json/php_json.h>

enum {
    ACCESS_KIND,
    ACCESS_TIME,
    ACCESS_LISTENER,
    ACCESS_PEER,
    ACCESS_TARGET,
    ACCESS_ENGINE,
    ACCESS_STATUS,
    ACCESS_END,
    ACCESS_REASON,
    ACCESS_CACHED,
    ACCESS_RESOLVE,
    ACCESS_CONNECT,
    ACCESS_FIRST_BYTE,
    ACCESS_DURATION,
    ACCESS_BYTES_UP,
    ACCESS_BYTES_DOWN,
    ACCESS_METADATA,
    ACCESS_ROUTE,
    ACCESS_METHOD,
    ACCESS_HOST,
    ACCESS_PATH
};

enum { METADATA_DEPTH = 512 };

static const char *const kinds[] = {"tcp", "http", "smtp"};
static const char *const engines[] = {"copy", "splice", "uring", "sockmap"};

static double micros(uint64_t us)
{
    return (double)us / 1e6;
}

static void put_metadata(zval *slot, tusk_bytes json)
{
    zend_string *text = tusk_zstr_of(json); /* PHP's reader wants a NUL behind it */
    if (json.len == 0 ||
        php_json_decode_ex(slot, ZSTR_VAL(text), ZSTR_LEN(text), PHP_JSON_OBJECT_AS_ARRAY,
                           METADATA_DEPTH) != SUCCESS ||
        Z_TYPE_P(slot) != IS_ARRAY) {
        ZVAL_EMPTY_ARRAY(slot);
    }
    zend_string_release(text);
}

static void put_text(zval *slot, tusk_bytes text)
{
    if (text.len == 0) {
        ZVAL_NULL(slot);
    } else {
        ZVAL_STR(slot, tusk_zstr_of(text));
    }
}

static zend_object *make(const tusk_relay_record *record)
{
    zend_object *self = zend_objects_new(tusk_proxy_ce[PROXY_ACCESS]);
    object_properties_init(self, self->ce);
    ZVAL_STRING(OBJ_PROP_NUM(self, ACCESS_KIND), kinds[record->kind]);
    ZVAL_DOUBLE(OBJ_PROP_NUM(self, ACCESS_TIME), (double)record->began_wall_ms / 1e3);
    ZVAL_STR(OBJ_PROP_NUM(self, ACCESS_LISTENER), tusk_zstr_of(record->listener));
    ZVAL_STR(OBJ_PROP_NUM(self, ACCESS_PEER), tusk_zstr_of(record->peer));
    put_text(OBJ_PROP_NUM(self, ACCESS_TARGET), record->target);
    ZVAL_STRING(OBJ_PROP_NUM(self, ACCESS_ENGINE), engines[record->engine]);
    ZVAL_LONG(OBJ_PROP_NUM(self, ACCESS_STATUS), record->status);
    ZVAL_STRING(OBJ_PROP_NUM(self, ACCESS_END), record->end == NULL ? "" : record->end);
    put_text(OBJ_PROP_NUM(self, ACCESS_REASON), record->reason);
    ZVAL_BOOL(OBJ_PROP_NUM(self, ACCESS_CACHED), record->cached);
    ZVAL_DOUBLE(OBJ_PROP_NUM(self, ACCESS_RESOLVE), micros(record->resolve_us));
    ZVAL_DOUBLE(OBJ_PROP_NUM(self, ACCESS_CONNECT), micros(record->connect_us));
    ZVAL_DOUBLE(OBJ_PROP_NUM(self, ACCESS_FIRST_BYTE), micros(record->first_byte_us));
    ZVAL_DOUBLE(OBJ_PROP_NUM(self, ACCESS_DURATION), micros(record->duration_us));
    ZVAL_LONG(OBJ_PROP_NUM(self, ACCESS_BYTES_UP), (zend_long)record->bytes_up);
    ZVAL_LONG(OBJ_PROP_NUM(self, ACCESS_BYTES_DOWN), (zend_long)record->bytes_down);
    put_metadata(OBJ_PROP_NUM(self, ACCESS_METADATA), record->metadata);
    put_text(OBJ_PROP_NUM(self, ACCESS_ROUTE), record->route);
    put_text(OBJ_PROP_NUM(self, ACCESS_METHOD), record->method);
    put_text(OBJ_PROP_NUM(self, ACCESS_HOST), record->host);
    put_text(OBJ_PROP_NUM(self, ACCESS_PATH), record->path);
    return self;
}

typedef struct telling {
    tusk_proxy *proxy;
    zend_object *access;
} telling;

static void tell(void *arg)
{
    telling self = *(telling *)arg; /* `arg` is gone when the handler waits */
    tusk_call call = {0};
    zval access;
    zval result;
    ZVAL_OBJ(&access, self.access);
    (void)tusk_call_run(&call, self.proxy->host, (tusk_handle){0}, &self.proxy->on_access, 1,
                        &access, &result);
    zval_ptr_dtor(&result);
    OBJ_RELEASE(self.access);
}

static void guard_tell(void *arg)
{
    tusk_guarded(((telling *)arg)->proxy->host, tell, arg);
}

static void detach_tell(void *arg)
{
    tusk_fiber_detach(guard_tell, arg);
}

void tusk_proxy_access(tusk_proxy *self, const tusk_relay_record *record)
{
    if (!tusk_callback_given(&self->on_access) || self->host->failed) {
        return;
    }
    telling arg = {.proxy = self, .access = make(record)};
    tusk_guarded(self->host, detach_tell, &arg);
}

/* ---- files that are opened again ---- */
void tusk_proxy_access_given(tusk_proxy *self)
{
    zend_object *object = tusk_closure_this(&self->on_access.fci.function_name);
    tusk_callback_fini(&self->reopen);
    tusk_relay_records(self->relay, true);
    if (object != NULL && instanceof_function(object->ce, tusk_proxy_ce[PROXY_REOPENABLE])) {
        tusk_callback_set_method(&self->reopen, object, "reopen");
    }
}

static void reopen(void *arg)
{
    tusk_proxy *self = arg;
    tusk_callback callback = self->reopen; /* another may take its place meanwhile */
    tusk_call call = {0};
    zval result;
    zval object;
    ZVAL_COPY(&object, &callback.fci.function_name);
    tusk_calls_outside();
    (void)tusk_call_run(&call, self->host, (tusk_handle){0}, &callback, 0, NULL, &result);
    zval_ptr_dtor(&result);
    zval_ptr_dtor(&object);
}

static void guard_reopen(void *arg)
{
    tusk_guarded(((tusk_proxy *)arg)->host, reopen, arg);
}

static void detach_reopen(void *arg)
{
    tusk_fiber_detach(guard_reopen, arg);
}

/* The master has no fibers: there it is called as it is, and waiting blocks. */
void tusk_proxy_access_reopen(tusk_proxy *self)
{
    if (tusk_callback_given(&self->reopen) && !self->host->failed) {
        tusk_guarded(self->host, TUSK_G(run) == NULL ? reopen : detach_reopen, self);
    }
}

TUSK_METHOD(Tusk_Proxy_Access, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}
