/* SPDX-License-Identifier: MIT */
/* Tusk\Server's routes: what is asked for at which path, and whose closures answer. */
#include "src/serve/server.h"

#include "src/closures.h"
#include "src/options.h"
#include "src/parameters.h"
#include "src/serve/http.h"

#include <ext/spl/spl_exceptions.h>
#include <ext/standard/php_string.h>

static const tusk_arguments with_request = {
    1, "the Request, whose $params has the path's names", {{.ce = &tusk_ce_http_request}}};
static const tusk_arguments with_stream = {1, "the EventStream", {{.ce = &tusk_ce_event_stream}}};
static const tusk_arguments with_close = {
    3,
    "the Connection, the code, the reason",
    {{.ce = &tusk_ce_connection}, {.scalar = MAY_BE_LONG}, {.scalar = MAY_BE_STRING}}};

bool tusk_server_may_change(const tusk_php_server *self, const char *what)
{
    if (self->service->host.running || self->service->host.ran) {
        zend_throw_exception_ex(spl_ce_LogicException, 0, "%s cannot be added once the server runs",
                                what);
        return false;
    }
    return true;
}

/* The bootstrap of a worker adds them as well, whose master runs already. */
static bool may_route(const tusk_php_server *self)
{
    return self->booting || tusk_server_may_change(self, "Routes");
}

/* A "?" that stands for itself, as a name's is the core's to refuse. */
static bool has_query(const char *path)
{
    size_t before = strcspn(path, "?{");
    while (path[before] == '{') {
        before += strcspn(path + before, "}");
        before += strcspn(path + before, "?{");
    }
    return path[before] == '?';
}

/* ":id" and "*" of other routers, and a query, would be literal here, and never asked for. */
static bool path_is_ours(zend_string *path)
{
    if (has_query(ZSTR_VAL(path))) {
        zend_argument_value_error(1,
                                  "must be a path such as \"/rooms/{room}\", without a query: "
                                  "$request->query() has that, \"%s\" given",
                                  ZSTR_VAL(path));
        return false;
    }
    for (const char *at = ZSTR_VAL(path); *at != '\0'; at++) {
        size_t len = at[0] == '/' ? strcspn(at + 1, "/") : 0;
        if (len > 1 && at[1] == ':') {
            zend_argument_value_error(1,
                                      "must be a path such as \"/rooms/{room}\": \"%.*s\" is "
                                      "written \"{%.*s}\" here, \"%s\" given",
                                      (int)len, at + 1, (int)len - 1, at + 2, ZSTR_VAL(path));
            return false;
        }
        if (len == 1 && at[1] == '*') {
            zend_argument_value_error(1,
                                      "must be a path such as \"/rooms/{room}\": \"*\" is "
                                      "written \"{rest*}\" here, \"%s\" given",
                                      ZSTR_VAL(path));
            return false;
        }
    }
    return true;
}

static bool routed(tusk_err err, zend_string *path, const char *what)
{
    if (err == TUSK_EINVAL) {
        zend_argument_value_error(1,
                                  "must be a path such as \"/rooms/{room}\" (names of letters, "
                                  "digits, \"_\" and \"-\", each "
                                  "once, {rest*} last; check values in the handler), \"%s\" given",
                                  ZSTR_VAL(path));
    } else if (err == TUSK_ESTATE) {
        zend_throw_exception_ex(spl_ce_LogicException, 0, "There is %s %s route for \"%s\" already",
                                strchr("eO", *what) != NULL ? "an" : "a", what, ZSTR_VAL(path));
    } else if (err != TUSK_OK) {
        tusk_throw(err, "Cannot add the route \"%s\"", ZSTR_VAL(path));
    }
    return err == TUSK_OK;
}

static void give(tusk_callback *callback, zend_object *closure)
{
    if (closure != NULL) {
        tusk_callback_set(callback, closure);
    }
}

static void give_session(tusk_php_route *route, zend_object *open, zend_object *close,
                         zend_object *authorize)
{
    give(&route->open, open);
    give(&route->close, close);
    give(&route->authorize, authorize);
}

static bool check_count(size_t count, uint32_t number)
{
    if (count > TUSK_ROUTE_LIST_CAP) {
        zend_argument_value_error(number, "must not hold more than %d, %zu found",
                                  TUSK_ROUTE_LIST_CAP, count);
    }
    return count <= TUSK_ROUTE_LIST_CAP;
}

/* As browsers write them (RFC 6454, 6.2): scheme, host, port where it is not the scheme's; or
 * "null". Anything else would be in no request, and refuse everybody. */
