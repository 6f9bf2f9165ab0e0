/* SPDX-License-Identifier: MIT */
/* Closures: by file, lines and a fingerprint (find.c); captured values through the codec. */
#include "src/travel/travel.h"

#include <Zend/zend_closures.h>

enum { CLOSURE_STATIC = 1, CLOSURE_THIS = 2, CLOSURE_NAMED = 4 };
/* An arrow function captures every name in it, those of an inner one's parameters among them, which
 * are not set where it is made. */
enum { CAPTURED_AS_DECLARED, CAPTURED_VALUE, CAPTURED_NOTHING };

/* ---- out ---- */
const zend_function *tusk_closure_parts(zend_object *closure, zend_class_entry **called,
                                        zend_object **bound)
{
    zend_function *function = NULL;
    *called = NULL;
    *bound = NULL;
    (void)closure->handlers->get_closure(closure, called, &function, bound, 1);
    return function;
}

static HashTable *captured_of(const zend_op_array *code)
{
    HashTable *captured = ZEND_MAP_PTR_GET(code->static_variables_ptr);
    return captured == NULL ? code->static_variables : captured;
}

/* The first variable that is `use (&$x)`; NULL: none is. */
static const zend_string *by_reference(const zend_op_array *code)
{
    const uint32_t how = ZEND_BIND_REF | ZEND_BIND_IMPLICIT | ZEND_BIND_EXPLICIT;
    for (uint32_t i = 0; i < code->last; i++) {
        const zend_op *op = &code->opcodes[i];
        if (op->opcode == ZEND_BIND_STATIC &&
            (op->extended_value & (ZEND_BIND_REF | ZEND_BIND_EXPLICIT)) ==
                (ZEND_BIND_REF | ZEND_BIND_EXPLICIT)) {
            return captured_of(code)->arData[(op->extended_value & ~how) / sizeof(Bucket)].key;
        }
    }
    return NULL;
}

const zend_string *tusk_closure_refers(zend_object *closure)
{
    zend_class_entry *called;
    zend_object *bound;
    const zend_function *function = tusk_closure_parts(closure, &called, &bound);
    return function != NULL && ZEND_USER_CODE(function->type) &&
                   (function->common.fn_flags & ZEND_ACC_FAKE_CLOSURE) == 0
               ? by_reference(&function->op_array)
               : NULL;
}

static bool pack_captured(tusk_packer *self, const zend_op_array *code, const pack_path *path)
{
    HashTable *captured = captured_of(code);
    uint32_t count = captured == NULL ? 0 : captured->nNumUsed;
    if (!tusk_pack_number(self, count)) {
        return false;
    }
    for (uint32_t place = 0; place < count; place++) { /* foreach passes over what is not set */
        zend_string *name = captured->arData[place].key;
        zval *value = &captured->arData[place].val;
        pack_path inner = {.outer = path, .key = name};
        ZVAL_DEREF(value);
        bool plain = Z_TYPE_P(value) != IS_UNDEF &&
                     (Z_TYPE_P(value) <= IS_OBJECT || Z_TYPE_P(value) == IS_RESOURCE);
        uint8_t sent = plain                         ? CAPTURED_VALUE
                       : Z_TYPE_P(value) == IS_UNDEF ? CAPTURED_NOTHING
                                                     : CAPTURED_AS_DECLARED;
        if (!tusk_pack_text(self, name) || !tusk_pack_bytes(self, &sent, 1) ||
            (plain && !tusk_pack(self, value, &inner))) {
            return false;
        }
    }
    return true;
}

static bool pack_named(tusk_packer *self, const zend_function *function, zend_class_entry *called,
                       zend_object *bound, const pack_path *path)
{
    uint8_t flags = CLOSURE_NAMED | (bound != NULL ? CLOSURE_THIS : 0);
    if (!tusk_pack_bytes(self, &flags, 1)) {
        return false;
    }
    if (bound != NULL) {
        zval object;
        ZVAL_OBJ(&object, bound);
        if (!tusk_pack(self, &object, path)) {
            return false;
        }
    } else if (!tusk_pack_text(self, function->common.scope == NULL ? NULL
                                     : called != NULL               ? called->name
                                                      : function->common.scope->name)) {
        return false;
    }
    return tusk_pack_text(self,
                          function->common.scope == NULL ? NULL : function->common.scope->name) &&
           tusk_pack_text(self, function->common.function_name);
}

static bool pack_bound(tusk_packer *self, const zend_function *function, zend_object *bound,
                       const pack_path *path)
{
    zval object;
    if (bound == NULL || (function->common.fn_flags & ZEND_ACC_USES_THIS) == 0) {
        return true;
    }
    ZVAL_OBJ(&object, bound);
    return tusk_pack(self, &object, path);
}

