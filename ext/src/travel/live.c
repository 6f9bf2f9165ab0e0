/* SPDX-License-Identifier: MIT */
/* What is live: resources and connections, which a fork would share and serialize() would silently
 * turn into something else. */
#include "src/travel/live.h"

#include "src/travel/path.h"

#include <Zend/zend_closures.h>

static const char *const live_classes[] = {"PDO",
                                           "PDOStatement",
                                           "mysqli",
                                           "mysqli_stmt",
                                           "mysqli_result",
                                           "Redis",
                                           "RedisArray",
                                           "RedisCluster",
                                           "RedisSentinel",
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

bool tusk_live_is(const zend_class_entry *ce)
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

/* Objects that say themselves what of them is serialized are believed; containers of SPL say all
 * that they hold. */
bool tusk_live_writes_itself(const zend_class_entry *ce)
{
    bool own = ce->__serialize != NULL &&
               !(ce->__serialize->type == ZEND_INTERNAL_FUNCTION && tusk_walk_holds(ce));
    return own || (ce->serialize != NULL && ce->__serialize == NULL) ||
           zend_hash_str_exists(&ce->function_table, ZEND_STRL("__sleep"));
}

tusk_walk_verdict tusk_live_serialized(tusk_walk *self, const zval *value)
{
    const zend_class_entry *ce = Z_TYPE_P(value) == IS_OBJECT ? Z_OBJCE_P(value) : NULL;
    if (ce == NULL || (ce != self->passed && tusk_live_is(ce))) {
        return WALK_FOUND;
    }
    if (ce != self->passed && (ce == zend_ce_closure || tusk_live_writes_itself(ce))) {
        return WALK_PAST;
    }
    if (ce != self->passed && tusk_walk_hides(Z_OBJ_P(value))) {
        return WALK_FOUND;
    }
    self->passed = ce;
    return WALK_INTO;
}

static tusk_walk_verdict live_at_all(tusk_walk *self, const zval *value)
{
    const zend_class_entry *ce = Z_TYPE_P(value) == IS_OBJECT ? Z_OBJCE_P(value) : NULL;
    if (ce == NULL || (ce != self->passed && tusk_live_is(ce))) {
        return WALK_FOUND;
    }
    self->passed = ce;
    return WALK_INTO;
}

zend_string *tusk_live_text(const tusk_walk *walk, const char *root)
{
    const zval *found = tusk_walk_found(walk);
    smart_str text = {0};
    tusk_walk_path(walk, root, &text);
    tusk_path_shorten(&text);
    if (Z_TYPE_P(found) == IS_RESOURCE) {
        const char *type = zend_rsrc_list_get_rsrc_type(Z_RES_P(found));
        smart_str_append_printf(&text, ": resource (%s)" TRAVEL_OPEN,
                                type == NULL ? "closed" : type);
    } else {
        smart_str_append_printf(&text, ": live object of %s" TRAVEL_OPEN,
                                ZSTR_VAL(Z_OBJCE_P(found)->name));
    }
    smart_str_0(&text);
    return text.s;
}

zend_string *tusk_find_live(const zval *value, const char *root)
{
    tusk_walk walk;
    tusk_walk_init(&walk, live_at_all);
    zend_string *text = tusk_walk_find(&walk, value) ? tusk_live_text(&walk, root) : NULL;
    tusk_walk_fini(&walk);
    return text;
}

static tusk_walk_verdict refers(tusk_walk *self, const zval *value)
{
    (void)self;
    if (Z_TYPE_P(value) != IS_OBJECT || Z_OBJCE_P(value) != zend_ce_closure) {
        return WALK_PAST;
    }
    return tusk_closure_refers(Z_OBJ_P(value)) != NULL ? WALK_FOUND : WALK_INTO;
}

zend_string *tusk_find_referring(const zval *value, const char *root)
{
    tusk_walk walk;
    smart_str text = {0};
    tusk_walk_init(&walk, refers);
    if (tusk_walk_find(&walk, value)) {
        tusk_walk_path(&walk, root, &text);
        tusk_path_shorten(&text);
        smart_str_append_printf(&text, ": " TRAVEL_REFERS,
                                ZSTR_VAL(tusk_closure_refers(Z_OBJ_P(tusk_walk_found(&walk)))));
        smart_str_0(&text);
    }
    tusk_walk_fini(&walk);
    return text.s;
}
