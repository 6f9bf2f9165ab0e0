/* SPDX-License-Identifier: MIT */
/* memory: of a pool, which is the memory_limit of its workers as far as this PHP lets it be. */
#include "src/parallel/parallel.h"

zend_long tusk_memory_bytes(const zend_string *text)
{
    const char *at = ZSTR_VAL(text);
    size_t len = ZSTR_LEN(text);
    uint64_t unit = 1;
    if (zend_string_equals_literal(text, "-1")) {
        return -1;
    }
    if (len > 1 && strchr("KkMmGg", at[len - 1]) != NULL) {
        len--;
        unit = UINT64_C(1) << (at[len] == 'K' || at[len] == 'k'   ? 10
                               : at[len] == 'M' || at[len] == 'm' ? 20
                                                                  : 30);
    }
    if (len == 0 || len > 18 || at[0] == '0' || strspn(at, "0123456789") != len) {
        return 0;
    }
    uint64_t number = strtoull(at, NULL, 10);
    return number > ZEND_LONG_MAX / unit ? 0 : (zend_long)(number * unit);
}

/* php_admin_value of PHP-FPM and Apache, or a section of php.ini: no script may change it. */
static bool is_fixed(zend_string *name)
{
    const zend_ini_entry *entry = zend_hash_find_ptr(EG(ini_directives), name);
    return entry != NULL && (entry->modifiable & PHP_INI_USER) == 0;
}

/* Whoever fixed a limit, or bounded those that scripts may set, meant workers as well. */
static zend_long most_allowed(bool fixed)
{
    zend_long most = tusk_memory_limit_most();
    return fixed && PG(memory_limit) > 0 && (most <= 0 || PG(memory_limit) < most)
               ? PG(memory_limit)
               : most;
}

bool tusk_memory_set_limit(zend_string *memory)
{
    zend_string *name = zend_string_init(ZEND_STRL("memory_limit"), 0);
    bool fixed = is_fixed(name);
    zend_long most = most_allowed(fixed);
    zend_long wanted = tusk_memory_bytes(memory);
    bool beyond = most > 0 && (wanted < 0 || wanted > most);
    zend_string *text = beyond ? zend_long_to_str(most) : zend_string_copy(memory);
    zend_result set = zend_alter_ini_entry(name, text, fixed ? PHP_INI_SYSTEM : PHP_INI_USER,
                                           PHP_INI_STAGE_RUNTIME);
    zend_string_release(text);
    zend_string_release(name);
    return set == SUCCESS;
}
