/* SPDX-License-Identifier: MIT */
/* Static files: conditions, ranges, precompressed neighbours; small ones from memory, large ones by
 * sendfile. */
#define _GNU_SOURCE
#include "serve/http/http.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/etag.h"
#include "serve/pressure.h"

struct answer {
    int status;
    uint64_t first; /* of the content */
    uint64_t len;
    bool partial;
    bool bare; /* nothing of the content follows */
};

/* A list may be spread over several fields (RFC 9110, 5.3). */
static bool any_listed(const tusk_http_head *head, const tusk_http_field *from, const char *etag,
                       bool weak_fits)
{
    for (const tusk_http_field *at = from; at < head->fields + head->field_count; at++) {
        if (tusk_bytes_eq_nocase(at->name, from->name) &&
            tusk__etag_listed(at->value, tusk_bytes_str(etag), weak_fits)) {
            return true;
        }
    }
    return false;
}

/* A date is no list: what is said twice is not said (RFC 9110, 13.1.3 and 13.1.4). */
static bool date_of(const tusk_http_head *head, const char *name, int64_t *date)
{
    const tusk_http_field *field = tusk_http_find(head, name);
    return field != NULL && tusk_http_date_parse(field->value, tusk_loop_wall_s(), date) &&
           tusk_http_count(head, name) == 1;
}

/* 200, 304 or 412 (RFC 9110, 13.2.2: the order of the conditions). */
static int judge_conditions(const tusk_http_head *head, const cached_file *file)
{
    const char *etag = file->etag;
    const tusk_http_field *field;
    int64_t date;
    if ((field = tusk_http_find(head, "if-match")) != NULL) {
        if (!any_listed(head, field, etag, false)) {
            return 412;
        }
    } else if (date_of(head, "if-unmodified-since", &date) && file->mtime_s > date) {
        return 412;
    }
    if ((field = tusk_http_find(head, "if-none-match")) != NULL) {
        if (any_listed(head, field, etag, true)) {
            return 304;
        }
    } else if (date_of(head, "if-modified-since", &date) && file->mtime_s <= date) {
        return 304;
    }
    return 200;
}

/* A date proves nothing within its own second, in which the file may change once more (RFC 9110,
 * 8.8.2.2 and 13.1.5). */
static bool range_applies(const tusk_http_head *head, const cached_file *file)
{
    const tusk_http_field *field = tusk_http_find(head, "if-range");
    int64_t date;
    if (field == NULL) {
        return true;
    }
    if (field->value.len > 0 && field->value.ptr[0] == '"') {
        return tusk_bytes_eq(field->value, tusk_bytes_str(file->etag)) &&
               tusk_http_count(head, "if-range") == 1;
    }
    return date_of(head, "if-range", &date) && date == file->mtime_s && date < tusk_loop_wall_s();
}

/* If-... and Range: most requests have none, and need no further look. */
static bool is_conditional(const tusk_http_head *head)
{
    for (uint32_t i = 0; i < head->field_count; i++) {
        uint8_t first = head->fields[i].name.ptr[0] | 0x20;
        if (first == 'i' || first == 'r') {
            return true;
        }
    }
    return false;
}

static struct answer judge(const tusk_http_head *head, const cached_file *file)
{
    struct answer answer = {.status = 200, .len = file->size};
    /* A POST whose answer is a file has been done by now, and no condition undoes it (13.2.1). */
    bool reads = head->method == TUSK_HTTP_GET || head->method == TUSK_HTTP_HEAD;
    if (!reads || !is_conditional(head)) {
        return answer;
    }
    answer.status = judge_conditions(head, file);
    answer.bare = answer.status != 200;
    const tusk_http_field *range = tusk_http_find(head, "range");
    uint64_t first = 0;
    uint64_t last = 0;
    if (answer.status != 200 || range == NULL || head->method != TUSK_HTTP_GET ||
        tusk_http_count(head, "range") > 1 || !range_applies(head, file)) {
        return answer;
    }
    int fits = tusk_http_range(range->value, file->size, &first, &last);
    if (fits < 0) {
        answer.status = 416;
        answer.bare = true;
    } else if (fits > 0) {
        answer = (struct answer){
            .status = 206, .first = first, .len = last - first + 1, .partial = true};
    }
    return answer;
}

