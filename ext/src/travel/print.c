/* SPDX-License-Identifier: MIT */
/* A number that tells two pieces of code on the same lines apart, and an edited one from what it
 * was. */
#include "src/travel/travel.h"

static uint64_t mix(uint64_t print, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < len; i++) {
        print = (print ^ at[i]) * UINT64_C(1099511628211);
    }
    return print;
}

/* The same source compiles otherwise where a function that it calls is known already: what comes of
 * that alone is one kind. 0: passed over. */
static uint8_t kind_of(uint8_t opcode)
{
    switch (opcode) {
    case ZEND_CHECK_FUNC_ARG:
    case ZEND_CHECK_UNDEF_ARGS: return 0;
    case ZEND_INIT_FCALL_BY_NAME: return ZEND_INIT_FCALL;
    case ZEND_DO_ICALL:
    case ZEND_DO_UCALL:
    case ZEND_DO_FCALL_BY_NAME: return ZEND_DO_FCALL;
    case ZEND_SEND_VAL_EX:
    case ZEND_SEND_VAR:
    case ZEND_SEND_VAR_EX:
    case ZEND_SEND_REF:
    case ZEND_SEND_FUNC_ARG:
    case ZEND_SEND_VAR_NO_REF:
    case ZEND_SEND_VAR_NO_REF_EX: return ZEND_SEND_VAL;
    case ZEND_FETCH_W:
    case ZEND_FETCH_FUNC_ARG: return ZEND_FETCH_R;
    case ZEND_FETCH_DIM_W:
    case ZEND_FETCH_DIM_FUNC_ARG: return ZEND_FETCH_DIM_R;
    case ZEND_FETCH_OBJ_W:
    case ZEND_FETCH_OBJ_FUNC_ARG: return ZEND_FETCH_OBJ_R;
    case ZEND_FETCH_STATIC_PROP_W:
    case ZEND_FETCH_STATIC_PROP_FUNC_ARG: return ZEND_FETCH_STATIC_PROP_R;
    default: return opcode;
    }
}

static inline uint64_t mix_number(uint64_t print, uint64_t number)
{
    print = (print ^ number) * UINT64_C(0x9E3779B97F4A7C15);
    return print ^ print >> 32;
}

/* ---- literals ---- */
static uint64_t mix_literal(uint64_t print, const zval *literal);

static uint64_t mix_expression(uint64_t print, zend_ast *ast)
{
    if (ast == NULL) {
        return mix_number(print, 0);
    }
    print = mix_number(print, (uint64_t)ast->kind << 16 | ast->attr);
    if (ast->kind == ZEND_AST_ZVAL) {
        return mix_literal(print, zend_ast_get_zval(ast));
    }
    if (ast->kind == ZEND_AST_CONSTANT) {
        const zend_string *name = zend_ast_get_constant_name(ast);
        return mix(print, ZSTR_VAL(name), ZSTR_LEN(name) + 1);
    }
    bool list = zend_ast_is_list(ast);
    uint32_t count = list ? zend_ast_get_list(ast)->children : zend_ast_get_num_children(ast);
    zend_ast **children = list ? zend_ast_get_list(ast)->child : ast->child;
    for (uint32_t i = 0; i < count; i++) {
        print = mix_expression(print, children[i]);
    }
    return print;
}

static uint64_t mix_keys(uint64_t print, HashTable *array, bool values)
{
    zend_ulong index;
    zend_string *key;
    zval *value;
    print = mix_number(print, zend_hash_num_elements(array));
    ZEND_HASH_FOREACH_KEY_VAL(array, index, key, value)
    {
        print = key == NULL ? mix_number(print, index)
                            : mix(mix_number(print, 1), ZSTR_VAL(key), ZSTR_LEN(key) + 1);
        print = values ? mix_literal(print, value) : print;
    }
    ZEND_HASH_FOREACH_END();
    return print;
}

static uint64_t mix_literal(uint64_t print, const zval *literal)
{
    print = mix_number(print, Z_TYPE_P(literal));
    switch (Z_TYPE_P(literal)) {
    case IS_LONG: return mix_number(print, (uint64_t)Z_LVAL_P(literal));
    case IS_DOUBLE: return mix(print, &Z_DVAL_P(literal), sizeof(Z_DVAL_P(literal)));
    case IS_STRING: return mix(print, Z_STRVAL_P(literal), Z_STRLEN_P(literal) + 1);
    case IS_ARRAY: return mix_keys(print, Z_ARRVAL_P(literal), true);
    case IS_CONSTANT_AST: return mix_expression(print, Z_ASTVAL_P(literal));
    default: return print;
    }
}

/* ---- opcodes ---- */
/* What stands beside the operands and is the source's: which operator, which type, self or static.
 * What else may stand there are places in caches and the like. */
