/* SPDX-License-Identifier: MIT */
/* Histogram: counts of values with a fixed relative error. */
#include "src/bench/bench.h"

#include "src/parameters.h"

#define SLOTS_MAX ((size_t)1 << 24) /* of a decoded one: 128 MiB */

typedef struct histogram {
    tusk_hist *hist;
    zend_object std;
} histogram;

static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(histogram, ce, &handlers)->std;
}

static void destroy(zend_object *object)
{
    tusk_hist_free(TUSK_FROM(histogram, object)->hist);
    zend_object_std_dtor(object);
}

static bool copy_into(histogram *self, const tusk_hist *from)
{
    tusk_err err = tusk_hist_new(&self->hist, tusk_mem_default(), tusk_hist_range_of(from));
    if (err == TUSK_OK) {
        err = tusk_hist_merge(self->hist, from);
    }
    if (err != TUSK_OK) {
        tusk_throw(err, "no histogram");
    }
    return err == TUSK_OK;
}

static zend_object *duplicate(zend_object *object)
{
    zend_object *made = create(object->ce);
    zend_objects_clone_members(made, object);
    const tusk_hist *from = TUSK_FROM(histogram, object)->hist;
    if (from != NULL) {
        (void)copy_into(TUSK_FROM(histogram, made), from);
    }
    return made;
}

zend_object *tusk_ext_histogram_of(const tusk_hist *from)
{
    zend_object *made = create(tusk_ce_bench_histogram);
    (void)copy_into(TUSK_FROM(histogram, made), from);
    return made;
}

/* The core's; NULL: its constructor did not run, and an Error was thrown. */
static tusk_hist *peek(zval *object)
{
    tusk_hist *hist = TUSK_FROM(histogram, Z_OBJ_P(object))->hist;
    if (hist == NULL) {
        zend_throw_error(NULL, "Tusk\\Bench\\Histogram was not constructed");
    }
    return hist;
}

TUSK_METHOD(Tusk_Bench_Histogram, __construct)
{
    zend_long lowest = 1;
    zend_long highest = 3600000000000;
    zend_long digits = 3;

    TUSK_PARSE_CONSTRUCTOR_START(0, 3)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(lowest)
    Z_PARAM_LONG(highest)
    Z_PARAM_LONG(digits)
    TUSK_PARSE_CONSTRUCTOR_END();

    histogram *self = TUSK_FROM(histogram, Z_OBJ_P(ZEND_THIS));
    if (self->hist != NULL) {
        zend_throw_error(NULL, "Tusk\\Bench\\Histogram is constructed once");
        RETURN_THROWS();
    }
    if (!tusk_positive_valid(lowest, 1)) {
        RETURN_THROWS();
    }
    if (digits < 1 || digits > 5) {
        zend_argument_value_error(3, "must be between 1 and 5, " ZEND_LONG_FMT " given", digits);
        RETURN_THROWS();
    }
    tusk_hist_range range = {
        .lowest = (uint64_t)lowest, .highest = (uint64_t)highest, .digits = (int)digits};
    if (highest < 2 || tusk_hist_size(range) == 0) {
        zend_argument_value_error(
            2,
            "must be at least twice the lowest value and at most 2 ** 62, " ZEND_LONG_FMT " given",
            highest);
        RETURN_THROWS();
    }
    tusk_err err = tusk_hist_new(&self->hist, tusk_mem_default(), range);
    if (err != TUSK_OK) {
        tusk_throw(err, "no histogram");
    }
}

TUSK_METHOD(Tusk_Bench_Histogram, record)
{
    zend_long value;
    zend_long count = 1;

    ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_LONG(value)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(count)
    ZEND_PARSE_PARAMETERS_END();

    tusk_hist *hist = peek(ZEND_THIS);
    if (hist == NULL) {
        RETURN_THROWS();
    }
    if (value < 0 || count < 0) {
        zend_argument_value_error(value < 0 ? 1 : 2, "must not be negative");
        RETURN_THROWS();
    }
    tusk_hist_record_n(hist, (uint64_t)value, (uint64_t)count);
}

TUSK_METHOD(Tusk_Bench_Histogram, merge)
{
    zval *other;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_OBJECT_OF_CLASS(other, tusk_ce_bench_histogram)
    ZEND_PARSE_PARAMETERS_END();

    tusk_hist *hist = peek(ZEND_THIS);
    const tusk_hist *from = hist == NULL ? NULL : peek(other);
    if (from == NULL) {
        RETURN_THROWS();
    }
    if (tusk_hist_merge(hist, from) != TUSK_OK) {
        zend_argument_value_error(1, "must have the same range and digits");
    }
}

