/* SPDX-License-Identifier: MIT */
/* Where the code of a closure that came is: among what this process has, or in its file. */
#include "src/travel/travel.h"

typedef struct finding {
    tusk_declared wanted;
    zend_op_array *exact;
    zend_op_array *alike; /* the same, but for the names of arguments */
    uint32_t alikes;
    zend_op_array *near; /* the same lines, other code */
    uint32_t nears;
} finding;

static bool is_in_question(const finding *self, const zend_op_array *code)
{
    return code->line_start == self->wanted.first && code->line_end == self->wanted.last &&
           (code->fn_flags & ZEND_ACC_CLOSURE) != 0;
}

static void consider(finding *self, zend_op_array *code)
{
    if (!is_in_question(self, code)) {
        return;
    }
    const tusk_print print = tusk_fingerprint(code);
    if (print.code == self->wanted.print.code && print.names == self->wanted.print.names) {
        self->exact = code;
    } else if (print.code == self->wanted.print.code) {
        self->alike = code;
        self->alikes++;
    } else {
        self->near = code;
        self->nears++;
    }
}

static void search(finding *self, zend_op_array *code)
{
    if (code->filename == NULL || !zend_string_equals(code->filename, self->wanted.file)) {
        return;
    }
    for (uint32_t i = 0; i < code->num_dynamic_func_defs && self->exact == NULL; i++) {
        consider(self, code->dynamic_func_defs[i]);
        search(self, code->dynamic_func_defs[i]);
    }
}

static void search_table(finding *self, HashTable *functions)
{
    zend_function *function;
    ZEND_HASH_FOREACH_PTR(functions, function)
    {
        if (ZEND_USER_CODE(function->type) && self->exact == NULL) {
            search(self, &function->op_array);
        }
    }
    ZEND_HASH_FOREACH_END();
}

static void search_frames(finding *self)
{
    for (zend_execute_data *frame = EG(current_execute_data); frame != NULL && self->exact == NULL;
         frame = frame->prev_execute_data) {
        if (frame->func != NULL && ZEND_USER_CODE(frame->func->type)) {
            search(self, &frame->func->op_array);
        }
    }
}

static void search_classes(finding *self, HashTable *classes)
{
    zend_class_entry *ce;
    ZEND_HASH_FOREACH_PTR(classes, ce)
    {
        if (ce->type == ZEND_USER_CLASS && self->exact == NULL &&
            zend_string_equals(ce->info.user.filename, self->wanted.file)) {
            search_table(self, &ce->function_table);
        }
    }
    ZEND_HASH_FOREACH_END();
}

/* Those of PHP itself, and, where wanted, of other files. */
static void copy_functions(HashTable *out, const HashTable *from, const zend_string *but)
{
    zend_string *name;
    zend_function *function;
    ZEND_HASH_FOREACH_STR_KEY_PTR((HashTable *)from, name, function)
    {
        if (!ZEND_USER_CODE(function->type) ||
            (but != NULL && !zend_string_equals(function->op_array.filename, but))) {
            zend_hash_add_new_ptr(out, name, function);
        }
    }
    ZEND_HASH_FOREACH_END();
}

/* Classes that are declared where code runs (anonymous ones, those in a function) lie under keys
 * that no name can be, and the code that declares them looks for them where all classes are. */
static void move_inner_classes(HashTable *from)
{
    zend_string *key;
    zend_class_entry *ce;
    ZEND_HASH_FOREACH_STR_KEY_PTR(from, key, ce)
    {
        if (key != NULL && memchr(ZSTR_VAL(key), '\0', ZSTR_LEN(key)) != NULL) {
            (void)zend_hash_add_ptr(EG(class_table), key, ce);
        }
    }
    ZEND_HASH_FOREACH_END();
}

/* It, what its functions and classes have, and all closures in them. */
static void gather(HashTable *out, zend_op_array *code)
{
    zval entry;
    ZVAL_PTR(&entry, code);
    zend_hash_next_index_insert(out, &entry);
    for (uint32_t i = 0; i < code->num_dynamic_func_defs; i++) {
        gather(out, code->dynamic_func_defs[i]);
    }
}

static void gather_table(HashTable *out, HashTable *functions, const zend_string *file)
{
    zend_function *function;
    ZEND_HASH_FOREACH_PTR(functions, function)
    {
        if (ZEND_USER_CODE(function->type) && function->op_array.filename != NULL &&
            zend_string_equals(function->op_array.filename, file)) {
            gather(out, &function->op_array);
        }
    }
    ZEND_HASH_FOREACH_END();
}

/* Code of a file that was compiled aside stays, and is found there by the next closure of it: as if
 * no function of PHP code were known, and with those that are. */
