/* SPDX-License-Identifier: MIT */
/* What the extension's files share: classes, globals of a request, and a few words about values. */
#ifndef PHP_TUSK_H
#define PHP_TUSK_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "php_compat.h"

#include <Zend/zend_enum.h>
#include <Zend/zend_exceptions.h>
#include <Zend/zend_interfaces.h>
#include <tusk/bytes.h>
#include <tusk/err.h>
#include <tusk/loop.h>
#include <tusk/version.h>
#include <tusk/ws.h>

extern zend_module_entry tusk_module_entry;
#define phpext_tusk_ptr &tusk_module_entry

/* ---- classes, by the order of the stub ---- */
extern zend_class_entry *tusk_ce_exception;
extern zend_class_entry *tusk_ce_overflow;
extern zend_class_entry *tusk_ce_position;
extern zend_class_entry *tusk_ce_tls;
extern zend_class_entry *tusk_ce_tls_info;
extern zend_class_entry *tusk_ce_certificate;
extern zend_class_entry *tusk_ce_limits;
extern zend_class_entry *tusk_ce_server;
extern zend_class_entry *tusk_ce_timer;
extern zend_class_entry *tusk_ce_wait;
extern zend_class_entry *tusk_ce_condition;
extern zend_class_entry *tusk_ce_scope;
extern zend_class_entry *tusk_ce_http_request;
extern zend_class_entry *tusk_ce_invalid_json;
extern zend_class_entry *tusk_ce_http_response;
extern zend_class_entry *tusk_ce_uploaded_file;
extern zend_class_entry *tusk_ce_http_client;
extern zend_class_entry *tusk_ce_http_client_response;
extern zend_class_entry *tusk_ce_event_stream;
extern zend_class_entry *tusk_ce_sse_event;
extern zend_class_entry *tusk_ce_sse_client;
extern zend_class_entry *tusk_ce_message_type;
extern zend_class_entry *tusk_ce_ws_options;
extern zend_class_entry *tusk_ce_deflate;
extern zend_class_entry *tusk_ce_ws_server;
extern zend_class_entry *tusk_ce_ws_request;
extern zend_class_entry *tusk_ce_handshake_response;
extern zend_class_entry *tusk_ce_handshake_exception;
extern zend_class_entry *tusk_ce_connection;
extern zend_class_entry *tusk_ce_messages;
extern zend_class_entry *tusk_ce_frame;
extern zend_class_entry *tusk_ce_close_frame;
extern zend_class_entry *tusk_ce_protocol;
extern zend_class_entry *tusk_ce_frames;
extern zend_class_entry *tusk_ce_ws_client;
extern zend_class_entry *tusk_ce_loopback;
extern zend_class_entry *tusk_ce_loopback_client;
extern zend_class_entry *tusk_ce_loopback_stream;

extern zend_class_entry *tusk_ce_on_full;
extern zend_class_entry *tusk_ce_template;
extern zend_class_entry *tusk_ce_task_state;
extern zend_class_entry *tusk_ce_cannot_travel;
extern zend_class_entry *tusk_ce_deadline_exceeded;
extern zend_class_entry *tusk_ce_cancelled;
extern zend_class_entry *tusk_ce_worker_crashed;
extern zend_class_entry *tusk_ce_task_exited;
extern zend_class_entry *tusk_ce_task_failed;
extern zend_class_entry *tusk_ce_queue_full;
extern zend_class_entry *tusk_ce_bootstrap_failed;
extern zend_class_entry *tusk_ce_engine;
extern zend_class_entry *tusk_ce_pool;
extern zend_class_entry *tusk_ce_sync;
extern zend_class_entry *tusk_ce_async;
extern zend_class_entry *tusk_ce_task;

/* Cases of MessageType in the stub's order. */
enum { CASE_CONTINUATION, CASE_TEXT, CASE_BINARY, CASE_PING, CASE_PONG, CASE_CLOSE, CASE_COUNT };
enum { OVERFLOW_CASES = 4 };

