/* SPDX-License-Identifier: MIT */
/* TLS for a player that speaks none: what comes in plain goes out over TLS ("seal"), or the other
 * way round ("open"), and nothing of how a connection goes on or ends is lost: an end is
 * close_notify and FIN, a reset is a reset, and an end without close_notify (RFC 8446, 6.1) is a
 * reset for who speaks plain. Bytes leave as a hostile network may cut them (--cut), in records as
 * small as wanted (--record); what was said before the handshake was over leaves in one segment
 * with its end. A --fault makes it wrong in one way, so that cases can be seen to fail. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

enum { PIECE = 16384, EVENTS = 256, READY_SECONDS = 60 };

typedef enum fault {
    NONE,
    NO_CLOSE_NOTIFY, /* the end is FIN alone */
    RESETS,          /* or a reset */
    LOSES_FIRST,     /* what is said first is lost */
    ONE_RECORD,      /* of what has come one record is taken, the rest when more comes */
    NEVER_ENDS       /* the end of TLS is not passed on */
} fault;

static const char *const fault_names[] = {"none",        "no-close-notify", "resets",
                                          "loses-first", "one-record",      "never-ends"};

/* Bytes on their way to a socket. */
typedef struct piece {
    size_t at, len;
    uint8_t bytes[PIECE];
} piece;

typedef struct end {
    int fd;
    uint32_t watched;
    bool is_tls;
    bool connecting;
    bool over; /* nothing more comes from there */
    bool told; /* that nothing more comes to it */
    piece out;
    struct talk *talk;
} end;

typedef struct talk {
    end plain, tls;
    SSL *ssl;
    bool shaken;
    bool dialled; /* the other end, once somebody has come with whom it is worth it */
    bool heard;
    bool notified; /* close_notify of the other side has come */
    bool gone;
    struct talk *next; /* of those that are gone */
} talk;

static struct {
    int poller, listener;
    bool seals;
    struct sockaddr_in to;
    SSL_CTX *context;
    size_t cut, record;
    fault fault;
    pid_t child;
    talk *gone;
} b = {.cut = SIZE_MAX, .record = PIECE};

_Noreturn static void die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fputs("tls-bridge: ", stderr);
    (void)vfprintf(stderr, format, args);
    (void)fputc('\n', stderr);
    va_end(args);
    exit(1);
}

/* ---- ends ---- */
static void watch(end *self, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = self};
    if (self->over && self->told) { /* it would tell that again and again */
        (void)epoll_ctl(b.poller, EPOLL_CTL_DEL, self->fd, &event);
        self->watched = UINT32_MAX;
    } else if (self->watched == UINT32_MAX) {
        (void)epoll_ctl(b.poller, EPOLL_CTL_ADD, self->fd, &event);
    } else if (self->watched != events) {
        (void)epoll_ctl(b.poller, EPOLL_CTL_MOD, self->fd, &event);
    }
    self->watched = events;
}

static void end_init(end *self, talk *of, int fd, bool is_tls)
{
    int on = 1;
    *self = (end){.fd = fd, .watched = UINT32_MAX, .is_tls = is_tls, .talk = of};
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
}

/* False: the peer is gone. */
static bool leave(end *self, size_t most)
{
    piece *out = &self->out;
    while (out->at < out->len && !self->connecting) {
        size_t len = out->len - out->at < most ? out->len - out->at : most;
        ssize_t sent = send(self->fd, out->bytes + out->at, len, MSG_NOSIGNAL);
        if (sent < 0) {
            return errno == EAGAIN;
        }
        out->at += (size_t)sent;
        if (most < SIZE_MAX) {
            break; /* the next piece in the next turn */
        }
    }
    return true;
}

static bool is_empty(const end *self)
{
    return self->out.at == self->out.len;
}

