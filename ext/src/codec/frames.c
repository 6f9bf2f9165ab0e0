/* SPDX-License-Identifier: MIT */
/* Frames: an incremental decoder for a stream of frames, for whoever owns the socket elsewhere. */
#include "src/parameters.h"

typedef struct frames {
    uint8_t *ptr; /* bytes wait at ptr + start */
    size_t start;
    size_t len;
    size_t cap;
    uint64_t frame_max;
    zend_string *fault; /* what was wrong: the stream is of no use any more */
    zend_object std;
} frames;

static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(frames, ce, &handlers)->std;
}

static void destroy(zend_object *object)
{
    frames *self = TUSK_FROM(frames, object);
    if (self->ptr != NULL) {
        efree(self->ptr);
    }
    if (self->fault != NULL) {
        zend_string_release(self->fault);
    }
    zend_object_std_dtor(object);
}

static bool usable(frames *self)
{
    if (self->fault == NULL) {
        return true;
    }
    zend_throw_error(NULL, "%s", ZSTR_VAL(self->fault));
    return false;
}

/* Room for `more` bytes behind what waits. Doubling keeps many small pushes linear. */
static void make_room(frames *self, size_t more)
{
    if (self->start + self->len + more <= self->cap &&
        self->cap - self->start - self->len >= more) {
        return;
    }
    if (self->start > 0) {
        memmove(self->ptr, self->ptr + self->start, self->len);
        self->start = 0;
    }
    if (self->cap - self->len >= more) {
        return;
    }
    size_t cap = self->cap < 256 ? 256 : self->cap;
    while (cap - self->len < more) {
        cap = zend_safe_address_guarded(cap, 2, 0);
    }
    self->ptr = erealloc(self->ptr, cap);
    self->cap = cap;
}

TUSK_METHOD(Tusk_WebSocket_Frames, __construct)
{
    zend_long frame_max = 16777216;

    TUSK_PARSE_CONSTRUCTOR_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(frame_max)
    TUSK_PARSE_CONSTRUCTOR_END();

    if (!tusk_positive_valid(frame_max, 1)) {
        RETURN_THROWS();
    }
    TUSK_FROM(frames, Z_OBJ_P(ZEND_THIS))->frame_max = (uint64_t)frame_max;
}

TUSK_METHOD(Tusk_WebSocket_Frames, push)
{
    zend_string *bytes;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(bytes)
    ZEND_PARSE_PARAMETERS_END();

    frames *self = TUSK_FROM(frames, Z_OBJ_P(ZEND_THIS));
    if (!usable(self)) {
        RETURN_THROWS();
    }
    if (ZSTR_LEN(bytes) == 0) {
        return;
    }
    make_room(self, ZSTR_LEN(bytes));
    memcpy(self->ptr + self->start + self->len, ZSTR_VAL(bytes), ZSTR_LEN(bytes));
    self->len += ZSTR_LEN(bytes);
}

TUSK_METHOD(Tusk_WebSocket_Frames, next)
{
    ZEND_PARSE_PARAMETERS_NONE();

    frames *self = TUSK_FROM(frames, Z_OBJ_P(ZEND_THIS));
    size_t consumed;
    if (!usable(self)) {
        RETURN_THROWS();
    }
    tusk_bytes in = tusk_bytes_of(self->ptr == NULL ? NULL : self->ptr + self->start, self->len);
    if (!tusk_frame_decode(return_value, in, 0, self->frame_max, &consumed)) {
        zval rv;
        zval *message = zend_read_property_ex(zend_ce_error, EG(exception),
                                              ZSTR_KNOWN(ZEND_STR_MESSAGE), 1, &rv);
        self->fault = zval_get_string(message);
        RETURN_THROWS();
    }
    self->start += consumed;
    self->len -= consumed;
    if (self->len == 0) {
        self->start = 0;
        if (self->cap > 65536) { /* a large frame is rare: its room is not kept */
            efree(self->ptr);
            self->ptr = NULL;
            self->cap = 0;
        }
    }
}

TUSK_METHOD(Tusk_WebSocket_Frames, bufferedBytes)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_LONG((zend_long)TUSK_FROM(frames, Z_OBJ_P(ZEND_THIS))->len);
}

void tusk_frames_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(frames, std), destroy);
    tusk_ce_frames->create_object = create;
}
