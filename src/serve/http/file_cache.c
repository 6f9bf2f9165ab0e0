/* SPDX-License-Identifier: MIT */
/* The cache of small files: found by path, checked by stat once a second, the oldest given up when
 * it is full. */
#define _GNU_SOURCE
#include "serve/http/file_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <tusk/http.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "net/file_time.h"

#define CHECK_MS 1000u
#define ENTRY_BYTES 1024u /* counted for each entry beside its path and content */
#define FIELDS_MAX 512u

void tusk__file_cache_init(file_cache *self, const tusk_mem *mem)
{
    self->mem = mem;
    self->seed = 0;
    self->bytes = 0;
    tusk__ready_answers_init(&self->ready, mem);
    for (size_t i = 0; i < FILE_CACHE_BUCKETS; i++) {
        tusk__list_init(&self->buckets[i]);
    }
    tusk__list_init(&self->by_age);
}

/* One file has as many paths as there are ways to write one: "//" is "/". */
static size_t held_by(const cached_file *file)
{
    return ENTRY_BYTES + file->path_len + (file->content == NULL ? 0 : file->content->len);
}

static void drop(file_cache *self, cached_file *file)
{
    tusk__link_remove(&file->in_bucket);
    tusk__link_remove(&file->by_age);
    self->bytes -= held_by(file);
    tusk__ready_answer_drop(&self->ready, &file->whole);
    tusk_blob_unref(file->content);
    tusk_buf_fini(&file->fields);
    tusk__free(self->mem, file, sizeof(*file) + file->path_len + 1u);
}

void tusk__file_cache_fini(file_cache *self)
{
    while (self->mem != NULL && !tusk__list_empty(&self->by_age)) {
        drop(self, TUSK_OWNER(self->by_age.next, cached_file, by_age));
    }
}

static cached_file *find(file_cache *self, const files_root *root, tusk_bytes path, uint64_t hash)
{
    tusk_link *head = &self->buckets[hash % FILE_CACHE_BUCKETS];
    for (tusk_link *link = head->next; link != head; link = link->next) {
        cached_file *file = TUSK_OWNER(link, cached_file, in_bucket);
        if (file->hash == hash && file->root == root && file->path_len == path.len &&
            memcmp(file->path, path.ptr, path.len) == 0) {
            return file;
        }
    }
    return NULL;
}

/* What is not known to be missing is not called so: it would be believed, and remembered. */
static tusk_err error_of(int number)
{
    switch (number) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
    case EINVAL: /* no name for this file system */
    case EILSEQ:
    case ENXIO: /* a socket */
    case ENODEV: return TUSK_ENOENT;
    case EACCES:
    case EPERM:
    case ELOOP: return TUSK_EACCES;
    default: return TUSK_EEXHAUSTED; /* of descriptors or memory; a disk that does not answer */
    }
}

static uint64_t nanoseconds(const struct stat *info)
{
    struct timespec written = tusk__mtime_of(info);
    return (uint64_t)written.tv_sec * 1000000000u + (uint64_t)written.tv_nsec;
}

static bool read_all(int fd, uint8_t *place, size_t len)
{
    while (len > 0) {
        ssize_t n = read(fd, place, len);
        if (n <= 0) {
            return false;
        }
        place += n;
        len -= (size_t)n;
    }
    return true;
}

/* "br", "gz" or "": a compressed neighbour may have the other's time and even its length, and is
 * another representation all the same (RFC 9110, 8.8.1). */
static const char *packing_of(const cached_file *file)
{
    const char *end = file->path_len < 3 ? "" : file->path + file->path_len - 3;
    return strcmp(end, ".br") == 0 || strcmp(end, ".gz") == 0 ? end + 1 : "";
}

static void take_facts(cached_file *file, const struct stat *seen)
{
    file->size = (uint64_t)seen->st_size;
    file->mtime_s = tusk__mtime_of(seen).tv_sec;
    file->mtime_key = nanoseconds(seen);
    file->device = seen->st_dev;
    file->inode = seen->st_ino;
    (void)snprintf(file->etag, sizeof(file->etag), "\"%llx-%llx%s\"",
                   (unsigned long long)file->mtime_key, (unsigned long long)file->size,
                   packing_of(file));
    tusk_http_date(file->date, file->mtime_s);
    file->date[FILE_DATE_LEN] = '\0';
}

/* Made once, as most answers are the whole file. */
static tusk_err write_fields(file_cache *self, cached_file *file)
{
    char text[FIELDS_MAX];
    int len = snprintf(text, sizeof(text),
                       "Content-Type: %s\r\nContent-Length: %llu\r\nETag: %s\r\n"
                       "Last-Modified: %s\r\nAccept-Ranges: bytes\r\n"
                       "X-Content-Type-Options: nosniff\r\n",
                       file->media_type, (unsigned long long)file->size, file->etag, file->date);
    tusk_buf_init(&file->fields, self->mem, sizeof(text));
    return len < 0 || (size_t)len >= sizeof(text)
               ? TUSK_ENOMEM
               : tusk_buf_append(&file->fields, text, (size_t)len);
}

static tusk_err open_file(const cached_file *file, uint64_t now_ms, bool anew, int *fd)
{
    struct stat now;
    const int flags = O_RDONLY | O_NONBLOCK;
    *fd = file->root == NULL ? open(file->path, flags | O_CLOEXEC)
                             : tusk__files_root_open(file->root, file->path, flags, now_ms, anew);
    if (*fd < 0) {
        return error_of(errno);
    }
    if (fstat(*fd, &now) != 0 || !S_ISREG(now.st_mode)) {
        (void)close(*fd);
        *fd = -1;
        return TUSK_ENOENT;
    }
    take_facts((cached_file *)(uintptr_t)file, &now); /* its users may not; the cache may */
    return TUSK_OK;
}