static void drop(talk *self, bool reset_plain, bool reset_tls)
{
    const struct linger hard = {.l_onoff = 1};
    if (self->gone) {
        return;
    }
    if (reset_plain) {
        (void)setsockopt(self->plain.fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    }
    if (reset_tls) {
        (void)setsockopt(self->tls.fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    }
    (void)close(self->plain.fd);
    (void)close(self->tls.fd);
    SSL_free(self->ssl);
    self->gone = true;
    self->next = b.gone;
    b.gone = self;
}

static void reset(talk *self)
{
    drop(self, true, true);
}

/* ---- a turn of one talk ---- */
/* Nothing more goes there; what has come from there before is heard. */
static void give_up_sealed(talk *self)
{
    self->tls.told = true;
    self->tls.out.at = self->tls.out.len = 0;
    (void)BIO_reset(SSL_get_wbio(self->ssl));
    self->plain.over = true;
}

static void take_sealed(talk *self)
{
    uint8_t bytes[PIECE];
    while (!self->tls.over && !self->tls.connecting && is_empty(&self->plain)) {
        ssize_t got = recv(self->tls.fd, bytes, sizeof(bytes), 0);
        if (got < 0 && errno == EAGAIN) {
            return;
        }
        if (got < 0) {
            give_up_sealed(self);
        }
        if (got <= 0) {
            self->tls.over = true;
        } else {
            (void)BIO_write(SSL_get_rbio(self->ssl), bytes, (int)got);
        }
        if (got < (ssize_t)sizeof(bytes)) {
            return;
        }
    }
}

static bool shake(talk *self)
{
    ERR_clear_error();
    int result = SSL_do_handshake(self->ssl);
    if (result == 1) {
        self->shaken = true;
    } else if (SSL_get_error(self->ssl, result) != SSL_ERROR_WANT_READ || self->tls.over) {
        self->tls.out.at = 0; /* an alert, if there is one */
        int len = BIO_read(SSL_get_wbio(self->ssl), self->tls.out.bytes, PIECE);
        self->tls.out.len = len > 0 ? (size_t)len : 0;
        (void)leave(&self->tls, SIZE_MAX);
        reset(self);
        return false;
    }
    return true;
}

/* False: nobody is there. */
static bool dial(talk *self)
{
    end *other = b.seals ? &self->tls : &self->plain;
    self->dialled = true;
    other->connecting = connect(other->fd, (const struct sockaddr *)&b.to, sizeof(b.to)) != 0;
    if (other->connecting && errno != EINPROGRESS) {
        reset(self);
        return false;
    }
    return true;
}

static bool seal(talk *self)
{
    uint8_t bytes[PIECE];
    while (!self->plain.over && BIO_ctrl_pending(SSL_get_wbio(self->ssl)) < PIECE) {
        ssize_t got = recv(self->plain.fd, bytes, b.record, 0);
        if (got < 0 && errno == EAGAIN) {
            return true;
        }
        if (got < 0) {
            reset(self);
            return false;
        }
        if (got > 0) {
            (void)SSL_write(self->ssl, bytes, (int)got);
            continue;
        }
        self->plain.over = true;
        if (b.fault == RESETS) {
            reset(self);
            return false;
        }
        if (b.fault != NO_CLOSE_NOTIFY) {
            (void)SSL_shutdown(self->ssl);
        }
    }
    return true;
}

static void leave_sealed(talk *self)
{
    end *tls = &self->tls;
    for (bool more = true; more && !tls->connecting;) {
        if (is_empty(tls)) {
            int len = BIO_read(SSL_get_wbio(self->ssl), tls->out.bytes, PIECE);
            tls->out.at = 0;
            tls->out.len = len > 0 ? (size_t)len : 0;
        }
        more = !is_empty(tls);
        if (more && !leave(tls, b.cut)) {
            give_up_sealed(self);
            return;
        }
        more = more && is_empty(tls) && b.cut == SIZE_MAX;
    }
    if (self->plain.over && !tls->told && b.fault != NEVER_ENDS && is_empty(tls) &&
        BIO_ctrl_pending(SSL_get_wbio(self->ssl)) == 0) {
        tls->told = true;
        (void)shutdown(tls->fd, SHUT_WR);
    }
}

static bool open_sealed(talk *self)
{
    end *plain = &self->plain;
    while (self->shaken && !self->notified && is_empty(plain) && !plain->connecting) {
        ERR_clear_error();
        int len = SSL_read(self->ssl, plain->out.bytes, PIECE);
        if (len <= 0 && SSL_get_error(self->ssl, len) == SSL_ERROR_WANT_READ) {
            break;
        }
        self->notified = len <= 0;
        if (len <= 0 && SSL_get_error(self->ssl, len) != SSL_ERROR_ZERO_RETURN) {
            reset(self);
            return false;
        }
        plain->out.at = 0;
        plain->out.len = len > 0 && (b.fault != LOSES_FIRST || self->heard) ? (size_t)len : 0;
        self->heard = true;
        if (!leave(plain, SIZE_MAX)) {
            reset(self);
            return false;
        }
        if (b.fault == ONE_RECORD) {
            break;
        }
    }
    return true;
}

/* What has ended on one side ends on the other. False: all of it is over. */
static bool pass_ends(talk *self)
{
    end *plain = &self->plain;
    if (self->tls.over && !self->notified && is_empty(plain)) { /* truncated */
        reset(self);
        return false;
    }
    if (self->notified && self->tls.over && !plain->told && is_empty(plain)) {
        plain->told = true;
        (void)shutdown(plain->fd, SHUT_WR);
    }
    if (plain->told && self->tls.told) {
        drop(self, false, false);
        return false;
    }
    return true;
}

static void turn(talk *self)
{
    end *plain = &self->plain;
    end *tls = &self->tls;
    if (!plain->connecting && !leave(plain, SIZE_MAX)) {
        reset(self);
        return;
    }
    take_sealed(self);
    if ((!self->shaken && !tls->connecting && !shake(self)) ||
        (self->shaken && !self->dialled && !dial(self)) ||
        (self->shaken && !plain->connecting && !seal(self))) {
        return;
    }
    leave_sealed(self);
    if (!open_sealed(self) || !pass_ends(self)) {
        return;
    }
    bool sealing = !is_empty(tls) || BIO_ctrl_pending(SSL_get_wbio(self->ssl)) > 0;
    bool reads_plain = self->shaken && !plain->over && !plain->connecting && !sealing;
    bool reads_tls = !tls->over && !tls->connecting && is_empty(plain);
    if (self->dialled) {
        watch(plain, (reads_plain ? EPOLLIN : 0U) |
                         (plain->connecting || !is_empty(plain) ? EPOLLOUT : 0U));
    }
    watch(tls, (reads_tls ? EPOLLIN : 0U) | (tls->connecting || sealing ? EPOLLOUT : 0U));
}

static void on_event(end *self, uint32_t events)
{
    talk *of = self->talk;
    if (of->gone) {
        return;
    }
    if (self->connecting && (events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) != 0) {
        int error = 0;
        socklen_t len = sizeof(error);
        (void)getsockopt(self->fd, SOL_SOCKET, SO_ERROR, &error, &len);
        if (error != 0) {
            reset(of);
            return;
        }
        self->connecting = false;
    } else if ((events & EPOLLERR) != 0 && self->watched == 0) {
        reset(of); /* it says nothing that was waited for: a reset */
        return;
    }
    turn(of);
}

/* ---- beginning ---- */
static void welcome(int fd)
{
    talk *self = calloc(1, sizeof(*self));
    int other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (self == NULL || other < 0 || (self->ssl = SSL_new(b.context)) == NULL) {
        die("no means for one more connection: %s", strerror(errno));
    }
    end_init(&self->plain, self, b.seals ? fd : other, false);
    end_init(&self->tls, self, b.seals ? other : fd, true);
    SSL_set_bio(self->ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    b.seals ? SSL_set_connect_state(self->ssl) : SSL_set_accept_state(self->ssl);
    if (b.seals && !dial(self)) {
        return;
    }
    turn(self);
}

static void accept_all(void)
{
    for (int fd; (fd = accept4(b.listener, NULL, NULL, SOCK_CLOEXEC)) >= 0;) {
        welcome(fd);
    }
}

static struct sockaddr_in loopback(const char *port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)strtoul(port, NULL, 10)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void start_child(char **command)
{
    b.child = fork();
    if (b.child == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        (void)execvp(command[0], command);
        die("%s: %s", command[0], strerror(errno));
    }
    for (int left = READY_SECONDS * 200; left > 0; left--) {
        const struct timespec rest = {.tv_nsec = 5000000};
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        bool good = connect(fd, (const struct sockaddr *)&b.to, sizeof(b.to)) == 0;
        (void)close(fd);
        if (good) {
            return;
        }
        if (waitpid(b.child, NULL, WNOHANG) != 0) {
            die("the command has ended");
        }
        (void)nanosleep(&rest, NULL);
    }
    die("the command does not listen");
}

static void listen_at(const char *port)
{
    int on = 1;
    const struct sockaddr_in at = loopback(port);
    b.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    (void)setsockopt(b.listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(b.listener, (const struct sockaddr *)&at, sizeof(at)) != 0 ||
        listen(b.listener, 1024) != 0) {
        die("port %s: %s", port, strerror(errno));
    }
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    (void)epoll_ctl(b.poller, EPOLL_CTL_ADD, b.listener, &event);
}

static void run(void)
{
    for (;;) {
        struct epoll_event events[EVENTS];
        int count = epoll_wait(b.poller, events, EVENTS, b.child > 0 ? 200 : -1);
        for (int i = 0; i < count; i++) {
            events[i].data.ptr == NULL ? accept_all()
                                       : on_event(events[i].data.ptr, events[i].events);
        }
        while (b.gone != NULL) { /* no event of this turn names them any more */
            talk *old = b.gone;
            b.gone = old->next;
            free(old);
        }
        if (b.child > 0 && waitpid(b.child, NULL, WNOHANG) != 0) {
            exit(0);
        }
    }
}

static void make_context(const char *certificate, const char *key, int version)
{
    b.context = SSL_CTX_new(b.seals ? TLS_client_method() : TLS_server_method());
    (void)SSL_CTX_set_options(b.context, SSL_OP_NO_RENEGOTIATION);
    if (version == 12) {
        (void)SSL_CTX_set_max_proto_version(b.context, TLS1_2_VERSION);
    }
    if (certificate != NULL &&
        (SSL_CTX_use_certificate_chain_file(b.context, certificate) != 1 ||
         SSL_CTX_use_PrivateKey_file(b.context, key, SSL_FILETYPE_PEM) != 1)) {
        die("%s, %s: no certificate and its key", certificate, key);
    }
}

static fault fault_named(const char *name)
{
    for (size_t i = 0; i < sizeof(fault_names) / sizeof(fault_names[0]); i++) {
        if (strcmp(name, fault_names[i]) == 0) {
            return (fault)i;
        }
    }
    die("no fault \"%s\"", name);
}

static const char usage[] =
    "usage: tls-bridge [options] seal|open LISTEN TO [-- COMMAND...]\n"
    "  seal: TLS to port TO for what comes in plain to LISTEN; open: the other way (127.0.0.1)\n"
    "  COMMAND listens at TO: it is started, waited for, and ended with the bridge\n"
    "  --certificate FILE --key FILE  of open\n"
    "  --tls 12       no newer version\n"
    "  --cut N        at most N sealed bytes in a segment     --record N  N plain ones in a "
    "record\n"
    "  --fault NAME   none, no-close-notify, resets, loses-first, one-record, never-ends\n";

int main(int argc, char **argv)
{
    static const struct option table[] = {
        {"certificate", 1, 0, 'c'}, {"key", 1, 0, 'k'},   {"tls", 1, 0, 't'},  {"cut", 1, 0, 'n'},
        {"record", 1, 0, 'r'},      {"fault", 1, 0, 'f'}, {"help", 0, 0, 'h'}, {0, 0, 0, 0}};
    const char *certificate = NULL;
    const char *key = NULL;
    int version = 13;
    for (int c; (c = getopt_long(argc, argv, "+", table, NULL)) != -1;) {
        switch (c) {
        case 'c': certificate = optarg; break;
        case 'k': key = optarg; break;
        case 't': version = (int)strtoul(optarg, NULL, 10); break;
        case 'n': b.cut = strtoul(optarg, NULL, 10); break;
        case 'r': b.record = strtoul(optarg, NULL, 10); break;
        case 'f': b.fault = fault_named(optarg); break;
        case 'h': (void)fputs(usage, stdout); return 0;
        default: (void)fputs(usage, stderr); return 2;
        }
    }
    if (argc - optind < 3 || b.cut == 0 || b.record == 0 || b.record > PIECE ||
        (certificate == NULL) != (key == NULL)) {
        (void)fputs(usage, stderr);
        return 2;
    }
    struct rlimit files;
    (void)getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &files);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    (void)signal(SIGPIPE, SIG_IGN);
    b.seals = strcmp(argv[optind], "seal") == 0;
    b.to = loopback(argv[optind + 2]);
    b.poller = epoll_create1(EPOLL_CLOEXEC);
    make_context(certificate, key, version);
    if (argc - optind > 4) {
        start_child(argv + optind + 4);
    }
    listen_at(argv[optind + 1]);
    run();
}