typedef struct compiled {
    HashTable by_name, known;
    uint32_t newest_by_name, newest_known; /* where the code of the file as it is now begins */
    uint64_t changed_ns; /* when it was compiled, the file had last changed then */
    bool is_known;       /* the second look was taken at it */
} compiled;

static void free_compiled(zval *entry)
{
    compiled *self = Z_PTR_P(entry);
    zend_hash_destroy(&self->by_name);
    zend_hash_destroy(&self->known);
    efree(self);
}

static compiled *compiled_of(zend_string *file)
{
    if (TUSK_G(compiled) == NULL) {
        ALLOC_HASHTABLE(TUSK_G(compiled));
        zend_hash_init(TUSK_G(compiled), 8, NULL, free_compiled, 0);
    }
    compiled *self = zend_hash_find_ptr(TUSK_G(compiled), file);
    if (self == NULL) {
        self = emalloc(sizeof(*self));
        *self = (compiled){.is_known = false};
        zend_hash_init(&self->by_name, 8, NULL, NULL, 0);
        zend_hash_init(&self->known, 8, NULL, NULL, 0);
        zend_hash_add_new_ptr(TUSK_G(compiled), file, self);
    }
    return self;
}

/* Whether each function that the engine does not look for again, as it was known when the code was
 * compiled, is one of the process, and its frame no larger than what it was compiled for. */