static bool is_origin(tusk_bytes text)
{
    const char *end = (const char *)text.ptr + text.len;
    const char *host = zend_memnstr((const char *)text.ptr, "://", 3, end);
    if (tusk_bytes_eq(text, tusk_bytes_str("null"))) {
        return true;
    }
    if (host == NULL || host == (const char *)text.ptr || host + 3 == end) {
        return false;
    }
    for (const char *at = host + 3; at < end; at++) {
        if (*at <= ' ' || *at >= 0x7f || strchr("/?#@*,", *at) != NULL) {
            return false;
        }
    }
    return true;
}

/* As tusk_string_list(), of origins. */
static tusk_bytes *origin_list(HashTable *list, uint32_t number, size_t *count)
{
    tusk_bytes *texts = tusk_string_list(list, number, count);
    for (size_t i = 0; texts != NULL && i < *count; i++) {
        if (!is_origin(texts[i])) {
            zend_argument_value_error(
                number, "must be a list of origins like \"https://example.org\", \"%s\" found",
                (const char *)texts[i].ptr);
            efree(texts);
            return NULL;
        }
    }
    return texts;
}

TUSK_METHOD(Tusk_Server, websocket)
{
    zend_string *path;
    zend_object *message = NULL;
    zend_object *open = NULL;
    zend_object *close = NULL;
    zend_object *authorize = NULL;
    HashTable *subprotocols = NULL;
    HashTable *origins = NULL;
    zend_object *deflate = NULL;

    ZEND_PARSE_PARAMETERS_START(1, 8)
    Z_PARAM_PATH_STR(path)
    Z_PARAM_OPTIONAL
    Z_PARAM_CLOSURE_OF_OR_NULL(message, &tusk_with_message)
    Z_PARAM_CLOSURE_OF_OR_NULL(open, &tusk_with_connection)
    Z_PARAM_CLOSURE_OF_OR_NULL(close, &with_close)
    Z_PARAM_CLOSURE_OF_OR_NULL(authorize, &with_request)
    Z_PARAM_ARRAY_HT(subprotocols)
    Z_PARAM_ARRAY_HT_OR_NULL(origins)
    Z_PARAM_OBJ_OF_CLASS_OR_NULL(deflate, tusk_ce_deflate)
    ZEND_PARSE_PARAMETERS_END();

    tusk_php_server *self = tusk_php_server_of(ZEND_THIS);
    if (!may_route(self) || !path_is_ours(path)) {
        RETURN_THROWS();
    }
    if (deflate != NULL && tusk_ws_deflate_library() == NULL) {
        zend_throw_exception(
            tusk_ce_exception,
            "This build of Tusk has no zlib: permessage-deflate cannot be turned on", 0);
        RETURN_THROWS();
    }
    size_t protocol_count;
    size_t origin_count;
    tusk_bytes *protocols = tusk_token_list(subprotocols, 6, &protocol_count);
    tusk_bytes *allowed = protocols == NULL ? NULL : origin_list(origins, 7, &origin_count);
    if (allowed != NULL && check_count(protocol_count, 6) && check_count(origin_count, 7)) {
        tusk_websocket_options options = {
            .authorize = authorize != NULL,
            .keep_target = true,
            .subprotocols = protocols,
            .subprotocol_count = protocol_count,
            .origins = allowed,
            .origin_count = origin_count,
            .any_origin = origins == NULL,
        };
        tusk_deflate_read(&options.deflate, deflate);
        tusk_php_route *route = tusk_service_route(self->service, ROUTE_WEBSOCKET);
        if (routed(
                tusk_server_route_websocket(self->service->core, ZSTR_VAL(path), &options, route),
                path, "websocket")) {
            give(&route->message, message);
            tusk_service_message_given(&route->message);
            give_session(route, open, close, authorize);
        }
    }
    if (protocols != NULL) {
        efree(protocols);
    }
    if (allowed != NULL) {
        efree(allowed);
    }
}