/* A method without arguments whose answer is one number of the core's. */
#define NUMBER_OF(method, core, RETURN)                                                            \
    TUSK_METHOD(Tusk_Bench_Histogram, method)                                                      \
    {                                                                                              \
        ZEND_PARSE_PARAMETERS_NONE();                                                              \
        const tusk_hist *hist = peek(ZEND_THIS);                                                   \
        if (hist == NULL) {                                                                        \
            RETURN_THROWS();                                                                       \
        }                                                                                          \
        RETURN(core(hist));                                                                        \
    }
#define RETURN_INTEGER(value) RETURN_LONG((zend_long)(value))

NUMBER_OF(count, tusk_hist_count, RETURN_INTEGER)
NUMBER_OF(saturated, tusk_hist_saturated, RETURN_INTEGER)
NUMBER_OF(min, tusk_hist_min, RETURN_INTEGER)
NUMBER_OF(max, tusk_hist_max, RETURN_INTEGER)
NUMBER_OF(mean, tusk_hist_mean, RETURN_DOUBLE)
NUMBER_OF(stddev, tusk_hist_stddev, RETURN_DOUBLE)

/* The histogram that is asked for a percentile; NULL: an error was thrown. */
static const tusk_hist *percentile_of(INTERNAL_FUNCTION_PARAMETERS, double *percentile)
{
    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_DOUBLE(*percentile)
    ZEND_PARSE_PARAMETERS_END_EX(return NULL);

    const tusk_hist *hist = peek(ZEND_THIS);
    if (hist != NULL && !(*percentile >= 0 && *percentile <= 100)) {
        zend_argument_value_error(1, "must be between 0 and 100");
        return NULL;
    }
    return hist;
}

TUSK_METHOD(Tusk_Bench_Histogram, percentile)
{
    double percentile;
    const tusk_hist *hist = percentile_of(INTERNAL_FUNCTION_PARAM_PASSTHRU, &percentile);
    if (hist == NULL) {
        RETURN_THROWS();
    }
    RETURN_LONG((zend_long)tusk_hist_percentile(hist, percentile));
}

TUSK_METHOD(Tusk_Bench_Histogram, supports)
{
    double percentile;
    const tusk_hist *hist = percentile_of(INTERNAL_FUNCTION_PARAM_PASSTHRU, &percentile);
    if (hist == NULL) {
        RETURN_THROWS();
    }
    RETURN_BOOL(tusk_hist_supports(hist, percentile));
}

TUSK_METHOD(Tusk_Bench_Histogram, encode)
{
    ZEND_PARSE_PARAMETERS_NONE();

    const tusk_hist *hist = peek(ZEND_THIS);
    if (hist == NULL) {
        RETURN_THROWS();
    }
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), SIZE_MAX);
    tusk_err err = tusk_hist_encode(hist, &out);
    if (err != TUSK_OK) {
        tusk_throw(err, "the histogram could not be encoded");
    } else {
        RETVAL_STR(tusk_zstr_of(tusk_buf_view(&out)));
    }
    tusk_buf_fini(&out);
}

TUSK_METHOD(Tusk_Bench_Histogram, decode)
{
    zend_string *bytes;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(bytes)
    ZEND_PARSE_PARAMETERS_END();

    tusk_hist *hist;
    tusk_err err = tusk_hist_decode(&hist, tusk_mem_default(), tusk_zstr(bytes), SLOTS_MAX);
    if (err != TUSK_OK) {
        zend_argument_value_error(1, "must be a histogram in version 2 of the binary form: %s",
                                  tusk_err_text(err));
        RETURN_THROWS();
    }
    object_init_ex(return_value, tusk_ce_bench_histogram);
    TUSK_FROM(histogram, Z_OBJ_P(return_value))->hist = hist;
}

TUSK_METHOD(Tusk_Bench_Histogram, slots)
{
    ZEND_PARSE_PARAMETERS_NONE();

    const tusk_hist *hist = peek(ZEND_THIS);
    if (hist == NULL) {
        RETURN_THROWS();
    }
    size_t cursor = 0;
    uint64_t highest;
    uint64_t count;
    array_init(return_value);
    while (tusk_hist_next(hist, &cursor, &highest, &count)) {
        zval pair;
        array_init_size(&pair, 2);
        add_next_index_long(&pair, (zend_long)highest);
        add_next_index_long(&pair, (zend_long)count);
        add_next_index_zval(return_value, &pair);
    }
}

void tusk_bench_histogram_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(histogram, std), destroy);
    handlers.clone_obj = duplicate;
    tusk_ce_bench_histogram->create_object = create;
}
