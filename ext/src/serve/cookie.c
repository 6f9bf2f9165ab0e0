/* SPDX-License-Identifier: MIT */
/* Http\Response::withCookie(): a Set-Cookie line (RFC 6265, 4.1), checked so that the browser keeps
 * what the application meant. */
#include "src/serve/response.h"

#include <Zend/zend_smart_str.h>
#include <strings.h>

/* Of name and value: browsers drop a longer one (RFC 6265bis, 5.7). */
enum { COOKIE_BYTES_MAX = 4096 };

typedef struct cookie {
    zend_string *name;
    zend_string *value;
    zend_string *path;
    zend_string *domain; /* NULL: this service alone */
    zend_long max_age;
    bool session; /* no max_age: gone with the browser */
    bool secure;
    bool http_only;
    zend_string *same_site;
} cookie;

/* What is no cookie-octet (RFC 6265, 4.1.1: blank, quote, comma, semicolon, backslash, control,
 * beyond ASCII) is percent-encoded, and so is "%" itself: Request::cookie() gives back what was put
 * in, whatever it is. */
static void append_encoded(smart_str *out, const zend_string *value)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < ZSTR_LEN(value); i++) {
        unsigned char c = (unsigned char)ZSTR_VAL(value)[i];
        if (c <= 0x20 || c >= 0x7f || memchr("\"%,;\\", c, 5) != NULL) {
            smart_str_appendc(out, '%');
            smart_str_appendc(out, digits[c >> 4]);
            smart_str_appendc(out, digits[c & 15]);
        } else {
            smart_str_appendc(out, (char)c);
        }
    }
}

static bool is_path(const zend_string *text)
{
    return ZSTR_LEN(text) > 0 && ZSTR_VAL(text)[0] == '/' &&
           tusk_http_value_valid(tusk_zstr(text)) &&
           memchr(ZSTR_VAL(text), ';', ZSTR_LEN(text)) == NULL;
}

static bool is_domain(const zend_string *text)
{
    for (size_t i = 0; i < ZSTR_LEN(text); i++) {
        unsigned char c = (unsigned char)ZSTR_VAL(text)[i];
        if (!isalnum(c) && c != '-' && c != '.') {
            return false;
        }
    }
    return ZSTR_LEN(text) > 0;
}

static bool same_site_is(const cookie *self, const char *name)
{
    return strcmp(ZSTR_VAL(self->same_site), name) == 0;
}

static bool check(const cookie *self)
{
    if (!tusk_http_name_valid(tusk_zstr(self->name))) {
        zend_argument_value_error(1, "must be a cookie name (a token), \"%s\" given",
                                  ZSTR_VAL(self->name));
    } else if (!is_path(self->path)) {
        zend_argument_value_error(4, "must begin with \"/\" and have no semicolon, \"%s\" given",
                                  ZSTR_VAL(self->path));
    } else if (self->domain != NULL && !is_domain(self->domain)) {
        zend_argument_value_error(5, "must be a host name, \"%s\" given", ZSTR_VAL(self->domain));
    } else if (!same_site_is(self, "Lax") && !same_site_is(self, "Strict") &&
               !same_site_is(self, "None")) {
        zend_argument_value_error(8, "must be \"Lax\", \"Strict\" or \"None\", \"%s\" given",
                                  ZSTR_VAL(self->same_site));
    } else if (same_site_is(self, "None") && !self->secure) {
        zend_argument_value_error(8,
                                  "must not be \"None\" without secure: browsers drop the cookie");
    } else {
        return true;
    }
    return false;
}

static bool begins(const cookie *self, const char *prefix)
{
    return strncasecmp(ZSTR_VAL(self->name), prefix, strlen(prefix)) == 0;
}

/* What a name promises, browsers hold it to, in any case of letters (RFC 6265bis, 4.1.3). */
static bool check_prefix(const cookie *self)
{
    bool host = begins(self, "__Host-");
    if ((host || begins(self, "__Secure-")) && !self->secure) {
        zend_argument_value_error(6, "must be true for a cookie \"%s\": browsers drop it without",
                                  ZSTR_VAL(self->name));
    } else if (host && !zend_string_equals_literal(self->path, "/")) {
        zend_argument_value_error(4, "must be \"/\" for a cookie \"%s\", \"%s\" given",
                                  ZSTR_VAL(self->name), ZSTR_VAL(self->path));
    } else if (host && self->domain != NULL) {
        zend_argument_value_error(5, "must be null for a cookie \"%s\": it is of one host",
                                  ZSTR_VAL(self->name));
    } else {
        return true;
    }
    return false;
}

/* NULL: too long, and an exception says so. */
static zend_string *line_of(const cookie *self)
{
    smart_str line = {0};
    smart_str_append(&line, self->name);
    smart_str_appendc(&line, '=');
    append_encoded(&line, self->value);
    if (ZSTR_LEN(line.s) > COOKIE_BYTES_MAX + 1) {
        zend_argument_value_error(2,
                                  "must have at most %d bytes, encoded and together with the "
                                  "name: browsers drop a longer cookie; %zu given",
                                  COOKIE_BYTES_MAX, ZSTR_LEN(line.s) - 1);
        smart_str_free(&line);
        return NULL;
    }
    if (!self->session) {
        smart_str_appends(&line, "; Max-Age=");
        smart_str_append_long(&line, self->max_age > 0 ? self->max_age : 0);
    }
    smart_str_appends(&line, "; Path=");
    smart_str_append(&line, self->path);
    if (self->domain != NULL) {
        smart_str_appends(&line, "; Domain=");
        smart_str_append(&line, self->domain);
    }
    smart_str_appends(&line, self->secure ? "; Secure" : "");
    smart_str_appends(&line, self->http_only ? "; HttpOnly" : "");
    smart_str_appends(&line, "; SameSite=");
    smart_str_append(&line, self->same_site);
    return smart_str_extract(&line);
}

TUSK_METHOD(Tusk_Http_Response, withCookie)
{
    cookie self = {.session = true, .http_only = true};

    ZEND_PARSE_PARAMETERS_START(2, 8)
    Z_PARAM_STR(self.name)
    Z_PARAM_PATH_STR(self.value) /* no NUL, which no decoder of ours gives back */
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG_OR_NULL(self.max_age, self.session)
    Z_PARAM_STR(self.path)
    Z_PARAM_STR_OR_NULL(self.domain)
    Z_PARAM_BOOL(self.secure)
    Z_PARAM_BOOL(self.http_only)
    Z_PARAM_STR(self.same_site)
    ZEND_PARSE_PARAMETERS_END();

    zend_string *root = zend_string_init("/", 1, 0);
    zend_string *lax = zend_string_init("Lax", 3, 0);
    self.path = self.path == NULL ? root : self.path;
    self.same_site = self.same_site == NULL ? lax : self.same_site;
    zend_string *line = check(&self) && check_prefix(&self) ? line_of(&self) : NULL;
    if (line != NULL) {
        zend_string *name = zend_string_init("Set-Cookie", 10, 0);
        RETVAL_OBJ(tusk_response_with_field(Z_OBJ_P(ZEND_THIS), name, line, true));
        zend_string_release(line);
        zend_string_release(name);
    }
    zend_string_release(lax);
    zend_string_release(root);
}
