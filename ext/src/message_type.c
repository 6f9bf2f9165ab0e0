/* SPDX-License-Identifier: MIT */
/* Enum cases as the rest of the extension wants them: by number, and looked up once a request. */
#include "php_tusk.h"

static const char *const message_names[CASE_COUNT] = {"Continuation", "Text", "Binary",
                                                      "Ping",         "Pong", "Close"};
static const uint8_t message_opcodes[CASE_COUNT] = {
    TUSK_WS_CONTINUATION, TUSK_WS_TEXT, TUSK_WS_BINARY, TUSK_WS_PING, TUSK_WS_PONG, TUSK_WS_CLOSE};
static const char *const overflow_names[OVERFLOW_CASES] = {"Close", "DropOldest", "DropNewest",
                                                           "Conflate"};

static zend_object *case_at(unsigned index)
{
    zend_object *found = TUSK_G(message_cases)[index];
    if (UNEXPECTED(found == NULL)) {
        found = zend_enum_get_case_cstr(tusk_ce_message_type, message_names[index]);
        TUSK_G(message_cases)[index] = found;
    }
    return found;
}

zend_object *tusk_opcode_case_any(unsigned opcode)
{
    switch (opcode) {
    case TUSK_WS_TEXT: return case_at(CASE_TEXT);
    case TUSK_WS_BINARY: return case_at(CASE_BINARY);
    case TUSK_WS_CLOSE: return case_at(CASE_CLOSE);
    case TUSK_WS_PING: return case_at(CASE_PING);
    case TUSK_WS_PONG: return case_at(CASE_PONG);
    default: return case_at(CASE_CONTINUATION);
    }
}

unsigned tusk_case_opcode_any(zend_object *message_case)
{
    for (unsigned i = 0; i < CASE_COUNT; i++) {
        if (message_case == case_at(i)) {
            return message_opcodes[i];
        }
    }
    return TUSK_WS_CONTINUATION;
}

unsigned tusk_overflow_index(zend_object *overflow_case)
{
    for (unsigned i = 0; i < OVERFLOW_CASES; i++) {
        if (TUSK_G(overflow_cases)[i] == NULL) {
            TUSK_G(overflow_cases)
            [i] = zend_enum_get_case_cstr(tusk_ce_overflow, overflow_names[i]);
        }
        if (TUSK_G(overflow_cases)[i] == overflow_case) {
            return i;
        }
    }
    return 0;
}