/* Names and values made here, so there is nothing to check; what a user gave is checked. */
static inline tusk_err text_field(tusk_server *server, const char *name, const char *value)
{
    size_t name_len = strlen(name);
    size_t value_len = strlen(value);
    uint8_t *at;
    tusk_err err = tusk_buf_reserve(&server->scratch, name_len + value_len + 4, &at);
    if (err == TUSK_OK) {
        memcpy(at, name, name_len);
        memcpy(at + name_len, ": ", 2);
        memcpy(at + name_len + 2, value, value_len);
        memcpy(at + name_len + 2 + value_len, "\r\n", 2);
        tusk_buf_commit(&server->scratch, name_len + value_len + 4);
    }
    return err;
}

/* Of a file from the future it is the Date of this answer (RFC 9110, 8.8.2.1). */
static bool is_of_the_future(const tusk_server *server, const cached_file *file)
{
    return file->mtime_s > server->fields_s;
}

static tusk_err write_last_modified(tusk_server *server, const cached_file *file)
{
    char date[FILE_DATE_LEN + 1] = "";
    tusk_http_date(date, server->fields_s);
    return text_field(server, "Last-Modified", is_of_the_future(server, file) ? date : file->date);
}

/* What is said of the content, whole or in part. */
static tusk_err write_content_fields(tusk_server *server, const cached_file *file,
                                     const struct answer *answer, const char *media_type)
{
    char text[96];
    tusk_err err = TUSK_OK;
    if (!answer->bare) {
        if (media_type[0] != '\0') {
            err = tusk_http_field_append(&server->scratch, tusk_bytes_str("Content-Type"),
                                         tusk_bytes_str(media_type));
        }
        err = err != TUSK_OK ? err : tusk__reply_length(server, answer->len);
    } else if (tusk_http_content_of(answer->status) != TUSK_HTTP_CONTENT_NONE) {
        err = tusk__reply_length(server, 0);
    }
    if (err == TUSK_OK && (answer->partial || answer->status == 416)) {
        if (answer->partial) {
            (void)snprintf(text, sizeof(text), "bytes %llu-%llu/%llu",
                           (unsigned long long)answer->first,
                           (unsigned long long)(answer->first + answer->len - 1),
                           (unsigned long long)file->size);
        } else {
            (void)snprintf(text, sizeof(text), "bytes */%llu", (unsigned long long)file->size);
        }
        err = text_field(server, "Content-Range", text);
    }
    err = err != TUSK_OK ? err : text_field(server, "ETag", file->etag);
    err = err != TUSK_OK ? err : write_last_modified(server, file);
    err = err != TUSK_OK ? err : text_field(server, "Accept-Ranges", "bytes");
    return err != TUSK_OK ? err : text_field(server, "X-Content-Type-Options", "nosniff");
}

static tusk_err write_head(tusk_session *self, const cached_file *file, const struct answer *answer,
                           const char *media_type, const char *encoding, tusk_bytes fields)
{
    tusk_server *server = self->server;
    tusk_bytes ready = tusk_buf_view(&file->fields);
    tusk_err err = tusk__reply_start(server, answer->status);
    if (err == TUSK_OK && answer->status == 200 && ready.len > 0 &&
        media_type == file->media_type && !is_of_the_future(server, file)) {
        err = tusk_buf_append(&server->scratch, ready.ptr, ready.len);
    } else if (err == TUSK_OK) {
        err = write_content_fields(server, file, answer, media_type);
    }
    if (err == TUSK_OK && fields.len > 0) {
        err = tusk_buf_append(&server->scratch, fields.ptr, fields.len);
    }
    if (err == TUSK_OK && answer->status != 200) {
        err = tusk__reply_owed_field(self, answer->status, fields);
    }
    if (err == TUSK_OK && encoding != NULL) {
        err = encoding[0] == '\0' ? TUSK_OK : text_field(server, "Content-Encoding", encoding);
        err = err != TUSK_OK ? err : text_field(server, "Vary", "Accept-Encoding");
    }
    return err != TUSK_OK ? err : tusk__reply_finish_head(self);
}

