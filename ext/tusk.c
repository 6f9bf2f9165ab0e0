/* SPDX-License-Identifier: MIT */
/* The module: its globals, its classes, and what phpinfo() says of it. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "php_tusk.h"
#include "src/client/await.h"
#include "src/bench/bench.h"
#include "src/serve/connection.h"
#include "src/run/fiber.h"
#include "src/json.h"
#include "src/serve/http.h"
#include "src/testing/loopback.h"
#include "src/parallel/parallel.h"
#include "src/position.h"
#include "src/proxy/proxy.h"
#include "src/tls.h"
#include "src/run/wait.h"
#include "src/proxy/watchdog.h"

#include <ext/json/php_json.h>
#include <ext/spl/spl_exceptions.h>
#include <ext/standard/info.h>
#include <tusk/sockmap.h>
#include <tusk/tls.h>

#include "tusk_arginfo.h"

zend_class_entry *tusk_ce_exception;
zend_class_entry *tusk_ce_overflow;
zend_class_entry *tusk_ce_position;
zend_class_entry *tusk_ce_tls;
zend_class_entry *tusk_ce_tls_info;
zend_class_entry *tusk_ce_certificate;
zend_class_entry *tusk_ce_limits;
zend_class_entry *tusk_ce_server;
zend_class_entry *tusk_ce_timer;
zend_class_entry *tusk_ce_wait;
zend_class_entry *tusk_ce_condition;
zend_class_entry *tusk_ce_scope;
zend_class_entry *tusk_ce_http_request;
zend_class_entry *tusk_ce_invalid_json;
zend_class_entry *tusk_ce_http_response;
zend_class_entry *tusk_ce_uploaded_file;
zend_class_entry *tusk_ce_http_client;
zend_class_entry *tusk_ce_http_client_response;
zend_class_entry *tusk_ce_event_stream;
zend_class_entry *tusk_ce_sse_event;
zend_class_entry *tusk_ce_sse_client;
zend_class_entry *tusk_ce_message_type;
zend_class_entry *tusk_ce_ws_options;
zend_class_entry *tusk_ce_deflate;
zend_class_entry *tusk_ce_ws_server;
zend_class_entry *tusk_ce_ws_request;
zend_class_entry *tusk_ce_handshake_response;
zend_class_entry *tusk_ce_handshake_exception;
zend_class_entry *tusk_ce_connection;
zend_class_entry *tusk_ce_messages;
zend_class_entry *tusk_ce_frame;
zend_class_entry *tusk_ce_close_frame;
zend_class_entry *tusk_ce_protocol;
zend_class_entry *tusk_ce_frames;
zend_class_entry *tusk_ce_ws_client;
zend_class_entry *tusk_ce_loopback;
zend_class_entry *tusk_ce_loopback_client;
zend_class_entry *tusk_ce_loopback_stream;
zend_class_entry *tusk_ce_bench_load;
zend_class_entry *tusk_ce_bench_histogram;
zend_class_entry *tusk_ce_bench_echo;
zend_class_entry *tusk_proxy_ce[PROXY_CLASSES];

zend_class_entry *tusk_ce_on_full;
zend_class_entry *tusk_ce_template;
zend_class_entry *tusk_ce_task_state;
zend_class_entry *tusk_ce_cannot_travel;
zend_class_entry *tusk_ce_deadline_exceeded;
zend_class_entry *tusk_ce_cancelled;
zend_class_entry *tusk_ce_worker_crashed;
zend_class_entry *tusk_ce_task_exited;
zend_class_entry *tusk_ce_task_failed;
zend_class_entry *tusk_ce_queue_full;
zend_class_entry *tusk_ce_bootstrap_failed;
zend_class_entry *tusk_ce_engine;
zend_class_entry *tusk_ce_pool;
zend_class_entry *tusk_ce_sync;
zend_class_entry *tusk_ce_async;
zend_class_entry *tusk_ce_task;

ZEND_DECLARE_MODULE_GLOBALS(tusk)

#ifdef COMPILE_DL_TUSK
#ifdef ZTS
ZEND_TSRMLS_CACHE_DEFINE()
#endif
ZEND_GET_MODULE(tusk)
#endif

/* For classes without a struct of their own: with it, no object can be made around the constructor.
 */
static zend_object *create_plain(zend_class_entry *ce)
{
    zend_object *object = zend_objects_new(ce);
    object_properties_init(object, ce);
    return object;
}

