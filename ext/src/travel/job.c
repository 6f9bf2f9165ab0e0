/* SPDX-License-Identifier: MIT */
/* Jobs: what is called, with what. A name that was resolved once is remembered. */
#include "src/travel/travel.h"

#include <Zend/zend_closures.h>

enum { JOB_FUNCTION, JOB_METHOD, JOB_OBJECT, JOB_CLOSURE };

/* ---- out ---- */
static bool pack_arguments(tusk_packer *self, HashTable *more, uint32_t skip, uint32_t argc,
                           zval *argv)
{
    pack_path root = {.root = "$args"};
    pack_path path = {.outer = &root};
    uint32_t inner = more == NULL ? 0 : zend_hash_num_elements(more) - skip;
    uint32_t i = 0;
    zval *value;
    if (!tusk_pack_number(self, inner + argc)) {
        return false;
    }
    if (inner > 0) {
        ZEND_HASH_FOREACH_VAL(more, value)
        {
            path.index = i - skip;
            if (i++ >= skip && !tusk_pack(self, value, &path)) {
                return false;
            }
        }
        ZEND_HASH_FOREACH_END();
    }
    for (i = 0; i < argc; i++) {
        path.index = inner + i;
        if (!tusk_pack(self, &argv[i], &path)) {
            return false;
        }
    }
    return true;
}

/* What a job calls, and where its arguments begin. */
typedef struct job_shape {
    uint8_t tag;
    tusk_bytes class_name; /* JOB_METHOD */
    tusk_bytes name;       /* of all but JOB_CLOSURE */
    zval *target;          /* JOB_OBJECT, JOB_CLOSURE */
    HashTable *more;       /* what stands behind `skip` of these are arguments; may be NULL */
    uint32_t skip;
} job_shape;

#define FOR_EXAMPLE ": give a closure, 'strlen', or [Users::class, 'find', 7]"
static const char no_callee[] =
    "is neither a closure, nor a callable string, nor an array" FOR_EXAMPLE;

bool tusk_job_is_function(zend_string *name)
{
    zend_string *lower = zend_string_tolower(name);
    bool found = zend_hash_exists(EG(function_table), lower) &&
                 zend_lookup_class_ex(name, NULL, ZEND_FETCH_CLASS_NO_AUTOLOAD) == NULL;
    zend_string_release(lower);
    return found;
}

/* NULL, or why it is no job. */
static const char *shape_callee(job_shape *self, zval *callee)
{
    if (Z_TYPE_P(callee) == IS_STRING) {
        tusk_bytes text = tusk_zstr(Z_STR_P(callee));
        const char *colons = strstr(Z_STRVAL_P(callee), "::");
        size_t len = colons == NULL ? 0 : (size_t)(colons - Z_STRVAL_P(callee));
        self->tag = colons == NULL ? JOB_FUNCTION : JOB_METHOD;
        self->class_name = tusk_bytes_of(text.ptr, len);
        self->name = colons == NULL ? text : tusk_bytes_of(text.ptr + len + 2, text.len - len - 2);
        return NULL;
    }
    if (Z_TYPE_P(callee) != IS_OBJECT || Z_OBJCE_P(callee) != zend_ce_closure) {
        return no_callee;
    }
    self->tag = JOB_CLOSURE;
    self->target = callee;
    return NULL;
}

static const char *shape_method(job_shape *self, zval *first, zend_string *method)
{
    self->skip = 2;
    self->name = tusk_zstr(method);
    if (Z_TYPE_P(first) == IS_STRING) {
        self->tag = JOB_METHOD;
        self->class_name = tusk_zstr(Z_STR_P(first));
        return NULL;
    }
    self->tag = JOB_OBJECT;
    self->target = first;
    return Z_TYPE_P(first) == IS_OBJECT ? NULL : no_callee;
}

static const char *shape_of(zval *job, job_shape *self)
{
    memset(self, 0, sizeof(*self));
    self->class_name = tusk_bytes_of("", 0);
    ZVAL_DEREF(job);
    if (Z_TYPE_P(job) != IS_ARRAY) {
        return shape_callee(self, job);
    }
    HashTable *items = Z_ARRVAL_P(job);
    zval *first = zend_hash_index_find(items, 0);
    zval *second = zend_hash_index_find(items, 1);
    if (first == NULL || !zend_array_is_list(items)) {
        return "is an array, but not a list that begins with what to call" FOR_EXAMPLE;
    }
    ZVAL_DEREF(first);
    self->more = items;
    self->skip = 1;
    bool closure = Z_TYPE_P(first) == IS_OBJECT && Z_OBJCE_P(first) == zend_ce_closure;
    bool whole = Z_TYPE_P(first) == IS_STRING && strstr(Z_STRVAL_P(first), "::") != NULL;
    if (second != NULL) {
        ZVAL_DEREF(second);
    }
    if (closure || whole || second == NULL || Z_TYPE_P(second) != IS_STRING ||
        (Z_TYPE_P(first) == IS_STRING && tusk_job_is_function(Z_STR_P(first)))) {
        return shape_callee(self, first);
    }
    return shape_method(self, first, Z_STR_P(second));
}

