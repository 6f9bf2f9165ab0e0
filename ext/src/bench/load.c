/* SPDX-License-Identifier: MIT */
/* Load: a run of the load engine. */
#include "src/bench/bench.h"

#include <ext/spl/spl_exceptions.h>
#include <tusk/load.h>

typedef struct load {
    tusk_load *run;
    zend_object std;
} load;

static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(load, ce, &handlers)->std;
}

static void destroy(zend_object *object)
{
    tusk_load_free(TUSK_FROM(load, object)->run);
    zend_object_std_dtor(object);
}

/* NULL: its constructor threw, and an Error was thrown now. */
static tusk_load *peek(zval *object)
{
    tusk_load *run = TUSK_FROM(load, Z_OBJ_P(object))->run;
    if (run == NULL) {
        zend_throw_error(NULL, "Tusk\\Bench\\Load was not constructed");
    }
    return run;
}

TUSK_METHOD(Tusk_Bench_Load, options)
{
    zend_string *mode;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(mode)
    ZEND_PARSE_PARAMETERS_END();

    if (!tusk_load_mode_exists(ZSTR_VAL(mode))) {
        zend_argument_value_error(1, "must be a mode, \"%s\" given", ZSTR_VAL(mode));
        RETURN_THROWS();
    }
    size_t cursor = 0;
    const tusk_load_option *option;
    array_init(return_value);
    while ((option = tusk_load_next_option(ZSTR_VAL(mode), &cursor)) != NULL) {
        zval row;
        array_init_size(&row, 4);
        add_assoc_string(&row, "type", option->type);
        add_assoc_string(&row, "default", option->fallback);
        add_assoc_string(&row, "unit", option->unit);
        add_assoc_string(&row, "help", option->help);
        add_assoc_zval(return_value, option->name, &row);
    }
}

/* False: an error was thrown. */
static bool set_option(tusk_load *run, zend_string *name, zval *value)
{
    char reason[TUSK_LOAD_REASON_MAX];
    if (name == NULL) {
        zend_argument_value_error(3, "must have the names of options as keys");
        return false;
    }
    ZVAL_DEREF(value);
    if (Z_TYPE_P(value) != IS_STRING && Z_TYPE_P(value) != IS_LONG &&
        Z_TYPE_P(value) != IS_DOUBLE && Z_TYPE_P(value) != IS_FALSE && Z_TYPE_P(value) != IS_TRUE) {
        zend_argument_value_error(3, "has a value for \"%s\" that is no text, number or bool",
                                  ZSTR_VAL(name));
        return false;
    }
    zend_string *text = Z_TYPE_P(value) == IS_STRING   ? zend_string_copy(Z_STR_P(value))
                        : Z_TYPE_P(value) == IS_DOUBLE ? zend_strpprintf(0, "%.9F", Z_DVAL_P(value))
                        : Z_TYPE_P(value) == IS_LONG   ? zend_long_to_str(Z_LVAL_P(value))
                        : Z_TYPE_P(value) == IS_TRUE   ? zend_string_init("yes", 3, 0)
                                                       : zend_string_init("no", 2, 0);
    tusk_err err = tusk_load_set(run, tusk_zstr(name), tusk_zstr(text), reason);
    zend_string_release(text);
    if (err != TUSK_OK) {
        zend_value_error("%s", reason[0] != '\0' ? reason : tusk_err_text(err));
    }
    return err == TUSK_OK;
}

TUSK_METHOD(Tusk_Bench_Load, __construct)
{
    zend_string *mode;
    zend_string *url;
    HashTable *options = NULL;
    char reason[TUSK_LOAD_REASON_MAX];

    TUSK_PARSE_CONSTRUCTOR_START(2, 3)
    Z_PARAM_STR(mode)
    Z_PARAM_STR(url)
    Z_PARAM_OPTIONAL
    Z_PARAM_ARRAY_HT(options)
    TUSK_PARSE_CONSTRUCTOR_END();

    load *self = TUSK_FROM(load, Z_OBJ_P(ZEND_THIS));
    if (self->run != NULL) {
        zend_throw_error(NULL, "Tusk\\Bench\\Load is constructed once");
        RETURN_THROWS();
    }
    tusk_load *run;
    tusk_err err = tusk_load_new(&run, tusk_mem_default(), ZSTR_VAL(mode), tusk_zstr(url), reason);
    if (err != TUSK_OK) {
        zend_argument_value_error(err == TUSK_ENOENT ? 1 : 2, "is of no use: %s",
                                  reason[0] != '\0' ? reason : tusk_err_text(err));
        RETURN_THROWS();
    }
    zend_string *name;
    zval *value;
    if (options != NULL) {
        ZEND_HASH_FOREACH_STR_KEY_VAL(options, name, value)
        {
            if (!set_option(run, name, value)) {
                tusk_load_free(run);
                RETURN_THROWS();
            }
        }
        ZEND_HASH_FOREACH_END();
    }
    if (tusk_load_check(run, reason) != TUSK_OK) {
        tusk_load_free(run);
        zend_value_error("%s", reason);
        RETURN_THROWS();
    }
    self->run = run;
}