typedef struct tusk_fiber tusk_fiber;
typedef struct tusk_ticker tusk_ticker;

typedef struct _zend_tusk_globals {
    zend_object *message_cases[CASE_COUNT]; /* of this request, borrowed from the class */
    zend_object *overflow_cases[OVERFLOW_CASES];
    uint8_t mask_pool[256]; /* random bytes for masking keys */
    uint32_t mask_left;
    tusk_loop *loop;     /* the process's one, made when first wanted */
    uint32_t loop_forks; /* in which child of the first process that was */
    uint64_t clock_ns;   /* as the last call of a handler ended */
    tusk_fiber *fiber;   /* the pooled fiber whose stack this is; NULL outside run() */
    tusk_fiber *idle_fibers;
    uint32_t idle_fiber_count;
    uint32_t parked_fibers;
    uint64_t fiber_switches;      /* from one stack to another */
    uint64_t refused_waits;       /* more handlers than may wait */
    struct tusk_wait *waits;      /* handlers that wait */
    struct curl_wait *curl_waits; /* those that drive a CurlMultiHandle */
    struct tusk_strand *strands;
    zend_object *scope; /* of the code outside of calls; NULL: nobody asked for it */
    struct tusk_scope_frame
        *scope_frames;      /* of tasks in fibers of the user's own, the last first */
    bool unwinding;         /* the request ends: who waits is let go */
    struct tusk_call *call; /* innermost callback */
    struct tusk_run *run;   /* the loop's run */
    struct tusk_host *running_host;
    HashTable *timers;  /* id => ticker */
    HashTable *watches; /* id => watch */
    /* What a fork has of its parent's, and never frees: without anybody who holds it a checker
     * takes it for lost. */
    tusk_loop *parents_loop;
    HashTable *parents_timers;
    uint64_t timer_last_id;
    tusk_loop *own_loop; /* of clients outside a server */
    struct tusk_client *client;
    struct tusk_client *own_client;
    struct tusk_worker *worker; /* in a process that runs tasks */
    void *worker_pool;          /* the Pool of it */
    uint32_t task_depth;
    int captured; /* level of the outermost buffer of a task that runs on this stack; 0: none */
    struct tusk_inner *inner;          /* of the next deeper task in the midst of a wait */
    HashTable *closures;               /* code that was found for closures that came */
    HashTable *compiled;               /* code of files that was compiled for them */
    uint32_t pools;                    /* with processes */
    uint32_t pools_kept;               /* that the collector left, when it last looked for them */
    HashTable *job_names;              /* functions and methods that were resolved */
    uint32_t watch_ms;                 /* how long a watched call may compute; 0: nobody watches */
    bool io_uring;                     /* tusk.io_uring: sends of a turn may leave together */
    bool run_called;                   /* of a server or a proxy, or it was said that nobody did */
    bool timers_ran;                   /* some loop is or was turned */
    bool unusable;                     /* a fatal error ended a run: stacks lie about */
    const struct tusk_call *open_line; /* whose echo has no end of line yet; NULL: nobody's */
    uint32_t web_told;  /* which of PHP's functions for web servers were said to do nothing */
    bool log_cut;       /* the last line of the log is not whole */
    zend_long log_lost; /* lines that its pipe did not take */
} zend_tusk_globals;

ZEND_EXTERN_MODULE_GLOBALS(tusk)
#define TUSK_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(tusk, v)
#if defined(ZTS) && defined(COMPILE_DL_TUSK)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

/* Declares a method before its definition: the table of methods stands in another file. */
#define TUSK_METHOD(class_name, method)                                                            \
    ZEND_METHOD(class_name, method);                                                               \
    ZEND_METHOD(class_name, method)