static uint64_t detail_of(const zend_op *op, uint8_t kind)
{
    switch (kind) {
    case ZEND_CAST:
    case ZEND_TYPE_CHECK:
    case ZEND_INCLUDE_OR_EVAL: return op->extended_value;
    case ZEND_ASSIGN_OP:
    case ZEND_ASSIGN_DIM_OP:
    case ZEND_ASSIGN_OBJ_OP:
    case ZEND_ASSIGN_STATIC_PROP_OP: return op->extended_value & 0xff;
    case ZEND_ISSET_ISEMPTY_CV:
    case ZEND_ISSET_ISEMPTY_VAR:
    case ZEND_ISSET_ISEMPTY_DIM_OBJ:
    case ZEND_ISSET_ISEMPTY_PROP_OBJ:
    case ZEND_ISSET_ISEMPTY_STATIC_PROP:
    case ZEND_INIT_ARRAY:
    case ZEND_ADD_ARRAY_ELEMENT:
    case ZEND_BIND_LEXICAL:
    case ZEND_BIND_STATIC: return op->extended_value & 1;
    case ZEND_FETCH_CLASS_NAME:
    case ZEND_NEW:
    case ZEND_INIT_STATIC_METHOD_CALL:
    case ZEND_FETCH_CLASS_CONSTANT: return op->op1_type == IS_UNUSED ? op->op1.num : 0;
    case ZEND_FETCH_CLASS:
    case ZEND_FETCH_STATIC_PROP_R:
    case ZEND_ASSIGN_STATIC_PROP:
    case ZEND_ASSIGN_STATIC_PROP_REF:
    case ZEND_PRE_INC_STATIC_PROP:
    case ZEND_POST_INC_STATIC_PROP:
    case ZEND_PRE_DEC_STATIC_PROP:
    case ZEND_POST_DEC_STATIC_PROP: return op->op2_type == IS_UNUSED ? op->op2.num : 0;
    default: return 0;
    }
}

/* Which variable; what comes from an operation before it has a place that may be another one. */
static uint32_t operand_of(uint8_t type, znode_op operand)
{
    return type == IS_CV ? EX_VAR_TO_NUM(operand.var) + 2 : type != IS_UNUSED;
}

static uint64_t mix_opcode(uint64_t print, const zend_op *op)
{
    uint8_t kind = kind_of(op->opcode);
    if (kind == 0) {
        return print;
    }
    bool sends = kind == ZEND_SEND_VAL; /* by name or by number: which one is the compiler's */
    print = mix_number(print, (uint64_t)op->lineno << 32 | kind);
    print = mix_number(print, (uint64_t)operand_of(op->op1_type, op->op1) << 32 |
                                  (sends ? 0 : operand_of(op->op2_type, op->op2)));
    uint64_t detail = detail_of(op, kind);
    if (detail != 0) {
        print = mix_number(print, detail);
    }
    if (op->op1_type == IS_CONST) {
        print = mix_literal(print, RT_CONSTANT(op, op->op1));
    }
    if (op->op2_type != IS_CONST || sends) {
        return print;
    }
    const zval *literal = RT_CONSTANT(op, op->op2);
    if (kind == ZEND_MATCH || kind == ZEND_SWITCH_LONG || kind == ZEND_SWITCH_STRING) {
        return mix_keys(print, Z_ARRVAL_P(literal), false); /* the values are places of opcodes */
    }
    return mix_literal(print, op->opcode == ZEND_INIT_FCALL_BY_NAME ? literal + 1 : literal);
}

/* ---- what is declared ---- */
static uint64_t mix_type(uint64_t print, const zend_type *type)
{
    print = mix_number(print, ZEND_TYPE_PURE_MASK(*type));
    if (ZEND_TYPE_HAS_NAME(*type)) {
        const zend_string *name = ZEND_TYPE_NAME(*type);
        return mix(print, ZSTR_VAL(name), ZSTR_LEN(name) + 1);
    }
    if (ZEND_TYPE_HAS_LIST(*type)) {
        const zend_type *inner;
        ZEND_TYPE_LIST_FOREACH(ZEND_TYPE_LIST(*type), inner)
        {
            print = mix_type(print, inner);
        }
        ZEND_TYPE_LIST_FOREACH_END();
    }
    return print;
}

static uint64_t mix_declared(uint64_t print, const zend_op_array *code)
{
    const uint32_t flags = ZEND_ACC_STATIC | ZEND_ACC_RETURN_REFERENCE | ZEND_ACC_GENERATOR |
                           ZEND_ACC_VARIADIC | ZEND_ACC_STRICT_TYPES | ZEND_ACC_HAS_RETURN_TYPE;
    print = mix_number(print, (uint64_t)(code->fn_flags & flags) << 32 | code->num_args);
    uint32_t count = code->num_args + ((code->fn_flags & ZEND_ACC_VARIADIC) != 0);
    bool returns = (code->fn_flags & ZEND_ACC_HAS_RETURN_TYPE) != 0;
    for (uint32_t i = returns ? 0 : 1; i < count + 1 && code->arg_info != NULL; i++) {
        const zend_arg_info *info = code->arg_info + i - 1; /* what it returns stands before them */
        print = mix_type(mix_number(print, ZEND_ARG_SEND_MODE(info)), &info->type);
    }
    return print;
}

/* The name by which an argument is given, where it is one. */
static const zval *name_of(const zend_op *op)
{
    return kind_of(op->opcode) == ZEND_SEND_VAL && op->op2_type == IS_CONST
               ? RT_CONSTANT(op, op->op2)
               : NULL;
}

tusk_print tusk_fingerprint(const zend_op_array *code)
{
    tusk_print print = {.code = mix_declared(UINT64_C(14695981039346656037), code)};
    for (int i = 0; i < code->last_var; i++) {
        print.code = mix(print.code, ZSTR_VAL(code->vars[i]), ZSTR_LEN(code->vars[i]) + 1);
    }
    for (uint32_t i = 0; i < code->last; i++) {
        const zval *name = name_of(&code->opcodes[i]);
        print.code = mix_opcode(print.code, &code->opcodes[i]);
        print.names = name == NULL ? print.names : mix_literal(mix_number(print.names, i), name);
    }
    for (uint32_t i = 0; i < code->num_dynamic_func_defs; i++) {
        tusk_print inner = tusk_fingerprint(code->dynamic_func_defs[i]);
        print.code = mix_number(print.code, inner.code);
        print.names = mix_number(print.names, inner.names);
    }
    return print;
}