static bool pack_view(tusk_packer *self, tusk_bytes text)
{
    return tusk_pack_number(self, text.len) && tusk_pack_bytes(self, text.ptr, text.len);
}

bool tusk_pack_job(tusk_packer *self, zval *job, uint32_t argc, zval *argv)
{
    pack_path path = {.root = "$job"};
    pack_path closure = {.root = "$closure"};
    job_shape shape;
    const char *fault = shape_of(job, &shape);
    if (fault != NULL) {
        return tusk_pack_fault(self, &path, fault);
    }
    bool object = shape.tag == JOB_OBJECT;
    return tusk_pack_bytes(self, &shape.tag, 1) &&
           (shape.tag != JOB_METHOD || pack_view(self, shape.class_name)) &&
           (shape.target == NULL || tusk_pack(self, shape.target, object ? &path : &closure)) &&
           (shape.tag == JOB_CLOSURE || pack_view(self, shape.name)) &&
           pack_arguments(self, shape.more, shape.skip, argc, argv) && tusk_pack_end(self);
}

const char *tusk_job_fault(zval *job)
{
    job_shape shape;
    return shape_of(job, &shape);
}

static zend_string *unshareable(const zval *value, const char *root)
{
    zend_string *text = tusk_find_referring(value, root);
    return text == NULL ? tusk_find_live(value, root) : text;
}

static zend_string *live_argument(const zval *value, uint32_t number)
{
    char root[32];
    (void)snprintf(root, sizeof(root), "$args[%" PRIu32 "]", number);
    ZVAL_DEREF(value);
    return unshareable(value, root);
}

zend_string *tusk_job_unshareable(zval *job, uint32_t argc, zval *argv)
{
    job_shape shape;
    if (shape_of(job, &shape) != NULL) {
        return NULL;
    }
    zend_string *live = shape.target == NULL ? NULL : unshareable(shape.target, "$closure");
    uint32_t inner = shape.more == NULL ? 0 : zend_hash_num_elements(shape.more) - shape.skip;
    for (uint32_t i = 0; i < inner && live == NULL; i++) {
        live = live_argument(zend_hash_index_find(shape.more, i + shape.skip), i);
    }
    for (uint32_t i = 0; i < argc && live == NULL; i++) {
        live = live_argument(&argv[i], inner + i);
    }
    return live;
}

/* ---- in ---- */
/* A function or method by its two names as they stand in the bytes: "class::method" is the key. */
typedef struct known_name {
    zend_function *function;
    zend_class_entry *ce;
} known_name;

static void forget_name(zval *entry)
{
    efree(Z_PTR_P(entry));
}

static void throw_missing(tusk_bytes class_name, tusk_bytes name, const char *why)
{
    if (EG(exception) == NULL) {
        zend_throw_error(NULL, "%.*s%s%.*s() %s", (int)class_name.len,
                         class_name.len == 0 ? "" : (const char *)class_name.ptr,
                         class_name.len == 0 ? "" : "::", (int)name.len, (const char *)name.ptr,
                         why);
    }
}

static const char *missing(void)
{
    return TUSK_G(worker) == NULL ? "does not exist: load the file that declares it"
                                  : "does not exist in the worker: let bootstrap: load the file "
                                    "that declares it (or an "
                                    "autoloader that does), or load it before the pool is made";
}

