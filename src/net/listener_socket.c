/* SPDX-License-Identifier: MIT */
/* A socket that is bound and listens: its address as people write it, the path of a Unix one. */
#define _GNU_SOURCE
#include "net/listener.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "net/socket.h"

#define BACKLOG 4096
#define UNIX_MODE 0660
#define NAME_CAP 254 /* a host name has at most 253 bytes */

/* "name:port"; false: that is none. */
static bool split_name(char name[NAME_CAP], uint16_t *port, const char *text)
{
    const char *colon = strrchr(text, ':');
    size_t len = colon == NULL ? 0 : (size_t)(colon - text);
    bool letters = false;
    unsigned long number = 0;
    if (len == 0 || len >= NAME_CAP || colon[1] == '\0' || strlen(colon + 1) > 5) {
        return false;
    }
    for (const char *digit = colon + 1; *digit != '\0'; digit++) {
        if (*digit < '0' || *digit > '9') {
            return false;
        }
        number = number * 10 + (unsigned long)(*digit - '0');
    }
    for (size_t i = 0; i < len; i++) {
        char c = (char)(text[i] | 0x20);
        bool letter = c >= 'a' && c <= 'z';
        letters = letters || letter;
        if (!letter && !(text[i] >= '0' && text[i] <= '9') && text[i] != '-' && text[i] != '.' &&
            text[i] != '_') {
            return false;
        }
    }
    memcpy(name, text, len);
    name[len] = '\0';
    *port = (uint16_t)number;
    return letters && number <= 65535;
}

/* By a look-up; an IPv4 address is preferred, as "localhost" users expect it. */
static tusk_err resolve(tusk_addr *out, const char *address)
{
    enum { ANSWERS = 8 };
    tusk_addr answers[ANSWERS];
    char name[NAME_CAP];
    char text[TUSK_ADDR_TEXT_MAX];
    uint16_t port;
    int chosen = 0;
    if (!split_name(name, &port, address)) {
        return TUSK_EINVAL;
    }
    if (tusk_bytes_eq_nocase(tusk_bytes_str(name), tusk_bytes_str("localhost"))) {
        return tusk_addr_from_host(out, "127.0.0.1", port); /* RFC 6761, 6.3 */
    }
    int count = tusk_addr_resolve(answers, ANSWERS, name, port);
    if (count <= 0) {
        return TUSK_ENOENT;
    }
    while (chosen < count && strchr(tusk_addr_host_text(&answers[chosen], text), ':') != NULL) {
        chosen++;
    }
    *out = answers[chosen < count ? chosen : 0];
    return TUSK_OK;
}

tusk_err tusk_listener_address(tusk_addr *out, const char *text)
{
    tusk_err err = tusk_addr_parse(out, text);
    return err == TUSK_EINVAL ? resolve(out, text) : err;
}

static tusk_err err_of(int number)
{
    return number == EADDRINUSE                                ? TUSK_EADDRINUSE
           : number == EADDRNOTAVAIL || number == EAFNOSUPPORT ? TUSK_EADDRNOTAVAIL
           : number == EACCES || number == EPERM               ? TUSK_EACCES
           : number == ENOENT                                  ? TUSK_ENOENT
           : number == ENOMEM || number == ENOBUFS             ? TUSK_ENOMEM
           : number == EMFILE || number == ENFILE              ? TUSK_EEXHAUSTED
                                                               : TUSK_ESYS;
}

/* A path that nobody listens on any more is in the way. */
static bool is_stale(const tusk_addr *addr)
{
    struct sockaddr_un un;
    struct stat status;
    memcpy(&un, addr->u.raw, sizeof(un));
    if (lstat(un.sun_path, &status) != 0 || !S_ISSOCK(status.st_mode)) {
        return false;
    }
    int fd = tusk__socket_open(AF_UNIX);
    if (fd < 0) {
        return false;
    }
    int failed =
        connect(fd, (const struct sockaddr *)(const void *)addr->u.raw, (socklen_t)addr->len);
    bool stale = failed != 0 && errno == ECONNREFUSED;
    (void)close(fd);
    return stale;
}