TUSK_METHOD(Tusk_Bench_Load, start)
{
    ZEND_PARSE_PARAMETERS_NONE();

    char reason[TUSK_LOAD_REASON_MAX];
    tusk_load *run = peek(ZEND_THIS);
    if (run != NULL && tusk_load_start(run, reason) != TUSK_OK) {
        zend_throw_exception(spl_ce_RuntimeException, reason, 0);
    }
}

TUSK_METHOD(Tusk_Bench_Load, poll)
{
    double seconds = 0.25;

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_DOUBLE(seconds)
    ZEND_PARSE_PARAMETERS_END();

    tusk_load *run = peek(ZEND_THIS);
    if (run == NULL) {
        RETURN_THROWS();
    }
    if (!(seconds >= 0 && seconds <= 86400)) {
        zend_argument_value_error(1, "must be between 0 and 86400");
        RETURN_THROWS();
    }
    RETURN_BOOL(tusk_load_poll(run, (uint32_t)(seconds * 1000)));
}

TUSK_METHOD(Tusk_Bench_Load, stop)
{
    ZEND_PARSE_PARAMETERS_NONE();

    tusk_load *run = peek(ZEND_THIS);
    if (run != NULL) {
        tusk_load_stop(run);
    }
}

TUSK_METHOD(Tusk_Bench_Load, partial)
{
    ZEND_PARSE_PARAMETERS_NONE();

    const tusk_load *run = peek(ZEND_THIS);
    if (run == NULL) {
        RETURN_THROWS();
    }
    RETURN_BOOL(tusk_load_partial(run));
}

TUSK_METHOD(Tusk_Bench_Load, phase)
{
    ZEND_PARSE_PARAMETERS_NONE();

    const tusk_load *run = peek(ZEND_THIS);
    if (run == NULL) {
        RETURN_THROWS();
    }
    RETURN_STRING(tusk_load_phase(run));
}

TUSK_METHOD(Tusk_Bench_Load, counters)
{
    bool measured = false;

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_BOOL(measured)
    ZEND_PARSE_PARAMETERS_END();

    const tusk_load *run = peek(ZEND_THIS);
    if (run == NULL) {
        RETURN_THROWS();
    }
    const char *name;
    uint64_t value;
    array_init(return_value);
    for (size_t i = 0; (name = tusk_load_counter(run, i, measured, &value)) != NULL; i++) {
        add_assoc_long(return_value, name, (zend_long)value);
    }
}

TUSK_METHOD(Tusk_Bench_Load, histogram)
{
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    const tusk_load *run = peek(ZEND_THIS);
    if (run == NULL) {
        RETURN_THROWS();
    }
    tusk_hist *hist;
    tusk_err err = tusk_load_histogram(run, ZSTR_VAL(name), &hist);
    if (err == TUSK_ENOENT) {
        zend_argument_value_error(1, "must be the name of a histogram, \"%s\" given",
                                  ZSTR_VAL(name));
        RETURN_THROWS();
    }
    if (err != TUSK_OK) {
        tusk_throw(err, "no histogram");
        RETURN_THROWS();
    }
    RETVAL_OBJ(tusk_ext_histogram_of(hist));
    tusk_hist_free(hist);
}

static void interval_row(zval *row, const tusk_load *run, const tusk_load_interval *interval)
{
    zval counters;
    zval response;
    const char *name;
    uint64_t ignored;
    array_init_size(row, 5);
    add_assoc_double(row, "start", interval->start);
    add_assoc_double(row, "length", interval->length);
    add_assoc_string(row, "phase", interval->phase);
    array_init(&counters);
    for (size_t i = 0; (name = tusk_load_counter(run, i, false, &ignored)) != NULL; i++) {
        add_assoc_long(&counters, name, (zend_long)interval->counters[i]);
    }
    add_assoc_zval(row, "counters", &counters);
    ZVAL_OBJ(&response, tusk_ext_histogram_of(interval->response));
    add_assoc_zval(row, "response", &response);
}

