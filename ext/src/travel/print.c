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
    case ZEND_CHECK_FUNC_ARG: return 0;
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

static uint64_t mix_literal(uint64_t print, const zval *literal)
{
    if (Z_TYPE_P(literal) == IS_STRING) {
        return mix(print, Z_STRVAL_P(literal), Z_STRLEN_P(literal) + 1);
    }
    if (Z_TYPE_P(literal) == IS_LONG || Z_TYPE_P(literal) == IS_DOUBLE) {
        return mix(print, &literal->value, sizeof(literal->value));
    }
    return print;
}

static uint64_t mix_opcode(uint64_t print, const zend_op *op)
{
    uint8_t kind = kind_of(op->opcode);
    if (kind == 0) {
        return print;
    }
    print = mix(mix(print, &kind, 1), &op->lineno, sizeof(op->lineno));
    if (op->op1_type == IS_CONST) {
        print = mix_literal(print, RT_CONSTANT(op, op->op1));
    }
    if (op->op2_type == IS_CONST && kind != ZEND_SEND_VAL) {
        const zval *literal = RT_CONSTANT(op, op->op2);
        print = mix_literal(print, op->opcode == ZEND_INIT_FCALL_BY_NAME ? literal + 1 : literal);
    }
    return print;
}

uint64_t tusk_fingerprint(const zend_op_array *code)
{
    uint64_t print = UINT64_C(14695981039346656037);
    print = mix(print, &code->num_args, sizeof(code->num_args));
    for (int i = 0; i < code->last_var; i++) {
        print = mix(print, ZSTR_VAL(code->vars[i]), ZSTR_LEN(code->vars[i]) + 1);
    }
    for (uint32_t i = 0; i < code->last; i++) {
        print = mix_opcode(print, &code->opcodes[i]);
    }
    return print;
}