static int bind_unix(int fd, const tusk_addr *addr, uint32_t mode)
{
    struct sockaddr_un un;
    memcpy(&un, addr->u.raw, sizeof(un));
    const struct sockaddr *name = (const struct sockaddr *)(const void *)addr->u.raw;
    int failed = bind(fd, name, (socklen_t)addr->len);
    if (failed != 0 && errno == EADDRINUSE) {
        if (!is_stale(addr)) {
            errno = EADDRINUSE;
            return -1;
        }
        (void)unlink(un.sun_path);
        failed = bind(fd, name, (socklen_t)addr->len);
    }
    return failed != 0 ? failed : chmod(un.sun_path, (mode_t)mode);
}

static int bind_inet(int fd, const tusk_addr *addr, const tusk_listener_options *options)
{
    int on = 1;
    int only = options->ipv6_only ? 1 : 0;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    tusk__socket_set_manners(fd, addr);
    if (tusk_addr_family(addr) == AF_INET6) {
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only));
    }
#if defined(SO_REUSEPORT)
    if (options->reuse_port && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) != 0) {
        return -1;
    }
#endif
    return bind(fd, (const struct sockaddr *)(const void *)addr->u.raw, (socklen_t)addr->len);
}

void tusk__listener_unlink(const tusk_addr *addr)
{
    if (tusk_addr_family(addr) == AF_UNIX) {
        struct sockaddr_un un;
        memcpy(&un, addr->u.raw, sizeof(un));
        (void)unlink(un.sun_path);
    }
}

static const tusk_listener_options defaults;

tusk_err tusk_listener_socket(int *out, tusk_addr *addr, const tusk_listener_options *options)
{
    *out = -1;
    options = options == NULL ? &defaults : options;
    bool is_unix = tusk_addr_family(addr) == AF_UNIX;
    int fd = tusk__socket_open(tusk_addr_family(addr));
    if (fd < 0) {
        return err_of(errno);
    }
    bool bound =
        (is_unix ? bind_unix(fd, addr, options->unix_mode == 0 ? UNIX_MODE : options->unix_mode)
                 : bind_inet(fd, addr, options)) == 0;
    if (!bound || listen(fd, options->backlog == 0 ? BACKLOG : options->backlog) != 0) {
        int saved = errno;
        (void)close(fd);
        if (bound) {
            tusk__listener_unlink(addr);
        }
        errno = saved;
        return err_of(saved);
    }
    if (!is_unix) {
        *addr = tusk__socket_addr(fd);
    }
    *out = fd;
    return TUSK_OK;
}

static bool is_in_the_way(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && !S_ISSOCK(status.st_mode);
}

static const char *remedy_of_path(tusk_err err, int number, const char *path)
{
    if (err == TUSK_EADDRINUSE) {
        return is_in_the_way(path)
                   ? "; what is there is no socket: remove it, or choose another path"
                   : "; stop who answers there, or choose another path";
    }
    if (err == TUSK_ESYS && number == EROFS) {
        return "; choose a path that can be written, of a unit RuntimeDirectory= makes one";
    }
    return err == TUSK_EACCES   ? "; its directory has to let this user write"
           : err == TUSK_ENOENT ? "; its directory has to be there"
                                : "";
}

static const char *remedy_of_port(tusk_err err)
{
    return err == TUSK_EADDRINUSE ? "; choose another port, or 0 for any that is free"
           : err == TUSK_EADDRNOTAVAIL
               ? "; 'ip address' shows those it has, 0.0.0.0 and [::] are all of them"
           : err == TUSK_EACCES ? "; a port below 1024 needs root or CAP_NET_BIND_SERVICE"
                                : "";
}

void tusk_listener_explain(char *reason, size_t cap, tusk_err err, const char *address)
{
    int number = errno;
    bool is_unix = strncmp(address, "unix:", 5) == 0;
    const char *remedy = err == TUSK_EEXHAUSTED
                             ? "; raise ulimit -n (LimitNOFILE), or sysctl fs.file-max"
                         : is_unix ? remedy_of_path(err, number, address + 5)
                                   : remedy_of_port(err);
    (void)snprintf(reason, cap, "cannot listen on %s: %s%s", address,
                   err == TUSK_ESYS ? strerror(number) : tusk_err_text(err), remedy);
}