TUSK_METHOD(Tusk_Server, events)
{
    zend_string *path;
    zend_object *open;
    zend_object *close = NULL;
    zend_object *authorize = NULL;
    HashTable *origins = NULL;

    ZEND_PARSE_PARAMETERS_START(2, 5)
    Z_PARAM_PATH_STR(path)
    Z_PARAM_CLOSURE_OF(open, &with_stream)
    Z_PARAM_OPTIONAL
    Z_PARAM_CLOSURE_OF_OR_NULL(close, &with_stream)
    Z_PARAM_CLOSURE_OF_OR_NULL(authorize, &with_request)
    Z_PARAM_ARRAY_HT_OR_NULL(origins)
    ZEND_PARSE_PARAMETERS_END();

    tusk_php_server *self = tusk_php_server_of(ZEND_THIS);
    if (!may_route(self) || !path_is_ours(path)) {
        RETURN_THROWS();
    }
    size_t origin_count;
    tusk_bytes *allowed = origin_list(origins, 5, &origin_count);
    if (allowed != NULL && check_count(origin_count, 5)) {
        const tusk_events_options options = {
            .authorize = authorize != NULL,
            .keep_target = true,
            .origins = allowed,
            .origin_count = origin_count,
            .any_origin = origins == NULL,
        };
        tusk_php_route *route = tusk_service_route(self->service, ROUTE_EVENTS);
        if (routed(tusk_server_route_events(self->service->core, ZSTR_VAL(path), &options, route),
                   path, "events")) {
            give_session(route, open, close, authorize);
        }
    }
    if (allowed != NULL) {
        efree(allowed);
    }
}

static void add_http(INTERNAL_FUNCTION_PARAMETERS, const char *method)
{
    zend_string *path;
    zend_object *handler;

    ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_PATH_STR(path)
    Z_PARAM_CLOSURE_OF(handler, &with_request)
    ZEND_PARSE_PARAMETERS_END();

    tusk_php_server *self = tusk_php_server_of(ZEND_THIS);
    if (!may_route(self) || !path_is_ours(path)) {
        RETURN_THROWS();
    }
    tusk_php_route *route = tusk_service_route(self->service, ROUTE_HTTP);
    if (routed(tusk_server_route_http(self->service->core, method, ZSTR_VAL(path), route), path,
               method)) {
        give(&route->message, handler);
        tusk_callback_given_always(&route->message,
                                   (const zend_class_entry *[]){tusk_ce_http_request}, 1);
    }
}

TUSK_METHOD(Tusk_Server, get)
{
    add_http(INTERNAL_FUNCTION_PARAM_PASSTHRU, "GET");
}

TUSK_METHOD(Tusk_Server, post)
{
    add_http(INTERNAL_FUNCTION_PARAM_PASSTHRU, "POST");
}

TUSK_METHOD(Tusk_Server, put)
{
    add_http(INTERNAL_FUNCTION_PARAM_PASSTHRU, "PUT");
}

TUSK_METHOD(Tusk_Server, patch)
{
    add_http(INTERNAL_FUNCTION_PARAM_PASSTHRU, "PATCH");
}

TUSK_METHOD(Tusk_Server, delete)
{
    add_http(INTERNAL_FUNCTION_PARAM_PASSTHRU, "DELETE");
}

TUSK_METHOD(Tusk_Server, options)
{
    add_http(INTERNAL_FUNCTION_PARAM_PASSTHRU, "OPTIONS");
}

TUSK_METHOD(Tusk_Server, fallback)
{
    zend_object *handler;
    bool methods = false;

    ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_CLOSURE_OF(handler, &with_request)
    Z_PARAM_OPTIONAL
    Z_PARAM_BOOL(methods)
    ZEND_PARSE_PARAMETERS_END();

    tusk_php_server *self = tusk_php_server_of(ZEND_THIS);
    if (!may_route(self)) {
        RETURN_THROWS();
    }
    tusk_php_route *route = tusk_service_route(self->service, ROUTE_HTTP);
    tusk_err err = tusk_server_route_fallback(self->service->core, route);
    if (err == TUSK_ESTATE) {
        zend_throw_exception(spl_ce_LogicException, "There is a fallback already", 0);
    } else if (err != TUSK_OK) {
        tusk_throw(err, "Cannot add the fallback");
    } else {
        give(&route->message, handler);
        tusk_callback_given_always(&route->message,
                                   (const zend_class_entry *[]){tusk_ce_http_request}, 1);
        if (methods) {
            tusk_server_fallback_methods(self->service->core);
        }
    }
}

/* The path as it was sent; that of a whole address is taken decoded. */
static tusk_bytes sent_path(zend_object *request)
{
    zval none;
    tusk_bytes target = tusk_zstr(Z_STR_P(
        zend_read_property(request->ce, request, "target", sizeof("target") - 1, false, &none)));
    if (target.len == 0 || target.ptr[0] != '/') {
        return tusk_zstr(Z_STR_P(
            zend_read_property(request->ce, request, "path", sizeof("path") - 1, false, &none)));
    }
    const uint8_t *query = memchr(target.ptr, '?', target.len);
    return query == NULL ? target : tusk_bytes_of(target.ptr, (size_t)(query - target.ptr));
}