static bool resolve(known_name *out, tusk_bytes class_name, tusk_bytes name)
{
    char *lower = zend_str_tolower_dup((const char *)name.ptr, name.len);
    size_t skip = class_name.len == 0 && name.len > 0 && lower[0] == '\\' ? 1 : 0;
    out->ce = NULL;
    if (class_name.len == 0) {
        out->function = zend_hash_str_find_ptr(EG(function_table), lower + skip, name.len - skip);
        efree(lower);
        if (out->function == NULL) {
            throw_missing(class_name, name, missing());
        }
        return out->function != NULL;
    }
    zend_string *text = tusk_zstr_of(class_name);
    out->ce = zend_lookup_class(text);
    zend_string_release(text);
    out->function =
        out->ce == NULL ? NULL : zend_hash_str_find_ptr(&out->ce->function_table, lower, name.len);
    efree(lower);
    if (out->function == NULL) {
        throw_missing(class_name, name, missing());
        return false;
    }
    if ((out->function->common.fn_flags & ZEND_ACC_PUBLIC) == 0 ||
        (out->function->common.fn_flags & ZEND_ACC_ABSTRACT) != 0) {
        throw_missing(class_name, name, "cannot be called: it is not public, or abstract");
        return false;
    }
    return true;
}

static const known_name *look_up(tusk_bytes class_name, tusk_bytes name)
{
    char key[256];
    if (class_name.len + name.len + 3 > sizeof(key)) {
        return NULL;
    }
    memcpy(key, class_name.ptr, class_name.len);
    key[class_name.len] = ':';
    memcpy(key + class_name.len + 1, name.ptr, name.len);
    size_t len = class_name.len + 1 + name.len;
    if (TUSK_G(job_names) == NULL) {
        ALLOC_HASHTABLE(TUSK_G(job_names));
        zend_hash_init(TUSK_G(job_names), 16, NULL, forget_name, 0);
    }
    known_name *known = zend_hash_str_find_ptr(TUSK_G(job_names), key, len);
    if (known == NULL) {
        known_name found;
        if (!resolve(&found, class_name, name)) {
            return NULL;
        }
        known = zend_hash_str_add_mem(TUSK_G(job_names), key, len, &found, sizeof(found));
    }
    return known;
}

static bool make_instance(zend_class_entry *ce, zval *out)
{
    if (object_init_ex(out, ce) != SUCCESS) {
        return false;
    }
    if (ce->constructor != NULL) {
        zend_call_known_instance_method_with_0_params(ce->constructor, Z_OBJ_P(out), NULL);
    }
    if (EG(exception) != NULL) {
        zend_object_store_ctor_failed(Z_OBJ_P(out));
        zval_ptr_dtor(out);
        ZVAL_UNDEF(out);
        return false;
    }
    return true;
}

static bool call_known(const known_name *known, uint32_t argc, zval *argv, zval *result)
{
    zval object;
    ZVAL_UNDEF(&object);
    bool bound = known->ce != NULL && (known->function->common.fn_flags & ZEND_ACC_STATIC) == 0;
    if (bound && !make_instance(known->ce, &object)) {
        return false;
    }
    zend_call_known_function(known->function, bound ? Z_OBJ(object) : NULL, known->ce, result, argc,
                             argv, NULL);
    zval_ptr_dtor(&object);
    return EG(exception) == NULL;
}

static bool call_value(zval *callable, uint32_t argc, zval *argv, zval *result)
{
    zend_fcall_info fci;
    zend_fcall_info_cache fcc;
    char *error = NULL;
    if (zend_fcall_info_init(callable, 0, &fci, &fcc, NULL, &error) != SUCCESS) {
        if (EG(exception) == NULL) {
            zend_throw_error(NULL, "The job cannot be called: %s", error == NULL ? "?" : error);
        }
        if (error != NULL) {
            efree(error);
        }
        return false;
    }
    fci.retval = result;
    fci.param_count = argc;
    fci.params = argv;
    zend_call_function(&fci, &fcc);
    return EG(exception) == NULL;
}

enum { ARGUMENTS_INLINE = 8 };

typedef struct arguments {
    zval inside[ARGUMENTS_INLINE];
    zval *at;
    uint32_t count;
} arguments;

static bool unpack_arguments(tusk_unpacker *self, arguments *out)
{
    uint64_t count;
    out->count = 0;
    out->at = out->inside;
    if (!tusk_unpack_number(self, &count) || count > (uint64_t)(self->end - self->at)) {
        return false;
    }
    if (count > ARGUMENTS_INLINE) {
        out->at = safe_emalloc((size_t)count, sizeof(zval), 0);
    }
    while (out->count < count && tusk_unpack(self, &out->at[out->count])) {
        out->count++;
    }
    return out->count == count;
}

static void release_arguments(arguments *self)
{
    for (uint32_t i = 0; i < self->count; i++) {
        zval_ptr_dtor(&self->at[i]);
    }
    if (self->at != self->inside) {
        efree(self->at);
    }
}