static void close_file(void *owner)
{
    (void)close((int)(intptr_t)owner);
}

/* Takes over `fd`. */
static tusk_err queue_large(tusk_session *self, int fd, const struct answer *answer)
{
    tusk_err err = tusk_conn_append_file(&self->conn, fd, answer->first, answer->len, close_file,
                                         (void *)(intptr_t)fd);
    if (err != TUSK_OK) {
        (void)close(fd);
    }
    return err;
}

static tusk_err queue_small(tusk_session *self, const cached_file *file,
                            const struct answer *answer)
{
    return answer->len == 0 ? TUSK_OK
                            : tusk_conn_append_slice(&self->conn, file->content,
                                                     (size_t)answer->first, (size_t)answer->len);
}

/* The answer whose head is in the scratch, if it is the whole of a file that many want. */
static tusk_blob *ready_answer_for(tusk_session *self, const cached_file *file,
                                   const struct answer *answer)
{
    tusk_server *server = self->server;
    return answer->partial || file->content == NULL
               ? NULL
               : tusk__file_cache_answer(&server->files, file, server->fields_s,
                                         tusk_buf_view(&server->scratch));
}

/* An error: nothing was said yet, and the answer is still owed. A large file is opened before
 * anything is said of it: length and ETag are those of the descriptor whose bytes will leave. */
static tusk_err send_file(tusk_session *self, const tusk_http_head *head, const cached_file *file,
                          int status, const char *media_type, const char *encoding,
                          tusk_bytes fields)
{
    int fd = -1;
    if (file->content == NULL && !self->head_only) {
        tusk_err failed = tusk__file_cache_open(file, tusk_loop_now_ms(self->server->loop), &fd);
        if (failed != TUSK_OK) {
            return failed;
        }
    }
    struct answer answer = {.status = status,
                            .len = file->size,
                            .bare = tusk_http_content_of(status) != TUSK_HTTP_CONTENT};
    if (status == 200 && head != NULL) {
        answer = judge(head, file);
    }
    bool body = !answer.bare && !self->head_only;
    tusk_err err = write_head(self, file, &answer, media_type, encoding, fields);
    tusk_blob *ready = err == TUSK_OK && body ? ready_answer_for(self, file, &answer) : NULL;
    if (ready != NULL) {
        err = tusk_conn_append_blob(&self->conn, ready);
        body = false;
    } else if (err == TUSK_OK) {
        if (body && fd < 0) {
            (void)tusk__session_make_room(self, self->server->scratch.len + answer.len);
        }
        err = tusk__reply_queue(self);
    }
    if (err == TUSK_OK && body && fd >= 0) {
        err = queue_large(self, fd, &answer);
    } else {
        if (fd >= 0) {
            (void)close(fd);
        }
        err = err == TUSK_OK && body ? queue_small(self, file, &answer) : err;
    }
    if (err != TUSK_OK) {
        tusk__session_abort(self, err);
    } else {
        tusk__http_answered(self);
    }
    return TUSK_OK;
}

/* RFC 9110, 12.4.2: what has a weight of 0, in up to four digits, is not acceptable. */
static bool is_weight_0(tusk_bytes text)
{
    size_t at = 0;
    while (at < text.len && strchr("; \t", text.ptr[at]) != NULL) {
        at++;
    }
    if (text.len - at < 3 || (text.ptr[at] | 0x20) != 'q' || text.ptr[at + 1] != '=') {
        return false;
    }
    for (at += 2; at < text.len && (text.ptr[at] == '0' || text.ptr[at] == '.'); at++) {
    }
    return at == text.len;
}