TUSK_METHOD(Tusk_Server, allowed)
{
    zend_object *request;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_OBJ_OF_CLASS(request, tusk_ce_http_request)
    ZEND_PARSE_PARAMETERS_END();

    tusk_buf methods;
    tusk_buf_init(&methods, tusk_mem_default(), 256);
    tusk_err err = tusk_server_methods(tusk_php_server_of(ZEND_THIS)->service->core,
                                       sent_path(request), &methods);
    if (err == TUSK_OK && tusk_buf_view(&methods).len > 0) {
        err = tusk_buf_append_str(&methods, ", OPTIONS");
    }
    array_init(return_value);
    if (err != TUSK_OK) {
        tusk_throw(err, "Cannot list the methods");
    } else if (tusk_buf_view(&methods).len > 0) {
        zend_string *text = zend_string_init((const char *)tusk_buf_view(&methods).ptr,
                                             tusk_buf_view(&methods).len, false);
        zend_string *comma = ZSTR_INIT_LITERAL(", ", false);
        php_explode(comma, text, return_value, ZEND_LONG_MAX);
        zend_string_release(comma);
        zend_string_release(text);
    }
    tusk_buf_fini(&methods);
}

/* Headers of a folder as lines, without those that the server writes. False: a ValueError. */
static bool folder_lines(tusk_buf *out, HashTable *headers, uint32_t number)
{
    zend_string *name;
    ZEND_HASH_FOREACH_STR_KEY(headers, name)
    {
        if (name != NULL && tusk_files_field_own(tusk_zstr(name))) {
            zend_argument_value_error(number, "must not have \"%s\": %s", ZSTR_VAL(name),
                                      zend_string_equals_literal_ci(name, "cache-control")
                                          ? "that is what $cacheControl is for"
                                          : "the server writes it itself");
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return tusk_answer_lines(out, headers, number);
}

TUSK_METHOD(Tusk_Server, files)
{
    zend_string *prefix;
    zend_string *directory;
    zend_string *index = NULL;
    zend_string *cache_control = NULL;
    bool follow_symlinks = false;
    HashTable *headers = NULL;

    ZEND_PARSE_PARAMETERS_START(2, 6)
    Z_PARAM_PATH_STR(prefix)
    Z_PARAM_PATH_STR(directory)
    Z_PARAM_OPTIONAL
    Z_PARAM_PATH_STR(index)
    Z_PARAM_STR(cache_control)
    Z_PARAM_BOOL(follow_symlinks)
    Z_PARAM_ARRAY_HT(headers)
    ZEND_PARSE_PARAMETERS_END();

    tusk_php_server *self = tusk_php_server_of(ZEND_THIS);
    if (!may_route(self)) {
        RETURN_THROWS();
    }
    if (cache_control != NULL && !tusk_http_value_valid(tusk_zstr(cache_control))) {
        zend_argument_value_error(4, "must have no CR, LF, NUL or other control byte");
        RETURN_THROWS();
    }
    char whole[PATH_MAX];
    if (VCWD_REALPATH(ZSTR_VAL(directory), whole) != NULL && strcmp(whole, "/") == 0) {
        zend_argument_value_error(2, "must be a folder of what everybody may read, not the root of "
                                     "the file system; the path of the URL comes first, the "
                                     "folder second");
        RETURN_THROWS();
    }
    const char *cache = cache_control == NULL ? "no-cache" : ZSTR_VAL(cache_control);
    tusk_files_options options = {
        .directory = ZSTR_VAL(directory),
        .index = index == NULL          ? "index.html"
                 : ZSTR_LEN(index) == 0 ? NULL
                                        : ZSTR_VAL(index),
        .cache_control = cache[0] == '\0' ? NULL : cache,
        .follow_symlinks = follow_symlinks,
    };
    tusk_buf lines;
    tusk_buf_init(&lines, tusk_mem_default(), HEADERS_MAX);
    if (headers != NULL && !folder_lines(&lines, headers, 6)) {
        tusk_buf_fini(&lines);
        RETURN_THROWS();
    }
    options.fields = tusk_buf_view(&lines);
    tusk_err err = tusk_server_route_files(self->service->core, ZSTR_VAL(prefix), &options);
    tusk_buf_fini(&lines);
    if (err == TUSK_ENOENT || err == TUSK_EACCES) {
        zend_argument_value_error(2, "must be a folder that can be read, \"%s\" given",
                                  ZSTR_VAL(directory));
        RETURN_THROWS();
    }
    (void)routed(err, prefix, "files");
}
