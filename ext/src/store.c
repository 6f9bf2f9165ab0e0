/* SPDX-License-Identifier: MIT */
/* The store of unfinished payloads: each is a zend_string from its first byte, so that a large
 * message is never copied. */
#include "src/host.h"

enum {
    SLACK_MIN = 4096,
    WHOLE_MIN = 512,          /* shorter ones are copied once more than need be, which costs less */
    SAFE_DISTANCE = 16 << 20, /* to memory_limit: so far from it a small allocation cannot fail */
    SMALL_MAX = 256 << 10
};

static bool over_memory_limit(size_t more)
{
    return PG(memory_limit) > 0 && zend_memory_usage(true) + more > (size_t)PG(memory_limit);
}

/* No fatal error can come of it, so nothing has to be caught. */
static bool is_safe(size_t cap)
{
    return cap <= SMALL_MAX && (PG(memory_limit) <= 0 ||
                                zend_memory_usage(true) + SAFE_DISTANCE < (size_t)PG(memory_limit));
}

static void *grow(void *user, void *payload, size_t cap, uint8_t **place)
{
    zend_string *volatile text = NULL;
    zend_string *old = payload;
    if (EXPECTED(old == NULL && is_safe(cap))) {
        zend_string *whole = zend_string_alloc(cap, 0);
        *place = (uint8_t *)ZSTR_VAL(whole);
        return whole;
    }
    if (over_memory_limit(cap)) {
        return NULL; /* costs this one connection, not the process */
    }
    zend_execute_data *frame = EG(current_execute_data);
    zend_try
    {
        text = old == NULL ? zend_string_alloc(cap, 0) : zend_string_realloc(old, cap, 0);
    }
    zend_catch
    {
        EG(current_execute_data) = frame;
        if (TUSK_G(running_host) != NULL) {
            tusk_host_fail(TUSK_G(running_host));
        }
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
