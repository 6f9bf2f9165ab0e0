/* SPDX-License-Identifier: MIT */
/* A fresh template: PHP begun anew with the settings of this process, and what it is told. */
#include "src/parallel/parallel.h"

#include <SAPI.h>

enum { LINES_MAX = 120 };

/* ---- in the application ---- */
void tusk_fresh_forget(tusk_pool *self)
{
    for (uint32_t i = 0; self->argv != NULL && self->argv[i] != NULL; i++) {
        efree(self->argv[i]);
    }
    if (self->argv != NULL) {
        efree(self->argv);
    }
    self->argv = NULL;
    tusk_packer_fini(&self->payload);
    tusk_packer_init(&self->payload, NULL, 0);
}

static void add(tusk_pool *self, uint32_t *count, const char *text, size_t len)
{
    self->argv[(*count)++] = estrndup(text, len);
}

/* What the command line set stands in one text, a line each: as it was given by -d. */
static bool add_settings(tusk_pool *self, uint32_t *count)
{
    const char *line = sapi_module.ini_entries == NULL ? "" : sapi_module.ini_entries;
    for (uint32_t i = 0; *line != '\0'; i++) {
        size_t len = strcspn(line, "\n");
        if (i == LINES_MAX) {
            zend_throw_exception(tusk_ce_exception, "A fresh template takes at most 120 settings",
                                 0);
            return false;
        }
        if (len > 0) {
            add(self, count, "-d", 2);
            add(self, count, line, len);
        }
        line += len + (line[len] == '\n');
    }
    return true;
}

static bool make_arguments(tusk_pool *self)
{
    uint32_t count = 0;
    if (strcmp(sapi_module.name, "cli") != 0 || PG(php_binary) == NULL) {
        zend_throw_exception_ex(tusk_ce_exception, 0,
                                "Only the command-line PHP has fresh templates, this is %s",
                                sapi_module.name);
        return false;
    }
    self->argv = ecalloc(2 * LINES_MAX + 8, sizeof(*self->argv));
    add(self, &count, PG(php_binary), strlen(PG(php_binary)));
    if (sapi_module.php_ini_ignore) {
        add(self, &count, "-n", 2);
    }
    if (sapi_module.php_ini_path_override != NULL) {
        add(self, &count, "-c", 2);
        add(self, &count, sapi_module.php_ini_path_override,
            strlen(sapi_module.php_ini_path_override));
    }
    if (!add_settings(self, &count)) {
        return false;
    }
    add(self, &count, "-r", 2);
    add(self, &count, ZEND_STRL("Tusk\\Parallel\\Pool::template($argv[1]);"));
    add(self, &count, "--", 2);
    return true;
}

static bool pack_payload(tusk_pool *self)
{
    tusk_packer *out = &self->payload;
    pack_path path = {.root = "$bootstrap"};
    zend_string *name;
    bool ok = tusk_pack_text(out, self->memory) && tusk_pack_number(out, self->made.wall_ns) &&
              tusk_pack_number(out, self->made.clock_ns) &&
              tusk_pack_number(out, zend_hash_num_elements(self->allowed));
    ZEND_HASH_FOREACH_STR_KEY(self->allowed, name)
    {
        ok = ok && tusk_pack_text(out, name);
    }
    ZEND_HASH_FOREACH_END();
    ok = ok && tusk_pack(out, &self->bootstrap, &path) && tusk_pack_end(out);
    if (!ok && EG(exception) == NULL) {
        zend_throw_exception(tusk_ce_cannot_travel, out->fault == NULL ? "?" : ZSTR_VAL(out->fault),
                             0);
    }
    return ok;
}

bool tusk_fresh_prepare(tusk_pool *self)
{
    tusk_fresh_forget(self);
    if (!make_arguments(self) || !pack_payload(self)) {
        return false;
    }
    self->options.argv = (const char *const *)self->argv;
    self->options.payload = tusk_bytes_of(self->payload.ptr, self->payload.len);
    return true;
}

/* ---- in the template ---- */
static bool take(tusk_pool *self, tusk_unpacker *in)
{
    uint64_t count;
    self->memory = tusk_unpack_text(in);
    if (self->memory == NULL || !tusk_unpack_number(in, &self->made.wall_ns) ||
        !tusk_unpack_number(in, &self->made.clock_ns) || !tusk_unpack_number(in, &count)) {
        return false;
    }
    self->allowed = zend_new_array(16);
    for (; count > 0; count--) {
        zval value;
        zend_string *name = tusk_unpack_text(in);
        if (name == NULL) {
            return false;
        }
        ZVAL_STR(&value, name);
        zend_hash_update(self->allowed, name, &value);
    }
    in->made = self->made;
    return tusk_unpack(in, &self->bootstrap);
}

/* What is thrown here is told when the template prepares. */
void tusk_fresh_receive(tusk_bytes payload, void *user)
{
    tusk_unpacker in;
    tusk_unpacker_init(&in, payload);
    if (!take(user, &in) && EG(exception) == NULL) {
        zend_throw_exception(tusk_ce_cannot_travel, in.fault == NULL ? "?" : in.fault, 0);
    }
    tusk_unpacker_fini(&in);
}