static void register_proxy_classes(void)
{
    zend_class_entry **ce = tusk_proxy_ce;
    ce[PROXY_ENGINE] = register_class_Tusk_Proxy_Engine();
    ce[PROXY_SOCKMAP] = register_class_Tusk_Proxy_Sockmap();
    ce[PROXY_FIRST] = register_class_Tusk_Proxy_First();
    ce[PROXY_PROTOCOL] = register_class_Tusk_Proxy_Protocol();
    ce[PROXY_FORWARD] = register_class_Tusk_Proxy_Forward();
    ce[PROXY_TLS_MODE] = register_class_Tusk_Proxy_TlsMode();
    ce[PROXY_TARGET] = register_class_Tusk_Proxy_Target();
    ce[PROXY_UPSTREAM_TLS] = register_class_Tusk_Proxy_UpstreamTls();
    ce[PROXY_ROUTE] = register_class_Tusk_Proxy_Route();
    ce[PROXY_REFUSED] = register_class_Tusk_Proxy_Refused(tusk_ce_exception);
    ce[PROXY_LOOKUP] = register_class_Tusk_Proxy_Lookup();
    ce[PROXY_RESOLVER] = register_class_Tusk_Proxy_Resolver();
    ce[PROXY_RELOADABLE] = register_class_Tusk_Proxy_Reloadable(ce[PROXY_RESOLVER]);
    ce[PROXY_REOPENABLE] = register_class_Tusk_Proxy_Reopenable();
    ce[PROXY_VALIDATION] = register_class_Tusk_Proxy_Validation();
    ce[PROXY_LIMITS] = register_class_Tusk_Proxy_Limits();
    ce[PROXY_HTTP_LIMITS] = register_class_Tusk_Proxy_HttpLimits();
    ce[PROXY_FORWARDING] = register_class_Tusk_Proxy_Forwarding();
    ce[PROXY_ACCESS] = register_class_Tusk_Proxy_Access();
    ce[PROXY_TCP] = register_class_Tusk_Proxy_Tcp();
    ce[PROXY_HTTP] = register_class_Tusk_Proxy_Http();
    ce[PROXY_SMTP] = register_class_Tusk_Proxy_Smtp();
}