TUSK_METHOD(Tusk_Bench_Load, intervals)
{
    ZEND_PARSE_PARAMETERS_NONE();

    tusk_load *run = peek(ZEND_THIS);
    if (run == NULL) {
        RETURN_THROWS();
    }
    tusk_load_interval interval;
    array_init(return_value);
    while (tusk_load_next_interval(run, &interval)) {
        zval row;
        interval_row(&row, run, &interval);
        add_next_index_zval(return_value, &row);
    }
}

/* Pairs of when a message was sent and when its answer came. */
static void add_exchanges(zval *row, const tusk_load *run, size_t i)
{
    const uint64_t *times;
    size_t n = tusk_load_exchanges_at(run, i, &times);
    zval list;
    array_init_size(&list, (uint32_t)n);
    for (size_t k = 0; k < n; k++) {
        zval pair;
        array_init_size(&pair, 2);
        add_next_index_long(&pair, (zend_long)times[2 * k]);
        add_next_index_long(&pair, (zend_long)times[2 * k + 1]);
        add_next_index_zval(&list, &pair);
    }
    add_assoc_zval(row, "exchanges", &list);
}

TUSK_METHOD(Tusk_Bench_Load, samples)
{
    zend_long offset = 0;
    zend_long limit = 10000;

    ZEND_PARSE_PARAMETERS_START(0, 2)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(offset)
    Z_PARAM_LONG(limit)
    ZEND_PARSE_PARAMETERS_END();

    const tusk_load *run = peek(ZEND_THIS);
    if (run == NULL) {
        RETURN_THROWS();
    }
    if (offset < 0 || limit < 0) {
        zend_argument_value_error(offset < 0 ? 1 : 2, "must not be negative");
        RETURN_THROWS();
    }
    tusk_load_sample sample;
    array_init(return_value);
    for (; limit > 0 && tusk_load_sample_at(run, (size_t)offset, &sample); offset++, limit--) {
        zval row;
        array_init_size(&row, 7);
        add_assoc_long(&row, "start", (zend_long)sample.start);
        add_assoc_long(&row, "tcp", (zend_long)sample.tcp);
        add_assoc_long(&row, "tls", (zend_long)sample.tls);
        add_assoc_long(&row, "upgrade", (zend_long)sample.upgrade);
        add_assoc_long(&row, "close", (zend_long)sample.close);
        add_assoc_bool(&row, "failed", sample.failed);
        add_exchanges(&row, run, (size_t)offset);
        add_next_index_zval(return_value, &row);
    }
}

TUSK_METHOD(Tusk_Bench_Load, workers)
{
    ZEND_PARSE_PARAMETERS_NONE();

    const tusk_load *run = peek(ZEND_THIS);
    if (run == NULL) {
        RETURN_THROWS();
    }
    tusk_load_worker worker;
    array_init(return_value);
    for (size_t i = 0; tusk_load_worker_at(run, i, &worker); i++) {
        zval row;
        array_init_size(&row, 6);
        add_assoc_long(&row, "pid", worker.pid);
        add_assoc_string(&row, "phase", worker.phase);
        add_assoc_double(&row, "user", worker.user);
        add_assoc_double(&row, "system", worker.system);
        add_assoc_long(&row, "switches", (zend_long)worker.switches);
        if (worker.error == NULL) {
            add_assoc_null(&row, "error");
        } else {
            add_assoc_string(&row, "error", worker.error);
        }
        add_next_index_zval(return_value, &row);
    }
}

TUSK_METHOD(Tusk_Bench_Load, facts)
{
    ZEND_PARSE_PARAMETERS_NONE();

    const tusk_load *run = peek(ZEND_THIS);
    if (run == NULL) {
        RETURN_THROWS();
    }
    tusk_load_fact fact;
    array_init(return_value);
    for (size_t i = 0; tusk_load_fact_at(run, i, &fact); i++) {
        if (fact.text != NULL) {
            add_assoc_string(return_value, fact.name, fact.text);
        } else if (fact.whole) {
            add_assoc_long(return_value, fact.name, (zend_long)fact.number);
        } else {
            add_assoc_double(return_value, fact.name, fact.number);
        }
    }
}

void tusk_bench_load_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(load, std), destroy);
    tusk_ce_bench_load->create_object = create;
}