/* Where the engine compiled it from: eval(), -r, -B, -R, -E, standard input, php -a. */
static bool stands_in_no_file(const char *name)
{
    static const char *const names[] = {"Command line code",     "Command line begin code",
                                        "Command line run code", "Command line end code",
                                        "Standard input code",   "php shell code"};
    bool none = strstr(name, "eval()'d code") != NULL;
    for (size_t i = 0; !none && i < sizeof(names) / sizeof(names[0]); i++) {
        none = strcmp(name, names[i]) == 0;
    }
    return none;
}

bool tusk_pack_closure(tusk_packer *self, zend_object *closure, const pack_path *path)
{
    zend_class_entry *called;
    zend_object *bound;
    const zend_function *function = tusk_closure_parts(closure, &called, &bound);
    if ((function->common.fn_flags & ZEND_ACC_FAKE_CLOSURE) != 0 ||
        !ZEND_USER_CODE(function->type)) {
        return pack_named(self, function, called, bound, path);
    }
    const zend_op_array *code = &function->op_array;
    const char *file = ZSTR_VAL(code->filename);
    const zend_string *referred = by_reference(code);
    if (referred !=
        NULL) { /* before all that a fork would take: what that changes is lost as well */
        return tusk_pack_fault(self, path, TRAVEL_REFERS, ZSTR_VAL(referred));
    }
    if (stands_in_no_file(file)) {
        self->forkable = true;
        return tusk_pack_fault(
            self, path, "a closure of code that stands in no file (%s): declare it in one", file);
    }
    const tusk_print print = tusk_fingerprint(code);
    bool uses_this = bound != NULL && (function->common.fn_flags & ZEND_ACC_USES_THIS) != 0;
    uint8_t flags =
        (uint8_t)((function->common.fn_flags & ZEND_ACC_STATIC) != 0 ? CLOSURE_STATIC : 0);
    flags = (uint8_t)(flags | (uses_this ? CLOSURE_THIS : 0));
    return tusk_pack_bytes(self, &flags, 1) && tusk_pack_text(self, code->filename) &&
           tusk_pack_number(self, code->line_start) && tusk_pack_number(self, code->line_end) &&
           tusk_pack_number(self, print.code) && tusk_pack_number(self, print.names) &&
           tusk_pack_text(self, code->scope == NULL ? NULL : code->scope->name) &&
           tusk_pack_text(self, called == NULL ? NULL : called->name) &&
           pack_bound(self, function, bound, path) && pack_captured(self, code, path);
}

/* ---- in ---- */
static bool unpack_captured(tusk_unpacker *self, zend_op_array *code)
{
    uint64_t count;
    if (!tusk_unpack_number(self, &count)) {
        return false;
    }
    HashTable *captured = ZEND_MAP_PTR_GET(code->static_variables_ptr);
    for (uint64_t i = 0; i < count; i++) {
        zend_string *name = tusk_unpack_text(self);
        zval value;
        if (name == NULL) {
            return false;
        }
        if (self->at >= self->end) {
            zend_string_release(name);
            return false;
        }
        bool ok = true;
        uint8_t sent = *self->at++;
        if (sent != CAPTURED_AS_DECLARED) {
            ZVAL_UNDEF(&value);
            ok = sent == CAPTURED_NOTHING || tusk_unpack(self, &value);
            zval *place = !ok || captured == NULL ? NULL : zend_hash_find(captured, name);
            if (place != NULL) {
                zval_ptr_dtor(place);
                ZVAL_COPY_VALUE(place, &value);
            } else if (ok) {
                zval_ptr_dtor(&value);
            }
        }
        zend_string_release(name);
        if (!ok) {
            return false;
        }
    }
    return true;
}

static zend_class_entry *class_of(zend_string *name)
{
    return name == NULL || ZSTR_LEN(name) == 0 ? NULL : zend_lookup_class(name);
}

/* The method itself, as private ones are among them; what __call() answers for is none. */
static bool make_method(zval *out, zval *target, zend_class_entry *scope, zend_string *name)
{
    zend_function *method =
        scope == NULL ? NULL : zend_hash_find_ptr_lc(&scope->function_table, name);
    if (method == NULL || (method->common.fn_flags & ZEND_ACC_ABSTRACT) != 0) {
        return false;
    }
    bool is_static = (method->common.fn_flags & ZEND_ACC_STATIC) != 0;
    zend_class_entry *called =
        Z_TYPE_P(target) == IS_OBJECT ? Z_OBJCE_P(target) : class_of(Z_STR_P(target));
    if (called == NULL || !instanceof_function(called, scope) ||
        is_static == (Z_TYPE_P(target) == IS_OBJECT)) {
        return false;
    }
    zend_object *bound = is_static ? NULL : Z_OBJ_P(target);
    zend_create_fake_closure(out, method, method->common.scope, called, TUSK_BOUND(bound));
    return true;
}