static void register_classes(void)
{
    tusk_ce_exception = register_class_Tusk_Exception(spl_ce_RuntimeException);
    tusk_ce_overflow = register_class_Tusk_Overflow();
    tusk_ce_message_type = register_class_Tusk_WebSocket_MessageType();
    tusk_ce_position = register_class_Tusk_Position(zend_ce_stringable, php_json_serializable_ce);
    tusk_ce_tls = register_class_Tusk_Tls();
    tusk_mark_sensitive(tusk_ce_tls->constructor, 2);
    tusk_ce_tls_info = register_class_Tusk_TlsInfo();
    tusk_ce_certificate = register_class_Tusk_Certificate();
    tusk_ce_limits = register_class_Tusk_Limits();
    tusk_ce_server = register_class_Tusk_Server();
    tusk_ce_timer = register_class_Tusk_Timer();
    tusk_ce_wait = register_class_Tusk_Wait();
    (void)register_class_Tusk_Watch();
    tusk_ce_condition = register_class_Tusk_Condition();
    tusk_ce_scope = register_class_Tusk_Scope();
    tusk_ce_http_request = register_class_Tusk_Http_Request();
    tusk_ce_invalid_json = register_class_Tusk_Http_InvalidJson(php_json_exception_ce);
    tusk_ce_http_response = register_class_Tusk_Http_Response();
    tusk_ce_uploaded_file = register_class_Tusk_Http_UploadedFile();
    tusk_ce_http_client = register_class_Tusk_Http_Client();
    tusk_ce_http_client_response = register_class_Tusk_Http_ClientResponse();
    tusk_ce_event_stream = register_class_Tusk_Sse_EventStream();
    tusk_ce_sse_event = register_class_Tusk_Sse_Event();
    tusk_ce_sse_client = register_class_Tusk_Sse_Client(zend_ce_aggregate);
    tusk_ce_ws_options = register_class_Tusk_WebSocket_ServerOptions();
    tusk_ce_deflate = register_class_Tusk_WebSocket_Deflate();
    tusk_ce_ws_server = register_class_Tusk_WebSocket_Server();
    tusk_ce_ws_request = register_class_Tusk_WebSocket_Request();
    tusk_ce_handshake_response = register_class_Tusk_WebSocket_HandshakeResponse();
    tusk_ce_handshake_exception =
        register_class_Tusk_WebSocket_HandshakeException(zend_ce_exception);
    tusk_ce_connection = register_class_Tusk_WebSocket_Connection(zend_ce_aggregate);
    tusk_ce_messages = register_class_Tusk_WebSocket_Messages(zend_ce_iterator);
    tusk_ce_frame = register_class_Tusk_WebSocket_Frame();
    tusk_ce_close_frame = register_class_Tusk_WebSocket_CloseFrame();
    tusk_ce_protocol = register_class_Tusk_WebSocket_Protocol();
    tusk_ce_frames = register_class_Tusk_WebSocket_Frames();
    tusk_ce_ws_client = register_class_Tusk_WebSocket_Client(zend_ce_aggregate);
    tusk_ce_loopback = register_class_Tusk_Testing_Loopback();
    tusk_ce_loopback_client = register_class_Tusk_Testing_LoopbackClient();
    tusk_ce_loopback_stream = register_class_Tusk_Testing_LoopbackStream();
    tusk_ce_on_full = register_class_Tusk_Parallel_OnFull();
    tusk_ce_template = register_class_Tusk_Parallel_Template();
    tusk_ce_task_state = register_class_Tusk_Parallel_State();
    tusk_ce_cannot_travel = register_class_Tusk_Parallel_CannotTravel(tusk_ce_exception);
    tusk_ce_deadline_exceeded = register_class_Tusk_Parallel_DeadlineExceeded(tusk_ce_exception);
    tusk_ce_cancelled = register_class_Tusk_Parallel_Cancelled(tusk_ce_exception);
    tusk_ce_worker_crashed = register_class_Tusk_Parallel_WorkerCrashed(tusk_ce_exception);
    tusk_ce_task_exited = register_class_Tusk_Parallel_TaskExited(tusk_ce_exception);
    tusk_ce_task_failed = register_class_Tusk_Parallel_TaskFailed(tusk_ce_exception);
    tusk_ce_queue_full = register_class_Tusk_Parallel_QueueFull(tusk_ce_exception);
    tusk_ce_bootstrap_failed = register_class_Tusk_Parallel_BootstrapFailed(tusk_ce_exception);
    tusk_ce_engine = register_class_Tusk_Parallel_Engine();
    tusk_ce_pool = register_class_Tusk_Parallel_Pool(tusk_ce_engine);
    tusk_ce_sync = register_class_Tusk_Parallel_Sync(tusk_ce_engine);
    tusk_ce_async = register_class_Tusk_Parallel_Async(tusk_ce_engine);
    tusk_ce_task = register_class_Tusk_Parallel_Task();
    tusk_ce_bench_load = register_class_Tusk_Bench_Load();
    tusk_ce_bench_histogram = register_class_Tusk_Bench_Histogram();
    tusk_ce_bench_echo = register_class_Tusk_Bench_EchoServer();
    register_proxy_classes();
    zend_class_entry *const plain[] = {
        tusk_ce_limits,
        tusk_ce_timer,
        tusk_ce_http_client_response,
        tusk_ce_sse_event,
        tusk_ce_ws_options,
        tusk_ce_deflate,
        tusk_ce_handshake_response,
        tusk_ce_frame,
        tusk_ce_close_frame,
        tusk_ce_protocol,
        tusk_ce_tls_info,
        tusk_ce_certificate,
    };
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        plain[i]->create_object = create_plain;
    }
}

static void init_globals(void *globals)
{
#if defined(COMPILE_DL_TUSK) && defined(ZTS)
    ZEND_TSRMLS_CACHE_UPDATE();
#endif
    memset(globals, 0, sizeof(zend_tusk_globals));
}

PHP_INI_BEGIN()
STD_PHP_INI_BOOLEAN("tusk.io_uring", "1", PHP_INI_ALL, OnUpdateBool, io_uring, zend_tusk_globals,
                    tusk_globals)
PHP_INI_END()

static PHP_MINIT_FUNCTION(tusk)
{
    REGISTER_INI_ENTRIES();
    register_classes();
    tusk_calls_startup();
    tusk_output_startup();
    tusk_web_functions_startup();
    tusk_watchdog_startup();
    tusk_frames_startup();
    tusk_position_startup();
    tusk_condition_startup();
    tusk_tls_startup();
    tusk_ws_server_startup();
    tusk_general_server_startup();
    tusk_peer_startup();
    tusk_messages_startup();
    tusk_http_request_startup();
    tusk_uploaded_file_startup();
    tusk_http_response_startup();
    tusk_http_client_startup();
    tusk_ws_client_startup();
    tusk_sse_client_startup();
    tusk_loopback_startup();
    tusk_loopback_client_startup();
    tusk_loopback_stream_startup();
    tusk_proxy_values_startup();
    tusk_upstream_tls_startup();
    tusk_lookup_startup();
    tusk_proxy_startup();
    tusk_parallel_startup();
    tusk_bench_load_startup();
    tusk_bench_histogram_startup();
    tusk_bench_echo_startup();
    return SUCCESS;
}