static bool accepts(const tusk_http_head *head, const char *coding)
{
    size_t cursor = 0;
    tusk_bytes token;
    size_t len = strlen(coding);
    while (tusk_http_next_token(head, "accept-encoding", &cursor, &token)) {
        if (token.len < len ||
            !tusk_bytes_eq_nocase(tusk_bytes_of(token.ptr, len), tusk_bytes_str(coding))) {
            continue;
        }
        tusk_bytes weight = tusk_bytes_of(token.ptr + len, token.len - len);
        if (weight.len == 0 || strchr("; \t", weight.ptr[0]) != NULL) {
            return !is_weight_0(weight);
        }
    }
    return false;
}

/* The file, or its neighbour that is compressed already, not older, and taken by this client.
 * `*encoding` is "" for the file itself: what is answered depends on Accept-Encoding all the same,
 * and Vary says so. */
static tusk_err find_best(tusk_server *server, files_root *root, char *path, size_t len,
                          const tusk_http_head *head, const cached_file **out,
                          const char **encoding)
{
    static const char *const suffixes[] = {".br", ".gz"};
    static const char *const codings[] = {"br", "gzip"};
    static const char *const old_names[] = {"br", "x-gzip"}; /* RFC 9110, 8.4.1.3 */
    uint64_t now = tusk_loop_now_ms(server->loop);
    const cached_file *plain;
    *encoding = "";
    tusk_err err = tusk__file_cache_get(&server->files, root, path, now, &plain);
    if (err != TUSK_OK) {
        return err;
    }
    *out = plain;
    if (tusk_http_find(head, "accept-encoding") == NULL) {
        return TUSK_OK;
    }
    int64_t mtime = plain->mtime_s;
    for (size_t i = 0; i < 2; i++) {
        const cached_file *packed;
        if (!accepts(head, codings[i]) && !accepts(head, old_names[i])) {
            continue;
        }
        memcpy(path + len, suffixes[i], 4);
        err = tusk__file_cache_get(&server->files, root, path, now, &packed);
        path[len] = '\0';
        if (err == TUSK_OK && packed->mtime_s >= mtime) {
            *out = packed;
            *encoding = codings[i];
            return TUSK_OK;
        }
    }
    return tusk__file_cache_get(&server->files, root, path, now,
                                out); /* looking for others may have pushed it out */
}

static void redirect_to_folder(tusk_session *self, const tusk_http_head *head,
                               const tusk_route *route)
{
    tusk_buf fields;
    size_t own = route->fields.len - route->own_fields;
    tusk_bytes path = head->path;
    while (path.len > 1 && (path.ptr[1] == '/' || path.ptr[1] == '\\')) {
        path = tusk_bytes_of(path.ptr + 1, path.len - 1); /* "//host" would be another site */
    }
    tusk_buf_init(&fields, self->server->mem, head->target.len + own + 64);
    tusk_err err = tusk_buf_append_str(&fields, "Location: /");
    err = err != TUSK_OK ? err : tusk_buf_append(&fields, path.ptr + 1, path.len - 1);
    err = err != TUSK_OK ? err : tusk_buf_append_str(&fields, "/");
    if (err == TUSK_OK && head->query.ptr != NULL) { /* what was asked there is asked here */
        err = tusk_buf_append_str(&fields, "?");
        err = err != TUSK_OK ? err : tusk_buf_append(&fields, head->query.ptr, head->query.len);
    }
    err = err != TUSK_OK ? err : tusk_buf_append(&fields, "\r\n", 2);
    if (err == TUSK_OK && own > 0) {
        err = tusk_buf_append(&fields, route->fields.ptr + route->own_fields, own);
    }
    err = err != TUSK_OK ? err : tusk_buf_append(&fields, "", 1); /* its NUL */
    tusk__http_decline(self, head, 301,
                       err == TUSK_OK ? (const char *)tusk_buf_view(&fields).ptr : NULL, "");
    tusk_buf_fini(&fields);
}

/* A folder's request has no body, so the owner's handler can be asked at once. */
static void missing(tusk_session *self, const tusk_http_head *head)
{
    tusk_route *fallback = self->server->router.fallback;
    const tusk_request request = tusk__http_request(self, head, NULL);
    if (fallback == NULL) {
        tusk__http_decline(self, head, 404, NULL, "no such file");
    } else {
        tusk__http_call_owner(self, &request, fallback);
    }
}

