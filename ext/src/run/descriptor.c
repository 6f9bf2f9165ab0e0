/* SPDX-License-Identifier: MIT */
/* What a stream, a Socket or a number stands for. */
#include "src/run/descriptor.h"

#include <fcntl.h>
#include <main/php_network.h>

static php_stream *stream_of(zval *value)
{
    zval exported;
    zval name;
    php_stream *stream = NULL;
    if (Z_TYPE_P(value) == IS_RESOURCE) {
        php_stream_from_zval_no_verify(stream, value);
        return stream; /* NULL: a TypeError was thrown */
    }
    ZVAL_STRING(&name, "socket_export_stream");
    ZVAL_UNDEF(&exported);
    (void)call_user_function(NULL, NULL, &name, &exported, 1, value);
    zval_ptr_dtor(&name);
    if (Z_TYPE(exported) == IS_RESOURCE) {
        php_stream_from_zval_no_verify(stream, &exported);
    } else if (EG(exception) == NULL) {
        zend_argument_value_error(1, "must be an open socket");
    }
    zval_ptr_dtor(&exported); /* the socket holds it as well */
    return stream;
}

/* What TLS has read and not given yet is put into the stream's own buffer by that. */
static bool cast(php_stream *stream, int *fd)
{
    php_socket_t socket;
    bool done = php_stream_cast(stream, PHP_STREAM_AS_FD_FOR_SELECT | PHP_STREAM_CAST_INTERNAL,
                                (void *)&socket, 0) == SUCCESS &&
                socket >= 0;
    *fd = done ? socket : -1;
    return done;
}

static bool take_stream(tusk_descriptor *self, zval *value)
{
    php_stream *stream = stream_of(value);
    if (stream == NULL) {
        return false;
    }
    if (!cast(stream, &self->fd)) {
        zend_argument_value_error(1, "has no descriptor that could be waited for");
        return false;
    }
    self->stream = stream->res;
    GC_ADDREF(self->stream);
    return true;
}

static bool take_number(tusk_descriptor *self, const zval *value)
{
    if (Z_TYPE_P(value) != IS_LONG) {
        zend_argument_type_error(1, "must be a stream, a Socket or a descriptor's number, %s given",
                                 zend_zval_type_name(value));
        return false;
    }
    if (Z_LVAL_P(value) < 0 || Z_LVAL_P(value) > INT32_MAX ||
        fcntl((int)Z_LVAL_P(value), F_GETFD) < 0) {
        zend_argument_value_error(1, "must be an open descriptor");
        return false;
    }
    self->fd = (int)Z_LVAL_P(value);
    return true;
}

bool tusk_descriptor_take(tusk_descriptor *self, zval *value)
{
    memset(self, 0, sizeof(*self));
    ZVAL_DEREF(value);
    bool of_php = Z_TYPE_P(value) == IS_RESOURCE ||
                  (Z_TYPE_P(value) == IS_OBJECT &&
                   zend_string_equals_literal(Z_OBJCE_P(value)->name, "Socket"));
    if (!(of_php ? take_stream(self, value) : take_number(self, value))) {
        return false;
    }
    (void)fstat(self->fd, &self->identity); /* all zero where it fails: nothing that is known */
    return true;
}

void tusk_descriptor_fini(tusk_descriptor *self)
{
    if (self->stream != NULL) {
        zend_resource *stream = self->stream;
        self->stream = NULL;
        zend_list_delete(stream);
    }
}

bool tusk_descriptor_closed(const tusk_descriptor *self)
{
    struct stat now;
    if (self->stream != NULL) {
        return self->stream->type < 0 || self->stream->ptr == NULL;
    }
    return fstat(self->fd, &now) != 0 || now.st_ino != self->identity.st_ino ||
           now.st_dev != self->identity.st_dev;
}

bool tusk_descriptor_always_ready(const tusk_descriptor *self)
{
    return S_ISREG(self->identity.st_mode) || S_ISDIR(self->identity.st_mode);
}

bool tusk_descriptor_buffered(const tusk_descriptor *self)
{
    int fd;
    if (self->stream == NULL || tusk_descriptor_closed(self)) {
        return false;
    }
    php_stream *stream = self->stream->ptr;
    return cast(stream, &fd) && stream->writepos > stream->readpos;
}

int tusk_descriptor_dup(const tusk_descriptor *self)
{
    return fcntl(self->fd, F_DUPFD_CLOEXEC, 3);
}
