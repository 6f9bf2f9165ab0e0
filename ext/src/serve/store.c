/* SPDX-License-Identifier: MIT */
/* The store of unfinished payloads: each is a zend_string from its first byte, so that a large
 * message is never copied. */
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "src/run/spare.h"
#include "src/serve/text.h"

enum {
    SLACK_MIN = 4096,
    WHOLE_MIN = 512,         /* shorter ones are copied once more than need be, which costs less */
    SAFE_DISTANCE = 4 << 20, /* to what peers may have: a small allocation cannot fail */
    SMALL_MAX = 256 << 10,
    MOVED_MIN = 128 << 10, /* copying less costs as much as moving it */
    MANAGER_PAGE = 4096,   /* of the memory manager, whatever the system's is */
    MAPPED_ALONE = 2 << 20 /* longer ones are mapped each by itself, and begin at a multiple */
};

/* No fatal error can come of it, so nothing has to be caught. */
static bool is_safe(size_t cap)
{
    return cap <= SMALL_MAX && tusk_memory_spares(SAFE_DISTANCE, SPARE_OF_BYTES);
}

/* ---- moving ---- */
static inline bool is_mapped_alone(const zend_string *text)
{
    return ((uintptr_t)text & (MAPPED_ALONE - 1)) == 0;
}

#ifdef MREMAP_DONTUNMAP
/* Bytes of the pages that it has to itself, as everything has that is longer than the manager's
 * bins: a run of them, or a mapping. 0: it shares one of the system's. */
static size_t own_pages(const zend_string *text)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t unit = is_mapped_alone(text) ? page : MANAGER_PAGE;
    size_t whole = (_ZSTR_STRUCT_SIZE(ZSTR_LEN(text)) + unit - 1) / unit * unit;
    return (whole | (uintptr_t)text) % page == 0 ? whole : 0;
}

/* Contents go to the new string by moving their pages, which costs some microseconds where copying
 * into fresh memory costs a millisecond per megabyte or two. What is left at the old place is zeros
 * that nobody looks at before they are written over. */
static bool move_pages(zend_string *old, zend_string *text)
{
    size_t whole = own_pages(old);
    size_t cap = ZSTR_LEN(text);
    if (whole < MOVED_MIN || !is_zend_mm() || !is_mapped_alone(text)) {
        return false;
    }
    int flags = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
    if (mremap(old, whole, whole, flags, text) == MAP_FAILED) {
        /* Its first step takes away what was there, and it may have come so far. */
        if (mmap(text, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                 0) == MAP_FAILED) {
            zend_error_noreturn(E_CORE_ERROR, "a page of a message is lost");
        }
        memcpy(text, old, _ZSTR_STRUCT_SIZE(ZSTR_LEN(old)));
    }
    ZSTR_LEN(text) = cap; /* its head was moved as well, and is otherwise that of any new string */
    ZSTR_H(text) = 0;
    efree(old); /* without a look at it: where it was not copied it is empty now */
    return true;
}
#else
static bool move_pages(zend_string *old, zend_string *text)
{
    return false;
}
#endif

/* Fresh pages one by one cost as much again as the copy into them; asked for together, little. */
static void populate(zend_string *text, size_t len)
{
#ifdef MADV_POPULATE_WRITE
    if (is_mapped_alone(text)) {
        (void)madvise(text, len, MADV_POPULATE_WRITE);
    }
#endif
}

static zend_string *moved(zend_string *old, size_t cap)
{
    zend_string *text = zend_string_alloc(cap, 0);
    if (!move_pages(old, text)) {
        populate(text, ZSTR_LEN(old));
        memcpy(ZSTR_VAL(text), ZSTR_VAL(old), ZSTR_LEN(old));
        zend_string_release_ex(old, 0);
    }
    return text;
}

static zend_string *grown(zend_string *old, size_t cap)
{
    if (old == NULL) {
        return zend_string_alloc(cap, 0);
    }
    return cap < MAPPED_ALONE ? zend_string_realloc(old, cap, 0) : moved(old, cap);
}

/* ---- growing ---- */
static void *grow(void *user, void *payload, size_t cap, uint8_t **place)
{
    zend_string *volatile text = NULL;
    zend_string *old = payload;
    tusk_service *service = tusk_service_running();
    if (old == NULL && cap < SERVICE_SPARE_MAX && EXPECTED(service != NULL)) {
        zend_string *spare = tusk_text_spare(service, cap);
        if (EXPECTED(spare != NULL)) {
            *place = (uint8_t *)ZSTR_VAL(spare);
            return spare;
        }
    }
    if (EXPECTED(old == NULL && is_safe(cap))) {
        zend_string *whole = zend_string_alloc(cap, 0);
        *place = (uint8_t *)ZSTR_VAL(whole);
        return whole;
    }
    if (!tusk_memory_spares(cap, SPARE_OF_BYTES)) {
        return NULL; /* costs this one connection, not the process */
    }
    zend_execute_data *frame = EG(current_execute_data);
    zend_try
    {
        text = grown(old, cap);
    }
    zend_catch
    {
        EG(current_execute_data) = frame;
        tusk_host_fail(TUSK_G(running_host));
    }
    zend_end_try();
    if (text == NULL) {
        return NULL;
    }
    *place = (uint8_t *)ZSTR_VAL(text);
    return text;
}

static void drop(void *user, void *payload)
{
    zend_string_release_ex(payload, 0);
}

const tusk_ws_store tusk_string_store = {.grow = grow, .drop = drop, .whole_min = WHOLE_MIN};

zend_string *tusk_payload_take(tusk_bytes payload, void *taken)
{
    zend_string *text = taken;
    if (text == NULL) {
        return tusk_zstr_of(payload);
    }
    if (UNEXPECTED((const char *)payload.ptr != ZSTR_VAL(text))) {
        zend_string *copy = tusk_zstr_of(payload);
        zend_string_release_ex(text, 0);
        return copy;
    }
    size_t slack = ZSTR_LEN(text) - payload.len;
    if (slack > SLACK_MIN && slack > payload.len / 8) {
        text = zend_string_truncate(text, payload.len, 0);
    }
    ZSTR_LEN(text) = payload.len;
    ZSTR_VAL(text)[payload.len] = '\0';
    return text;
}

zend_string *tusk_text_take_any(tusk_service *self, tusk_bytes payload, void *taken)
{
    if (UNEXPECTED(taken != NULL)) {
        return tusk_payload_take(payload, taken);
    }
    zend_string *text = tusk_text_spare(self, payload.len);
    if (UNEXPECTED(text == NULL)) {
        return tusk_zstr_of(payload);
    }
    memcpy(ZSTR_VAL(text), payload.ptr, payload.len);
    ZSTR_VAL(text)[payload.len] = '\0';
    return text;
}