/* ---- a constructor's parameters ---- */
/* To convert them can be to run somebody's code (__toString(), an error handler), while there is
 * nothing behind the object yet. So that it is not found in a backtrace, called and kept, the frame
 * is meanwhile one without an object, as a static method's is; what it was is given back. */
static inline zval tusk_this_hide(zend_execute_data *frame)
{
    zval object = frame->This;
    Z_TYPE_INFO(frame->This) &= ~(uint32_t)(ZEND_CALL_HAS_THIS | ZEND_CALL_RELEASE_THIS);
    Z_CE(frame->This) = Z_OBJCE(object);
    return object;
}
static inline void tusk_this_show(zend_execute_data *frame, zval object)
{
    frame->This = object;
}
/* In place of ZEND_PARSE_PARAMETERS_START and _END in each constructor that takes any. */
#define TUSK_PARSE_CONSTRUCTOR_START(min, max)                                                     \
    zval constructed = tusk_this_hide(execute_data);                                               \
    ZEND_PARSE_PARAMETERS_START(min, max)
#define TUSK_PARSE_CONSTRUCTOR_END()                                                               \
    ZEND_PARSE_PARAMETERS_END_EX(tusk_this_show(execute_data, constructed); return );              \
    tusk_this_show(execute_data, constructed)

/* What has that member, embedded in it. */
#define TUSK_OWNER(pointer, type, member)                                                          \
    ((type *)(void *)((char *)(pointer)-offsetof(type, member)))
/* From the embedded zend_object to its owner's struct (std is the last member). */
#define TUSK_FROM(type, object) ((type *)((char *)(object)-offsetof(type, std)))

/* A new object of a class whose objects lie in a struct: that is all zero before its `std`, and its
 * properties have their defaults. */
static zend_always_inline void *tusk_object_new(size_t size, size_t offset, zend_class_entry *ce,
                                                const zend_object_handlers *handlers)
{
    char *self = zend_object_alloc(size, ce);
    zend_object *object = (zend_object *)(void *)(self + offset);
    memset(self, 0, offset);
    zend_object_std_init(object, ce);
    object_properties_init(object, ce);
    object->handlers = handlers;
    return self;
}
#define TUSK_OBJECT_NEW(type, ce, handlers)                                                        \
    ((type *)tusk_object_new(sizeof(type), offsetof(type, std), ce, handlers))

/* Nobody else has it, and nobody can ask for it again: it may stand for something else next, which
 * is cheaper than to free it and to make the same again. Of final classes without dynamic
 * properties. */
static inline bool tusk_object_is_spare(const zend_object *object)
{
    return GC_REFCOUNT(object) == 1 && object->properties == NULL &&
           (GC_FLAGS(object) & IS_OBJ_WEAKLY_REFERENCED) == 0;
}

/* Its typed properties are as create_object leaves them. */
static inline void tusk_object_clear(zend_object *object)
{
    zval *slot = object->properties_table;
    for (zval *end = slot + object->ce->default_properties_count; slot < end; slot++) {
        if (Z_REFCOUNTED_P(slot)) {
            zval_ptr_dtor_nogc(slot);
        }
        ZVAL_UNDEF(slot);
        Z_PROP_FLAG_P(slot) = IS_PROP_UNINIT;
    }
}

static inline tusk_bytes tusk_zstr(const zend_string *text)
{
    return tusk_bytes_of(ZSTR_VAL(text), ZSTR_LEN(text));
}

static inline zend_string *tusk_zstr_of(tusk_bytes bytes)
{
    return bytes.len == 0 ? ZSTR_EMPTY_ALLOC()
                          : zend_string_init((const char *)bytes.ptr, bytes.len, 0);
}

/* Text known to be UTF-8 is marked, so that it is not checked again on its way out. */
static inline void tusk_zstr_mark_utf8(zend_string *text)
{
    if (!ZSTR_IS_INTERNED(text)) {
        GC_ADD_FLAGS(text, IS_STR_VALID_UTF8);
    }
}

