/* SPDX-License-Identifier: MIT */
/* Sockets that a supervisor has bound, and what is told to it. */
#define _GNU_SOURCE
#include <tusk/supervisor.h>

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "net/socket.h"

/* ---- sockets ---- */
static bool has_option(int fd, int option, int wanted)
{
    int value = 0;
    socklen_t len = sizeof(value);
    return getsockopt(fd, SOL_SOCKET, option, &value, &len) == 0 && value == wanted;
}

static bool listens_at(int fd, const tusk_addr *address)
{
    char wanted[TUSK_ADDR_TEXT_MAX];
    char text[TUSK_ADDR_TEXT_MAX];
    if (!has_option(fd, SO_ACCEPTCONN, 1) || !has_option(fd, SO_TYPE, SOCK_STREAM)) {
        return false;
    }
    tusk_addr bound = tusk__socket_addr(fd);
    return bound.len > 0 &&
           strcmp(tusk_addr_text(&bound, text), tusk_addr_text(address, wanted)) == 0;
}

static tusk_err copy(int *out, int fd)
{
    int flags = fcntl(fd, F_GETFL);
    int made = fcntl(fd, F_DUPFD_CLOEXEC, TUSK_SUPERVISOR_FD);
    if (made < 0 || flags < 0 || fcntl(made, F_SETFL, flags | O_NONBLOCK) != 0) {
        tusk_err err = tusk__socket_err_of(errno);
        if (made >= 0) {
            (void)close(made);
        }
        return err;
    }
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    *out = made;
    return TUSK_OK;
}

tusk_err tusk_supervisor_socket(int *out, int count, const char *address)
{
    tusk_addr at;
    *out = -1;
    if (tusk_addr_parse(&at, address) != TUSK_OK) {
        return TUSK_EINVAL;
    }
    for (int i = 0; i < count && i < TUSK_SUPERVISOR_FDS_MAX; i++) {
        if (listens_at(TUSK_SUPERVISOR_FD + i, &at)) {
            return copy(out, TUSK_SUPERVISOR_FD + i);
        }
    }
    return TUSK_ENOENT;
}

/* ---- what is told ---- */
static bool unix_address(struct sockaddr_un *out, socklen_t *len, const char *text)
{
    size_t size = strlen(text);
    memset(out, 0, sizeof(*out));
    out->sun_family = AF_UNIX;
    if (size < 2 || size >= sizeof(out->sun_path) || (text[0] != '/' && text[0] != '@')) {
        return false;
    }
    memcpy(out->sun_path, text, size);
    if (text[0] == '@') {
        out->sun_path[0] = '\0';
    }
    *len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    return true;
}

tusk_err tusk_supervisor_tell(const char *socket_name, tusk_bytes text)
{
    struct sockaddr_un to;
    socklen_t len;
    if (!unix_address(&to, &len, socket_name)) {
        return TUSK_EINVAL;
    }
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (fd < 0) {
        return tusk__socket_err_of(errno);
    }
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    const struct sockaddr *name = (const struct sockaddr *)(const void *)&to;
    ssize_t sent = sendto(fd, text.ptr, text.len, MSG_NOSIGNAL | MSG_DONTWAIT, name, len);
    tusk_err err = sent < 0 ? tusk__socket_err_of(errno) : TUSK_OK;
    (void)close(fd);
    return err;
}