tusk_err tusk__file_cache_open(const cached_file *file, uint64_t now_ms, int *fd)
{
    return open_file(file, now_ms, false, fd);
}

static bool is_same(const cached_file *file, const struct stat *seen)
{
    return S_ISREG(seen->st_mode) && file->mtime_key == nanoseconds(seen) &&
           file->size == (uint64_t)seen->st_size && file->inode == seen->st_ino &&
           file->device == seen->st_dev;
}

/* What a link may lead out of a root is opened in any case: nothing is said of a file outside. */
static tusk_err load(file_cache *self, cached_file *file, const struct stat *seen)
{
    uint8_t *place;
    int fd;
    take_facts(file, seen);
    if (file->size > FILE_CACHE_FILE_MAX && file->root == NULL) {
        return TUSK_OK;
    }
    tusk_err err = open_file(file, file->checked_ms, false, &fd);
    if (file->root != NULL && (err == TUSK_ENOENT || (err == TUSK_OK && !is_same(file, seen)))) {
        if (err == TUSK_OK) { /* the root may be a link that was turned since it was looked at */
            (void)close(fd);
        }
        err = open_file(file, file->checked_ms, true, &fd);
    }
    if (err != TUSK_OK) {
        return err;
    }
    if (file->size > FILE_CACHE_FILE_MAX) { /* perhaps another one by now */
        (void)close(fd);
        return TUSK_OK;
    }
    err = tusk_blob_new(&file->content, self->mem, (size_t)file->size, &place);
    if (err == TUSK_OK && !read_all(fd, place, (size_t)file->size)) {
        tusk_blob_unref(file->content);
        file->content = NULL;
        err = TUSK_ENOENT; /* it changed under us: the next request looks again */
    }
    if (err == TUSK_OK) {
        err = write_fields(self, file);
    }
    (void)close(fd);
    return err;
}

static tusk_err add(file_cache *self, files_root *root, tusk_bytes path, uint64_t hash,
                    const struct stat *seen, uint64_t now, const cached_file **out)
{
    cached_file *file = tusk__new(self->mem, sizeof(*file) + path.len + 1);
    if (file == NULL) {
        return TUSK_ENOMEM;
    }
    memcpy(file->path, path.ptr, path.len);
    file->path_len = (uint16_t)path.len;
    file->root = root;
    file->hash = hash;
    file->checked_ms = now;
    file->media_type = tusk_http_media_type(path);
    tusk_err err = load(self, file, seen);
    if (err != TUSK_OK) {
        tusk_blob_unref(file->content);
        tusk__free(self->mem, file, sizeof(*file) + path.len + 1);
        return err;
    }
    tusk__list_push(&self->buckets[hash % FILE_CACHE_BUCKETS], &file->in_bucket);
    tusk__list_push(&self->by_age, &file->by_age);
    self->bytes += held_by(file);
    while (self->bytes > FILE_CACHE_BYTES_MAX && self->by_age.next != &file->by_age) {
        drop(self, TUSK_OWNER(self->by_age.next, cached_file, by_age));
    }
    *out = file;
    return TUSK_OK;
}

/* A folder, or what may not be looked at: of one outside of the root neither is said. */
static bool is_inside(files_root *root, const char *path, uint64_t now_ms)
{
    int fd =
        root == NULL ? -1 : tusk__files_root_open(root, path, O_RDONLY | O_NONBLOCK, now_ms, true);
    if (fd >= 0) {
        (void)close(fd);
    }
    return root == NULL || fd >= 0 || errno != ENOENT;
}

tusk_err tusk__file_cache_get(file_cache *self, files_root *root, const char *path, uint64_t now_ms,
                              const cached_file **out)
{
    *out = NULL;
    struct stat seen;
    tusk_bytes name = tusk_bytes_str(path);
    if (name.len > UINT16_MAX) {
        return TUSK_ENOENT;
    }
    uint64_t hash = tusk__hash(self->seed, name);
    cached_file *file = find(self, root, name, hash);
    if (file != NULL && now_ms - file->checked_ms < CHECK_MS) {
        *out = file;
        return TUSK_OK;
    }
    if (stat(path, &seen) != 0) {
        tusk_err err = error_of(errno);
        if (file != NULL) {
            drop(self, file);
        }
        return err == TUSK_EACCES && !is_inside(root, path, now_ms) ? TUSK_ENOENT : err;
    }
    if (file != NULL && is_same(file, &seen)) { /* it was opened beneath its root */
        file->checked_ms = now_ms;
        *out = file;
        return TUSK_OK;
    }
    if (file != NULL) {
        drop(self, file);
    }
    if (!S_ISREG(seen.st_mode)) {
        return S_ISDIR(seen.st_mode) && is_inside(root, path, now_ms)
                   ? TUSK_ESTATE
                   : TUSK_ENOENT; /* no fifo, no device */
    }
    return add(self, root, name, hash, &seen, now_ms, out);
}

tusk_blob *tusk__file_cache_answer(file_cache *self, const cached_file *file, int64_t second,
                                   tusk_bytes head)
{
    cached_file *own = (cached_file *)(uintptr_t)file; /* its users may not; the cache may */
    return tusk__ready_answer_of(&self->ready, &own->whole, second, head,
                                 tusk_bytes_of(file->content->ptr, file->content->len));
}