static inline bool tusk_zstr_utf8(zend_string *text)
{
    if (ZSTR_IS_VALID_UTF8(text)) {
        return true;
    }
    if (!tusk_utf8_valid((const uint8_t *)ZSTR_VAL(text), ZSTR_LEN(text))) {
        return false;
    }
    tusk_zstr_mark_utf8(text);
    return true;
}

static inline bool tusk_zstr_has_nul(const zend_string *text)
{
    return memchr(ZSTR_VAL(text), 0, ZSTR_LEN(text)) != NULL;
}

/* ---- handlers.c ---- */
/* Of a class whose objects lie in a struct, `offset` bytes from its begin: they are not cloned, and
 * two are equal when they are the same one. */
void tusk_handlers_init(zend_object_handlers *handlers, size_t offset,
                        zend_object_free_obj_t free_obj);

/* ---- message_type.c ---- */
zend_object *tusk_opcode_case_any(unsigned opcode);
unsigned tusk_case_opcode_any(zend_object *message_case);
static inline zend_object *tusk_opcode_case(unsigned opcode)
{
    zend_object *text = TUSK_G(message_cases)[CASE_TEXT];
    return EXPECTED(opcode == TUSK_WS_TEXT && text != NULL) ? text : tusk_opcode_case_any(opcode);
}
static inline unsigned tusk_case_opcode(zend_object *message_case)
{
    return EXPECTED(message_case == TUSK_G(message_cases)[CASE_TEXT])
               ? TUSK_WS_TEXT
               : tusk_case_opcode_any(message_case);
}
unsigned tusk_overflow_index(zend_object *overflow_case);

/* ---- errors.c ---- */
/* Throws Tusk\Exception: "what: text of err". */
ZEND_COLD void tusk_throw(tusk_err err, const char *format, ...)
    ZEND_ATTRIBUTE_FORMAT(printf, 2, 3);
/* Nothing can listen on this address. */
ZEND_COLD void tusk_throw_listen(tusk_err err, const zend_string *address);
/* For zend_clear_exception, which also sets back the code that called: to where that threw last, if
 * it has not thrown now. It has not where a handler or a destructor is called right from it. */
ZEND_COLD void tusk_clear_exception(void);
/* What is thrown and not handled yet, put aside while other code runs, and put back. */
typedef struct tusk_thrown {
    zend_object *exception; /* NULL: nothing is */
    const zend_op *opline;
} tusk_thrown;
tusk_thrown tusk_thrown_aside(void);
void tusk_thrown_back(const tusk_thrown *thrown);

/* ---- frame.c ---- */
/* Bits of Protocol::FLAG_*. */
enum {
    FLAG_FIN = 1,
    FLAG_COMPRESS = 2,
    FLAG_RSV1 = 4,
    FLAG_RSV2 = 8,
    FLAG_RSV3 = 16,
    FLAG_MASK = 32,
    FLAG_ALL = 63
};
enum { FRAME_RAW = 1 }; /* RSV bits are the caller's business */

/* Decodes one frame into `out` (Frame, CloseFrame, or NULL when bytes are missing). False: an Error
 * was thrown. */
bool tusk_frame_decode(zval *out, tusk_bytes in, unsigned mode, uint64_t size_max,
                       size_t *consumed);
void tusk_frame_view(zend_object *frame, unsigned *opcode, unsigned *flags, zend_string **payload);
size_t tusk_close_payload(zend_object *frame, uint8_t payload[TUSK_WS_CONTROL_MAX],
                          unsigned *flags);

/* ---- startup of classes, end of a request ---- */
void tusk_frames_startup(void);
void tusk_ws_server_startup(void);
void tusk_general_server_startup(void);
void tusk_timers_shutdown(void);
void tusk_watches_shutdown(void);
void tusk_http_client_startup(void);
void tusk_ws_client_startup(void);
void tusk_sse_client_startup(void);

#endif