static bool calls_known(const zend_op_array *code)
{
    for (uint32_t i = 0; i < code->last; i++) {
        const zend_op *op = &code->opcodes[i];
        zend_function *known =
            op->opcode != ZEND_INIT_FCALL
                ? NULL
                : zend_hash_find_ptr(EG(function_table), Z_STR_P(RT_CONSTANT(op, op->op2)));
        if (op->opcode == ZEND_INIT_FCALL &&
            (known == NULL || zend_vm_calc_used_stack(op->extended_value, known) > op->op1.num)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < code->num_dynamic_func_defs; i++) {
        if (!calls_known(code->dynamic_func_defs[i])) {
            return false;
        }
    }
    return true;
}

static void search_gathered(finding *self, HashTable *codes, uint32_t first)
{
    zval *entry;
    uint32_t at = 0;
    ZEND_HASH_FOREACH_VAL(codes, entry)
    {
        zend_op_array *code = Z_PTR_P(entry);
        if (at++ >= first && self->exact == NULL && is_in_question(self, code) &&
            calls_known(code)) {
            consider(self, code);
        }
    }
    ZEND_HASH_FOREACH_END();
}

/* Compiles the file without declaring what it declares: into tables of its own. Past opcache, which
 * counts what a file adds to the tables of the process. False: an exception was thrown. */
static bool compile_aside(zend_string *file, HashTable *codes, const zend_string *but,
                          uint32_t options)
{
    zend_file_handle handle;
    HashTable *functions = CG(function_table);
    HashTable *classes = CG(class_table);
    uint32_t own_options = CG(compiler_options);
    HashTable own_functions, own_classes;
    zend_class_entry *ce;
    zend_hash_init(&own_functions, zend_hash_num_elements(functions), NULL, NULL, 0);
    zend_hash_init(&own_classes, 8, NULL, NULL, 0);
    copy_functions(&own_functions, functions, but);
    zend_stream_init_filename_ex(&handle, file);
    CG(function_table) = &own_functions;
    CG(class_table) = &own_classes;
    CG(compiler_options) = own_options | options;
    zend_op_array *code = compile_file(&handle, ZEND_REQUIRE_ONCE);
    CG(function_table) = functions;
    CG(class_table) = classes;
    CG(compiler_options) = own_options;
    zend_destroy_file_handle(&handle);
    if (code != NULL) {
        move_inner_classes(&own_classes);
        gather(codes, code);
        gather_table(codes, &own_functions, file);
        ZEND_HASH_FOREACH_PTR(&own_classes, ce)
        {
            gather_table(codes, &ce->function_table, file);
        }
        ZEND_HASH_FOREACH_END();
    }
    zend_hash_destroy(&own_functions);
    zend_hash_destroy(&own_classes);
    return EG(exception) == NULL;
}

/* Each call goes by its name to what the process has when it runs, which may be another function
 * than that of the file, whose frame would be too small, or none. */
static bool compile_by_name(compiled *self, zend_string *file)
{
    uint64_t changed_ns = tusk_moment_of_change(file);
    uint32_t first = zend_hash_num_elements(&self->by_name);
    if (first > 0 && self->changed_ns == changed_ns) {
        return true;
    }
    self->newest_by_name = first;
    self->changed_ns = changed_ns;
    self->is_known = false;
    return compile_aside(file, &self->by_name, NULL, ZEND_COMPILE_IGNORE_USER_FUNCTIONS);
}

/* Whether the process has a function now that the file declares from elsewhere: compiled with what
 * is known, the file would declare it a second time. */
static bool has_others(const compiled *self, const zend_string *file)
{
    zval *entry;
    uint32_t at = 0;
    bool found = false;
    ZEND_HASH_FOREACH_VAL((HashTable *)&self->by_name, entry)
    {
        const zend_op_array *code = Z_PTR_P(entry);
        if (at++ >= self->newest_by_name && !found && code->function_name != NULL &&
            code->scope == NULL && (code->fn_flags & ZEND_ACC_CLOSURE) == 0) {
            zend_string *name = zend_string_tolower(code->function_name);
            const zend_function *known = zend_hash_find_ptr(EG(function_table), name);
            found = known != NULL && (!ZEND_USER_CODE(known->type) ||
                                      !zend_string_equals(known->op_array.filename, file));
            zend_string_release(name);
        }
    }
    ZEND_HASH_FOREACH_END();
    return found;
}

/* With what is known: names of arguments may have been resolved with it. */
static bool compile_known(compiled *self, zend_string *file)
{
    if (!self->is_known) {
        self->newest_known = zend_hash_num_elements(&self->known);
        self->is_known = true;
        return compile_aside(file, &self->known, file, 0);
    }
    return true;
}

static void forget_likenesses(finding *self)
{
    self->alike = self->near = NULL;
    self->alikes = self->nears = 0;
}

static void search_file(finding *self)
{
    zend_string *file = self->wanted.file;
    compiled *known = compiled_of(file);
    search_gathered(self, &known->by_name, 0);
    search_gathered(self, &known->known, 0);
    forget_likenesses(self); /* in what is newest each stands once */
    if (self->exact != NULL || !compile_by_name(known, file)) {
        return;
    }
    search_gathered(self, &known->by_name, known->newest_by_name);
    if (self->exact != NULL || has_others(known, file) || !compile_known(known, file)) {
        return;
    }
    const finding by_name = *self;
    forget_likenesses(self);
    search_gathered(self, &known->known, known->newest_known);
    if (self->exact == NULL) {
        *self = by_name;
    }
}

/* NULL: it cannot be told which one it is, or it is not there any more. */
static zend_op_array *choose(const finding *self, bool changed)
{
    if (self->exact != NULL) {
        return self->exact;
    }
    if (self->alikes > 0) {
        return self->alikes == 1 ? self->alike : NULL;
    }
    return !changed && self->nears == 1 ? self->near : NULL; /* one of the two was rewritten */
}

static void throw_lost(const finding *self, bool changed)
{
    zend_throw_exception_ex(
        tusk_ce_cannot_travel, 0,
        self->alikes > 1
            ? "the closure at %s:%u differs from another one on its lines by the names of "
              "arguments alone, which is not enough: give it lines of its own"
        : !changed && self->nears > 1
            ? "the closure at %s:%u is one of several on its lines, and opcache has rewritten it, "
              "or "
              "it declares a class: give it lines of its own"
            : "the closure at %s:%u is not there any more: the file has changed: reload() the "
              "pool",
        ZSTR_VAL(self->wanted.file), self->wanted.first);
}

zend_op_array *tusk_closure_find(const tusk_declared *wanted, zend_class_entry *scope,
                                 const tusk_moment *made)
{
    finding self = {.wanted = *wanted};
    zend_string *key =
        zend_strpprintf(0, "%s:%u:%u:%" PRIx64 ":%" PRIx64, ZSTR_VAL(wanted->file), wanted->first,
                        wanted->last, wanted->print.code, wanted->print.names);
    if (TUSK_G(closures) == NULL) {
        ALLOC_HASHTABLE(TUSK_G(closures));
        zend_hash_init(TUSK_G(closures), 8, NULL, NULL, 0);
    }
    self.exact = zend_hash_find_ptr(TUSK_G(closures), key);
    if (self.exact == NULL && scope != NULL) {
        search_table(&self, &scope->function_table);
    }
    if (self.exact == NULL) {
        search_frames(&self);
    }
    if (self.exact == NULL) {
        search_table(&self, EG(function_table));
    }
    if (self.exact == NULL) {
        search_classes(&self, EG(class_table));
    }
    if (self.exact == NULL) {
        search_file(&self);
    }
    bool changed = tusk_moment_before_change(made, wanted->file);
    zend_op_array *found = choose(&self, changed);
    if (found != NULL) {
        zend_hash_update_ptr(TUSK_G(closures), key, found);
    } else if (EG(exception) == NULL) {
        throw_lost(&self, changed);
    }
    zend_string_release(key);
    return found;
}
