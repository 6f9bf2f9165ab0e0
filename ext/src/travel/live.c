/* SPDX-License-Identifier: MIT */
/* What is live: resources and connections, which a fork would share and serialize() would silently
 * turn into something else. */
#include "src/travel/travel.h"

#include <Zend/zend_closures.h>

static const char *const live_classes[] = {"PDO",
                                           "PDOStatement",
                                           "mysqli",
                                           "mysqli_stmt",
                                           "mysqli_result",
                                           "Redis",
                                           "RedisCluster",
                                           "Memcached",
                                           "PgSql\\Connection",
                                           "PgSql\\Result",
                                           "CurlHandle",
                                           "CurlMultiHandle",
                                           "Socket",
                                           "AddressInfo",
                                           "FTP\\Connection",
                                           "SQLite3",
                                           "SplFileObject",
                                           "LDAP\\Connection",
                                           "IMAP\\Connection",
                                           "Tusk\\Server",
                                           "Tusk\\WebSocket\\Connection",
                                           "Tusk\\WebSocket\\Client",
                                           "Tusk\\Sse\\Client",
                                           "Tusk\\Sse\\EventStream"};

static bool is_live(const zend_class_entry *ce)
{
    for (; ce != NULL; ce = ce->parent) {
        for (size_t i = 0; i < sizeof(live_classes) / sizeof(live_classes[0]); i++) {
            if (strcasecmp(ZSTR_VAL(ce->name), live_classes[i]) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Objects that say themselves what of them is serialized are believed, where that is meant. */
typedef struct search {
    bool serializing;
} search;

static zend_string *live_in(const search *self, zval *value, const char *path, uint32_t depth);

static zend_string *live_below(const search *self, HashTable *items, const char *path,
                               uint32_t depth)
{
    zend_string *found = NULL;
    zend_string *key;
    zend_ulong index;
    zval *item;
    ZEND_HASH_FOREACH_KEY_VAL_IND(items, index, key, item)
    {
        const char *name = key == NULL ? NULL : ZSTR_VAL(key);
        const char *of;
        if (name != NULL && name[0] == '\0') {
            (void)zend_unmangle_property_name(key, &of, &name);
        }
        zend_string *inner =
            name == NULL ? zend_strpprintf(0, "%s[" ZEND_LONG_FMT "]", path, (zend_long)index)
                         : zend_strpprintf(0, "%s['%s']", path, name);
        found = live_in(self, item, ZSTR_VAL(inner), depth + 1);
        zend_string_release(inner);
        if (found != NULL) {
            return found;
        }
    }
    ZEND_HASH_FOREACH_END();
    return found;
}

static zend_string *live_in_closure(const search *self, zend_object *closure, const char *path,
                                    uint32_t depth)
{
    zend_class_entry *called;
    zend_object *bound;
    const zend_function *function = tusk_closure_parts(closure, &called, &bound);
    HashTable *captured = ZEND_USER_CODE(function->type)
                              ? ZEND_MAP_PTR_GET(function->op_array.static_variables_ptr)
                              : NULL;
    zend_string *found = captured == NULL ? NULL : live_below(self, captured, path, depth);
    if (found == NULL && bound != NULL &&
        (function->common.fn_flags & (ZEND_ACC_USES_THIS | ZEND_ACC_FAKE_CLOSURE)) != 0) {
        zval object;
        ZVAL_OBJ(&object, bound);
        found = live_in(self, &object, "$this", depth + 1);
    }
    return found;
}

static bool serializes_itself(const zend_class_entry *ce)
{
    return ce->__serialize != NULL || ce->serialize != NULL ||
           zend_hash_str_exists(&ce->function_table, ZEND_STRL("__sleep"));
}

static zend_string *live_in_object(const search *self, zval *value, const char *path,
                                   uint32_t depth)
{
    const zend_class_entry *ce = Z_OBJCE_P(value);
    if (is_live(ce)) {
        return zend_strpprintf(0, "%s: live object of %s" TRAVEL_OPEN, path, ZSTR_VAL(ce->name));
    }
    if (self->serializing && (ce == zend_ce_closure || serializes_itself(ce))) {
        return NULL;
    }
    return ce == zend_ce_closure ? live_in_closure(self, Z_OBJ_P(value), path, depth)
                                 : live_below(self, Z_OBJPROP_P(value), path, depth);
}

static zend_string *live_in(const search *self, zval *value, const char *path, uint32_t depth)
{
    ZVAL_DEREF(value);
    if (Z_TYPE_P(value) == IS_RESOURCE) {
        const char *type = zend_rsrc_list_get_rsrc_type(Z_RES_P(value));
        return zend_strpprintf(0, "%s: resource (%s)" TRAVEL_OPEN, path,
                               type == NULL ? "closed" : type);
    }
    if (depth > PACK_DEPTH || (Z_TYPE_P(value) != IS_ARRAY && Z_TYPE_P(value) != IS_OBJECT) ||
        Z_IS_RECURSIVE_P(value)) {
        return NULL;
    }
    tusk_walk_enter(value);
    zend_string *found = Z_TYPE_P(value) == IS_ARRAY
                             ? live_below(self, Z_ARRVAL_P(value), path, depth)
                             : live_in_object(self, value, path, depth);
    tusk_walk_leave(value);
    return found;
}

zend_string *tusk_find_live(zend_object *closure)
{
    const search self = {.serializing = false};
    return live_in_closure(&self, closure, "$closure", 0);
}

zend_string *tusk_find_live_serialized(const zval *value, const char *path)
{
    const search self = {.serializing = true};
    return live_in(&self, (zval *)(uintptr_t)value, path, 0);
}
