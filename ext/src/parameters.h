/* SPDX-License-Identifier: MIT */
/* Parameters that several methods take: parsed alike, refused in the same words. */
#ifndef TUSK_EXT_PARAMETERS_H
#define TUSK_EXT_PARAMETERS_H

#include "php_tusk.h"

/* ---- seconds ---- */
/* To wait: between 0 and 1e9. False: a ValueError of that argument. */
bool tusk_seconds_valid(double seconds, uint32_t number);
/* Of a client's request or handshake: between 0.001 and 1e6. False: the same. */
bool tusk_timeout_valid(double seconds, uint32_t number);
/* Rounded up: nobody waits for less than was asked for. */
uint64_t tusk_seconds_in_ms(double seconds);
/* From now until then on tusk_loop_clock_ns(), rounded up; 0: it is past. */
uint64_t tusk_ms_until(uint64_t until_ns);
/* ?float $timeout = null in milliseconds; -1 where `none` was given: for ever. False: a ValueError
 * of that argument. */
bool tusk_wait_valid(double seconds, bool none, uint32_t number, int64_t *ms);
/* receive(?float $timeout = null) in milliseconds; -1: for ever. False: an exception was thrown. */
bool tusk_receive_parameters(INTERNAL_FUNCTION_PARAMETERS, int64_t *ms);

/* ---- numbers ---- */
bool tusk_positive_valid(zend_long value, uint32_t number);

/* ---- messages ---- */
/* send(string $data, MessageType $type = MessageType::Text). False: an exception was thrown. */
static zend_always_inline bool tusk_send_parameters(INTERNAL_FUNCTION_PARAMETERS,
                                                    zend_string **data, unsigned *opcode)
{
    zend_object *type = NULL;

    ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_STR(*data)
    Z_PARAM_OPTIONAL
    Z_PARAM_OBJ_OF_CLASS(type, tusk_ce_message_type)
    ZEND_PARSE_PARAMETERS_END_EX(return false);

    *opcode = type == NULL ? TUSK_WS_TEXT : tusk_case_opcode(type);
    return true;
}
/* ping(string $payload = ""). NULL: an exception was thrown. */
zend_string *tusk_ping_parameter(INTERNAL_FUNCTION_PARAMETERS);

/* ---- closing ---- */
/* Of a Close frame; the reason is the argument after the code. False: a ValueError of either. */
bool tusk_close_valid(uint32_t code_number, zend_long code, zend_string *reason);
/* close(int $code = 1000, string $reason = ''), checked. False: an exception was thrown. */
bool tusk_close_parameters(INTERNAL_FUNCTION_PARAMETERS, uint16_t *code, zend_string **reason);

/* ---- addresses ---- */
/* Where a server or proxy listens: a string, or an array of what is looked at later. False: a
 * TypeError of that argument. */
bool tusk_addresses_valid(const zval *given, uint32_t number);
/* $proxyProtocol, the argument `number`, `trusts`: somebody is among $trustedProxies, whose headers
 * are believed. False: it would ask nobody, and an exception was thrown. */
bool tusk_may_demand_header(bool demanded, bool trusts, uint32_t number);
/* The object after an address, where others have the port. False: a TypeError, which tells of it.
 */
bool tusk_after_address(zval *given, zend_object **object, const zend_class_entry *ce, bool or_null,
                        uint32_t number);
#define Z_PARAM_AFTER_ADDRESS_OR_NULL(object, ce)                                                  \
    Z_PARAM_PROLOGUE(0, 0);                                                                        \
    if (UNEXPECTED(!tusk_after_address(_arg, &object, ce, true, (uint32_t)_i))) {                  \
        _error_code = ZPP_ERROR_FAILURE;                                                           \
        break;                                                                                     \
    }

/* ---- numbers of processes ---- */
/* The word in place of a number: "auto", one for each processor that this process has, `max` at
 * most. False: a ValueError of that argument. */
bool tusk_automatic_count(const zend_string *text, uint32_t number, zend_long max, zend_long *out);

/* ---- lists ---- */
/* Texts of a list, borrowed from it, without NUL inside; the array is the caller's (efree), also of
 * no list (NULL). NULL: a TypeError of that argument was thrown. */
tusk_bytes *tusk_string_list(HashTable *list, uint32_t number, size_t *count);
/* The same, as C has them. */
const char **tusk_c_string_list(HashTable *list, uint32_t number, size_t *count);
/* The same of tokens, each of them once: names of subprotocols (RFC 6455, 4.1). NULL: a TypeError
 * or ValueError. */
tusk_bytes *tusk_token_list(HashTable *list, uint32_t number, size_t *count);

#endif