static PHP_MSHUTDOWN_FUNCTION(tusk)
{
    tusk_http_response_shutdown();
    tusk_web_functions_shutdown();
    tusk_output_shutdown();
    UNREGISTER_INI_ENTRIES();
    return SUCCESS;
}

static PHP_RINIT_FUNCTION(tusk)
{
#if defined(COMPILE_DL_TUSK) && defined(ZTS)
    ZEND_TSRMLS_CACHE_UPDATE();
#endif
    memset(TUSK_G(message_cases), 0, sizeof(TUSK_G(message_cases)));
    memset(TUSK_G(overflow_cases), 0, sizeof(TUSK_G(overflow_cases)));
    return SUCCESS;
}

#if defined(__linux__)
static const char pollers[] = "epoll, poll, select";
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
static const char pollers[] = "kqueue, poll, select";
#else
static const char pollers[] = "poll, select";
#endif

/* Timers go while closures can still be freed; the loop goes last, when the servers' objects are
 * gone. */
static PHP_RSHUTDOWN_FUNCTION(tusk)
{
    tusk_strands_shutdown();
    TUSK_G(scope_frames) = NULL; /* where a fatal error left some */
    tusk_scope_end(&TUSK_G(scope));
    tusk_timers_shutdown();
    tusk_watches_shutdown();
    tusk_fibers_shutdown();
    tusk_travel_shutdown();
    return SUCCESS;
}

static zend_result end_request(void)
{
    tusk_clients_shutdown();
    tusk_loop *loop = TUSK_G(loop);
    bool failed = TUSK_G(unusable) || TUSK_G(strands) != NULL;
    TUSK_G(loop) = NULL;
    TUSK_G(strands) = NULL;
    TUSK_G(timer_last_id) = 0;
    TUSK_G(unusable) = false;
    TUSK_G(run_called) = false;
    TUSK_G(timers_ran) = false;
    TUSK_G(open_line) = NULL;
    TUSK_G(web_told) = 0;
    if (!failed && loop != NULL) { /* after a fatal error stacks that wait are lost with what they
                                      registered */
        tusk_loop_settle(loop);
        tusk_loop_free(loop);
    }
    return SUCCESS;
}

static PHP_MINFO_FUNCTION(tusk)
{
    const char *tls = tusk_tls_library();
    const char *zlib = tusk_ws_deflate_library();
    const char *bpf = tusk_sockmap_library();
    const char *uring = tusk_relay_uring_library();
    php_info_print_table_start();
    php_info_print_table_row(2, "Tusk", TUSK_VERSION);
    php_info_print_table_row(2, "Pollers", pollers);
    php_info_print_table_row(2, "TLS", tls == NULL ? "not built in" : tls);
    php_info_print_table_row(2, "permessage-deflate (zlib)", zlib == NULL ? "not built in" : zlib);
    php_info_print_table_row(2, "sockmap (libbpf)", bpf == NULL ? "not built in" : bpf);
    php_info_print_table_row(2, "io_uring (liburing)", uring == NULL ? "not built in" : uring);
    php_info_print_table_end();
    DISPLAY_INI_ENTRIES();
}

static const zend_module_dep dependencies[] = {ZEND_MOD_REQUIRED("spl") ZEND_MOD_REQUIRED("json")
                                                   ZEND_MOD_OPTIONAL("session") ZEND_MOD_END};

zend_module_entry tusk_module_entry = {
    STANDARD_MODULE_HEADER_EX,
    NULL,
    dependencies,
    "tusk",
    NULL,
    PHP_MINIT(tusk),
    PHP_MSHUTDOWN(tusk),
    PHP_RINIT(tusk),
    PHP_RSHUTDOWN(tusk),
    PHP_MINFO(tusk),
    TUSK_VERSION,
    PHP_MODULE_GLOBALS(tusk),
    init_globals,
    NULL,
    end_request,
    STANDARD_MODULE_PROPERTIES_EX,
};