static bool run_named(tusk_unpacker *self, bool method, zval *result)
{
    tusk_bytes class_name = tusk_bytes_of("", 0);
    tusk_bytes name;
    arguments args;
    if ((method && !tusk_unpack_view(self, &class_name)) || !tusk_unpack_view(self, &name)) {
        return false;
    }
    const known_name *known = look_up(class_name, name);
    if (known == NULL) {
        throw_missing(class_name, name, "has too long a name");
        return false;
    }
    bool ok = unpack_arguments(self, &args) && call_known(known, args.count, args.at, result);
    release_arguments(&args);
    return ok;
}

static bool run_value(tusk_unpacker *self, bool method, zval *result)
{
    zval callable;
    zval target;
    arguments args;
    if (!tusk_unpack(self, &target)) {
        return false;
    }
    ZVAL_COPY_VALUE(&callable, &target);
    if (method) {
        zend_string *name = tusk_unpack_text(self);
        if (name == NULL) {
            zval_ptr_dtor(&target);
            return false;
        }
        array_init_size(&callable, 2);
        add_next_index_zval(&callable, &target);
        add_next_index_str(&callable, name);
    }
    bool ok = unpack_arguments(self, &args) && call_value(&callable, args.count, args.at, result);
    release_arguments(&args);
    zval_ptr_dtor(&callable);
    return ok;
}

bool tusk_run_job(tusk_unpacker *self, zval *result)
{
    ZVAL_UNDEF(result);
    if (self->at >= self->end) {
        self->fault = "bytes are missing";
        return false;
    }
    uint8_t tag = *self->at++;
    bool ok = false;
    switch (tag) {
    case JOB_FUNCTION: ok = run_named(self, false, result); break;
    case JOB_METHOD: ok = run_named(self, true, result); break;
    case JOB_OBJECT: ok = run_value(self, true, result); break;
    case JOB_CLOSURE: ok = run_value(self, false, result); break;
    default: self->fault = "a job of no kind"; break;
    }
    if (!ok) {
        zval_ptr_dtor(result);
        ZVAL_UNDEF(result);
    }
    return ok;
}

static bool call_method(zval *object, tusk_bytes name, uint32_t argc, zval *argv, zval *result)
{
    zval pair;
    array_init_size(&pair, 2);
    Z_ADDREF_P(object);
    add_next_index_zval(&pair, object);
    add_next_index_str(&pair, tusk_zstr_of(name));
    bool ok = call_value(&pair, argc, argv, result);
    zval_ptr_dtor(&pair);
    return ok;
}

static bool call_shape(const job_shape *shape, uint32_t argc, zval *argv, zval *result)
{
    if (shape->tag == JOB_CLOSURE) {
        return call_value(shape->target, argc, argv, result);
    }
    if (shape->tag == JOB_OBJECT) {
        return call_method(shape->target, shape->name, argc, argv, result);
    }
    const known_name *known = look_up(shape->class_name, shape->name);
    if (known == NULL) {
        throw_missing(shape->class_name, shape->name, "has too long a name");
        return false;
    }
    return call_known(known, argc, argv, result);
}

/* Where the job is this process's own value. */
bool tusk_call_job(zval *job, uint32_t argc, zval *argv, zval *result)
{
    job_shape shape;
    ZVAL_UNDEF(result);
    const char *fault = shape_of(job, &shape);
    if (fault != NULL) {
        zend_throw_error(NULL, "$job: %s", fault);
        return false;
    }
    uint32_t inner = shape.more == NULL ? 0 : zend_hash_num_elements(shape.more) - shape.skip;
    zval *args = safe_emalloc(inner + argc + 1, sizeof(zval), 0);
    for (uint32_t i = 0; i < inner; i++) {
        zval *value = zend_hash_index_find(shape.more, i + shape.skip);
        ZVAL_DEREF(value);
        ZVAL_COPY_VALUE(&args[i], value);
    }
    if (argc > 0) {
        memcpy(args + inner, argv, argc * sizeof(zval));
    }
    bool ok = call_shape(&shape, inner + argc, args, result);
    efree(args);
    return ok;
}

static void drop_table(HashTable **table)
{
    if (*table != NULL) {
        zend_hash_destroy(*table);
        FREE_HASHTABLE(*table);
        *table = NULL;
    }
}

void tusk_travel_shutdown(void)
{
    drop_table(&TUSK_G(job_names));
    drop_table(&TUSK_G(closures));
    drop_table(&TUSK_G(compiled));
}