/* Once: an owner who placed the link looks for the reason of the 404. */
static void tell_outside(tusk_server *server, const char *path)
{
    char line[PATH_MAX + 128];
    (void)snprintf(line, sizeof(line),
                   "%s leads out of its folder and is not served (followSymlinks permits it)",
                   path);
    if (server->handler->on_log != NULL) {
        server->handler->on_log(server->user, line);
    }
}

void tusk__files_serve(tusk_session *self, tusk_route *route, const tusk_http_head *head)
{
    tusk_server *server = self->server;
    char path[PATH_MAX + 8];
    size_t base = strlen(route->directory);
    size_t prefix = (size_t)tusk__route_prefix(route, head->path);
    tusk_bytes below = tusk_bytes_of(head->path.ptr + prefix, head->path.len - prefix);
    size_t index_len = route->index == NULL ? 0 : strlen(route->index);
    self->route = route;
    self->state = HTTP_ANSWER;
    if (below.len == 0) {
        redirect_to_folder(self, head, route);
        return;
    }
    if (base + below.len + index_len + 8 > PATH_MAX) {
        missing(self, head);
        return;
    }
    memcpy(path, route->directory, base);
    ptrdiff_t n = tusk_url_path(path + base, below);
    if (n < 0) {
        tusk__http_decline(self, head, n == TUSK_EACCES ? 403 : 400, NULL, "not a path in here");
        return;
    }
    size_t len = base + (size_t)n;
    bool folder = n > 0 && path[len - 1] == '/';
    path[len] = '\0';
    if (strstr(path + base, "/.") != NULL) { /* dot files are nobody's business */
        missing(self, head);
        return;
    }
    if (folder && route->index != NULL) {
        memcpy(path + len, route->index, index_len + 1);
        len += index_len;
    }
    const cached_file *file;
    const char *encoding;
    tusk_err err = find_best(server, route->root, path, len, head, &file, &encoding);
    if (err == TUSK_OK) {
        const char *media_type = encoding[0] == '\0'
                                     ? file->media_type /* or that of ".br" */
                                     : tusk_http_media_type(tusk_bytes_of(path, len));
        err = send_file(self, head, file, 200, media_type, encoding, tusk_buf_view(&route->fields));
    }
    if (err == TUSK_ESTATE && !folder) {
        redirect_to_folder(self, head, route);
    } else if (err == TUSK_EACCES) {
        tusk__http_decline(self, head, 403, NULL, "not readable");
    } else if (err == TUSK_ENOMEM) {
        tusk__session_abort(self, err);
    } else if (err == TUSK_EEXHAUSTED) { /* it is there, and 404 would be believed */
        tusk__http_decline(self, head, 503, "Retry-After: 1\r\n", "the file cannot be opened now");
    } else if (err != TUSK_OK) {
        if (tusk__files_root_tells(route->root)) {
            tell_outside(server, path);
        }
        missing(self, head);
    }
}

tusk_err tusk_reply_file(tusk_server *server, tusk_handle session, int status, tusk_bytes fields,
                         const char *path, const char *media_type)
{
    tusk_session *self = tusk__session_find(server, session);
    const cached_file *file;
    if (self == NULL) {
        return TUSK_ENOENT;
    }
    bool refuses = self->state == HTTP_AUTHORIZE;
    if (self->kind != SESSION_HTTP || (self->state != HTTP_ANSWER && !refuses) ||
        !tusk_conn_open(&self->conn)) {
        return TUSK_ESTATE;
    }
    tusk_err err =
        tusk__file_cache_get(&server->files, NULL, path, tusk_loop_now_ms(server->loop), &file);
    if (err != TUSK_OK) {
        return err == TUSK_ESTATE ? TUSK_EINVAL : err;
    }
    const tusk_http_head *head = server->current == self ? server->current_request->head : NULL;
    self->keep_alive = self->keep_alive && !refuses; /* frames may follow, as tusk__reply_owed() */
    err = send_file(self, head, file, status, media_type == NULL ? file->media_type : media_type,
                    NULL, fields);
    server->stats.handshakes_refused += refuses && err == TUSK_OK;
    return err;
}