/* What is not there stays a name, and who calls it is told. */
static void make_function(zval *out, zend_string *name)
{
    zend_function *function = zend_hash_find_ptr_lc(EG(function_table), name);
    if (function == NULL) {
        ZVAL_STR_COPY(out, name);
    } else {
        zend_create_fake_closure(out, function, NULL, NULL, NULL);
    }
}

/* Of __call() and __callStatic(). */
static void make_closure_of(zval *callable)
{
    zval closure;
    zend_function *from =
        zend_hash_str_find_ptr(&zend_ce_closure->function_table, ZEND_STRL("fromcallable"));
    zend_call_known_function(from, NULL, zend_ce_closure, &closure, 1, callable, NULL);
    if (EG(exception) == NULL) {
        zval_ptr_dtor(callable);
        ZVAL_COPY_VALUE(callable, &closure);
    } else {
        tusk_clear_exception();
    }
}

static void make_named(zval *out, zval *target, zend_class_entry *scope, zend_string *name)
{
    if (Z_TYPE_P(target) == IS_STRING && Z_STRLEN_P(target) == 0) {
        make_function(out, name);
    } else if (EG(exception) == NULL && !make_method(out, target, scope, name)) {
        array_init_size(out, 2);
        Z_TRY_ADDREF_P(target);
        add_next_index_zval(out, target);
        add_next_index_str(out, zend_string_copy(name));
        make_closure_of(out);
    }
}

static bool unpack_named(tusk_unpacker *self, uint8_t flags, zval *out)
{
    zval target;
    if ((flags & CLOSURE_THIS) != 0) {
        if (!tusk_unpack(self, &target)) {
            return false;
        }
    } else {
        zend_string *called = tusk_unpack_text(self);
        if (called == NULL) {
            return false;
        }
        ZVAL_STR(&target, called);
    }
    zend_string *scope = tusk_unpack_text(self);
    zend_string *name = scope == NULL ? NULL : tusk_unpack_text(self);
    if (name != NULL) {
        make_named(out, &target, class_of(scope), name);
        zend_string_release(name);
    }
    if (scope != NULL) {
        zend_string_release(scope);
    }
    zval_ptr_dtor(&target);
    return name != NULL && EG(exception) == NULL;
}

bool tusk_unpack_closure(tusk_unpacker *self, zval *out)
{
    tusk_declared wanted = {0};
    uint64_t first = 0;
    uint64_t last = 0;
    zval bound;
    if (self->at >= self->end) {
        return false;
    }
    uint8_t flags = *self->at++;
    if ((flags & CLOSURE_NAMED) != 0) {
        return unpack_named(self, flags, out);
    }
    ZVAL_UNDEF(&bound);
    wanted.file = tusk_unpack_text(self);
    bool ok = wanted.file != NULL && tusk_unpack_number(self, &first) &&
              tusk_unpack_number(self, &last) && tusk_unpack_number(self, &wanted.print.code) &&
              tusk_unpack_number(self, &wanted.print.names);
    wanted.first = (uint32_t)first;
    wanted.last = (uint32_t)last;
    zend_string *scope_name = ok ? tusk_unpack_text(self) : NULL;
    zend_string *called_name = scope_name != NULL ? tusk_unpack_text(self) : NULL;
    ok = called_name != NULL && ((flags & CLOSURE_THIS) == 0 || tusk_unpack(self, &bound));
    zend_class_entry *scope = ok ? class_of(scope_name) : NULL;
    zend_class_entry *called = ok ? class_of(called_name) : NULL;
    zend_op_array *code =
        ok && EG(exception) == NULL ? tusk_closure_find(&wanted, scope, &self->made) : NULL;
    if (code != NULL) {
        zend_create_closure(out, (zend_function *)code, scope, called,
                            TUSK_BOUND(Z_TYPE(bound) == IS_OBJECT ? Z_OBJ(bound) : NULL));
        ok = unpack_captured(self,
                             (zend_op_array *)(uintptr_t)zend_get_closure_method_def(Z_OBJ_P(out)));
    }
    zval_ptr_dtor(&bound);
    if (wanted.file != NULL) {
        zend_string_release(wanted.file);
    }
    if (scope_name != NULL) {
        zend_string_release(scope_name);
    }
    if (called_name != NULL) {
        zend_string_release(called_name);
    }
    return ok && code != NULL;
}
