/* SPDX-License-Identifier: MIT */
/*
 * A connection: one stream socket, a queue of what is to leave, and perhaps a filter (TLS) below
 * its owner. docs/internals/connection.md draws the states.
 *
 * Idle it owns this struct and nothing else: bytes land in the loop's buffer, an unfinished rest is
 * copied into `rest`, which is given back when it empties; the send queue is a list of pooled
 * segments.
 *
 * Reading: `ops->on_data` looks at tusk_conn_in and takes with tusk_conn_consume. It comes again
 * when more bytes arrived (then with the rest in front, contiguous). One recv of at most the
 * landing size per connection and turn; a short read is the end of the turn, never a second recv
 * for EAGAIN. While on_data is still owed (tusk_conn_again), nothing more is read and no end is
 * told. Bytes shown live until the callback returns, also when it closes the connection.
 *
 * Writing: appended bytes and blobs leave at the end of the turn, in one call per connection and
 * turn; the rest waits for writability. What is appended while OPENING leaves when open.
 * `ops->on_drain` comes when the queue falls to `low_water` (16 KiB unless set after init) after it
 * was above it, be it within one turn.
 *
 * Being told: callbacks come from reading (on_data, on_landed, on_eof) or from one task at the end
 * of the turn (all others), never from inside a call of the owner, and never two at a time.
 *
 * Parking: a callback that leaves its stack aside calls tusk_conn_park first: what is unread moves
 * out of the loop's buffer (pointers got before are void), and nothing but on_room is told until
 * tusk_conn_unpark. The owner's parse loop simply goes on afterwards with tusk_conn_in. A
 * connection may close while parked; on_close then comes after the unpark. A callback whose stack
 * may stay aside for as long as the connection lives detaches instead: what follows is told
 * meanwhile, as if it had returned.
 *
 * Lifetime: `on_close` comes exactly once, always deferred. A connect or handshake that fails tells
 * on_ready(err) and then on_close(err). The memory is given back by the owner in on_released, which
 * comes when the last hold is gone after on_close. Calls on a closed connection are harmless:
 * appends return TUSK_ESTATE, tusk_conn_in is empty, consume takes nothing.
 */
#ifndef NET_CONN_H
#define NET_CONN_H

#include <stddef.h>

#include <tusk/bytes.h>
#include <tusk/loop.h>

#include "base/list.h"
#include "net/addr.h"

typedef struct tusk_conn tusk_conn;
typedef struct tusk_net tusk_net;       /* per loop: segment pool, flush list, counters */
typedef struct tusk_seg tusk_seg;       /* one segment of a send queue */
typedef struct tusk_filter tusk_filter; /* TLS state of one connection */

typedef struct tusk_conn_ops {
    void (*on_data)(tusk_conn *self);
    /* A place where the next bytes may land directly (a large payload); NULL: the loop's buffer.
     * After bytes landed there, on_landed tells how many; then on_data comes if more than that
     * arrived. Both NULL: never. */
    uint8_t *(*landing)(tusk_conn *self, size_t *cap);
    void (*on_landed)(tusk_conn *self, size_t len);
    /* With `preface` set after init: what stands in front of the TLS handshake (a PROXY head), and
     * is not part of it. > 0: that many bytes are it, more than were there before; 0: need more;
     * < 0: on_ready tells this error.
     */
    ptrdiff_t (*on_preface)(tusk_conn *self, tusk_bytes in);
    /* Something came of which nothing can be read yet: part of a record of TLS. The peer is not
     * silent; nothing else may be done here. NULL: not told. */
    void (*on_part)(tusk_conn *self);
    void (*on_eof)(tusk_conn *self); /* the peer will send no more; writing still works */
    /* The peer is gone both ways while nothing is read: it hears nothing more, but what it sent can
     * still be read. Where the poller can tell (not select; kqueue only beside an interest); never
     * while parked, then after it. A reset needs no telling: it closes. NULL: not told. */
    void (*on_hangup)(tusk_conn *self);
    void (*on_drain)(tusk_conn *self); /* may be NULL */
    /* With on_drain, and when the connection is closed; also while it is parked or a callback of
     * its is set aside: it is there to wake who waits on that stack. May be NULL. */
    void (*on_room)(tusk_conn *self);
    void (*on_ready)(tusk_conn *self,
                     tusk_err err); /* TLS handshake or connect done; NULL: not told */
    void (*on_close)(tusk_conn *self, tusk_err why); /* TUSK_OK: closed by us in order */
    void (*on_released)(tusk_conn *self);
} tusk_conn_ops;

typedef enum tusk_conn_state {
    CONN_OPENING,   /* connect or TLS handshake under way */
    CONN_OPEN,      /* both directions */
    CONN_FINISHING, /* queue leaves, then shutdown(WR); then reading only to see EOF ("lingering
                       close"), bounded */
    CONN_CLOSED     /* descriptor gone */
} tusk_conn_state;

/* What the owner has still to be told, at the end of the turn (tusk_conn.tell). */
enum {
    CONN_TELL_READY = 1,
    CONN_TELL_DATA = 2,  /* on_data if something is unread */
    CONN_TELL_AGAIN = 4, /* on_data whether or not */
    CONN_TELL_DRAIN = 8,
    CONN_TELL_CLOSE = 16,
    CONN_TELL_READ = 32, /* decrypted bytes wait in the filter */
    CONN_TELL_HANGUP = 64,
    CONN_TELL_ROOM = 128
};

/* Queue owners hear on_drain below this much unless they set low_water after init. */
#define TUSK_CONN_LOW_WATER ((uint32_t)16 * 1024)

/* In the order of use: an event looks at the first two lines of the cache and at nothing behind
 * them. */
struct tusk_conn {
    tusk_io io; /* first: io.on_event finds the connection */
    const tusk_conn_ops *ops;
    tusk_net *net;
    tusk_filter *filter; /* NULL: plain */
    uint8_t *in_ptr;     /* what tusk_conn_in shows */
    size_t in_len;

    uint8_t state; /* tusk_conn_state */
    uint8_t tell;
    uint8_t early;   /* place + 1 of what a batch received for it, until its event is told */
    bool paused : 1; /* reading stopped by the owner */
    bool eof_seen : 1;
    bool in_shared : 1; /* in_ptr points into a buffer that others read into */
    bool above_low : 1;
    bool close_told : 1;
    bool busy : 1;    /* a callback of the owner is under way, perhaps on a stack set aside */
    bool blocked : 1; /* the kernel did not take all; waiting for writability */
    bool shut_wr : 1;
    bool brief : 1; /* finishing, and the peer has nothing left to say: no lingering */
    bool connecting : 1;
    bool want_read : 1; /* the filter waits for this, whatever the owner wants */
    bool want_write : 1;
    bool preface : 1; /* asked of on_preface before the handshake */
    bool half : 1;    /* tusk_conn_shutdown: no more is appended */
    /* Set after init: a peer that hears no more (EPIPE, a reset) ends writing only, as after
     * tusk_conn_shutdown; what it said before is read to its end, which is TUSK_ERESET if it was
     * one (over TLS: if no close_notify came). */
    bool read_on : 1;
    bool was_reset : 1; /* writing met it, and reading hears an end */
    bool detached : 1;  /* tusk_conn_detach was called */
    bool filled : 1;    /* its last read: more is there already */
    bool rekeys : 1;    /* its last read asked for new keys of TLS */
    uint8_t place : 2;  /* net_place, by its last read: where a batch would receive for it */
    bool works : 1;     /* in the line of those that have work left */
    bool others : 1;    /* it was others that wrote, when the flush was scheduled last */
    bool reading : 1;   /* it is read, and nothing else has happened in between */
    bool goes_on : 1;   /* and is read on, before anybody else: tusk_conn_read_on. Left so: soon */
    uint8_t small : 3;  /* small reads in a row, until it has settled */
    uint16_t parked;    /* nested count */
    uint16_t holds;     /* callbacks or handles that must find the struct alive */
    uint32_t low_water;
    tusk_link flush; /* in the net's list of connections with something to write in this turn */
    tusk_seg *send_head;
    tusk_seg *send_tail;
    size_t send_bytes; /* queued and not yet taken by the kernel, files included */
    uint8_t *rest;     /* owned copy of an unfinished rest */

    uint32_t rest_cap;
    uint32_t linger_until; /* ms, low 32 bits */
    uint32_t discarded;    /* read away while finishing */
    int16_t why;           /* tusk_err for on_close, or for on_ready while that is pending */
    uint16_t still; /* finishing: linger times in a row in which nothing of the queue was taken */
    tusk_link pending; /* in the net's list of connections whose owner has something to be told */
    tusk_link linger;  /* in the net's list of finishing connections, by deadline; while open: in
                        * the line of those that work */
};

_Static_assert(offsetof(struct tusk_conn, rest_cap) == 128,
               "what each event looks at lies in front");
_Static_assert(sizeof(struct tusk_conn) <= 176, "an idle connection is this and nothing else");

/* It is needed soon, with what its owner put behind it up to `bytes` of both: a crowd lies all over
 * memory, and nothing of it is in the cache. */
static inline void tusk_conn_expect(const tusk_conn *self, size_t bytes)
{
    enum { LINE = 64 };
    for (size_t at = 0; at < bytes; at += LINE) {
        __builtin_prefetch((const char *)self + at);
    }
}

/* ---- per loop ---- */
typedef struct tusk_net_limits {
    size_t queued_bytes_total; /* over all connections; past it appends fail with TUSK_ELIMIT.
                                  Default 256 MiB */
    uint32_t linger_ms;        /* CONN_FINISHING at most this long once the queue has left. Default
                                  2000 */
    uint32_t stall_ms;         /* and at most this long without anything taken of the queue, in
                                  steps of linger_ms. Default: linger_ms */
    size_t linger_bytes;       /* and reads away at most this much. Default 1 MiB */
    uint32_t slice_us;         /* for all that have much input, in a turn. Default 250 */
    size_t held_bytes;         /* rests and what the owners hold of unfinished input; past it a
                                  read takes 4 KiB at most. 0: no such limit */
    uint32_t batch_min;        /* so many sends, or receives, of one turn are one system call
                                  (batch.h). 0: each is one */
    uint32_t settled_reads;    /* after so many small reads in a row, 7 at most, an accepted
                                  connection is told before the newcomers of its turn, until it
                                  fills a read; all of those together have four slices of a turn. 0:
                                  who is ready first is told first */
} tusk_net_limits;

typedef struct tusk_net_counters {
    uint64_t conns_opened, conns_closed;
    uint64_t bytes_in, bytes_out;
    uint64_t recv_calls, send_calls; /* made, each a system call but for those of batches */
    uint64_t batches, batched;       /* system calls for several, and of how many of those */
    uint64_t from_files;             /* sends of blobs by their pages, without a copy */
    uint64_t segs_allocated;         /* pool misses */
    uint64_t queue_refusals;         /* appends refused by queued_bytes_total */
    uint64_t linger_timeouts;        /* finishing connections closed by one of the three limits */
    uint64_t slices_cut;             /* tusk_conn_enough said so */
} tusk_net_counters;

tusk_err tusk_net_new(tusk_net **out, tusk_loop *loop, const tusk_net_limits *limits);
void tusk_net_free(tusk_net *self);
/* Told once, with the reason, when each is a system call though `batch_min` wants it otherwise. */
void tusk_net_on_lack(tusk_net *self, void (*tell)(void *user, const char *reason), void *user);
/* What waits for the end of the turn leaves now, as far as its peers take it, until the queues have
 * so much room (tusk_net_room), or some of it left and made none: not again in that turn. Calls
 * nobody back, but any connection may be closed by it, and is told later. */
void tusk_net_flush(tusk_net *self, size_t room);
/* It stands in one of the lines that leave by themselves: nobody knows yet what its peer takes. */
static inline bool tusk_conn_waits_for_turn(const tusk_conn *self)
{
    return tusk__link_linked(&self->flush) && !self->blocked && self->send_head != NULL &&
           (self->state == CONN_OPEN || self->state == CONN_FINISHING);
}
/* Asked before an append is refused for queued_bytes_total; true: it made room for `len` bytes. It
 * may flush, and abort other connections. */
void tusk_net_on_full(tusk_net *self, bool (*make_room)(void *user, tusk_conn *conn, size_t len),
                      void *user);
const tusk_net_counters *tusk_net_count(const tusk_net *self);
/* Memory in all send queues: a segment or blob counts until its last byte has left. */
size_t tusk_net_queued(const tusk_net *self);
/* Of their total `bytes` are kept free, for what owners have on its way in. */
void tusk_net_reserve(tusk_net *self, size_t bytes);
/* What send queues may still take. */
size_t tusk_net_room(const tusk_net *self);
/* Who others wrote to leaves in shares of so many sends, for which a guest waits: a loopback's take
 * 0.1 to 0.4 ms. */
enum { NET_OTHERS_SHARE = 32 };
/* What was written to many has not left for all of them yet: the next turns go on with it. */
bool tusk_net_lags(const tusk_net *self);
size_t tusk_net_rests(const tusk_net *self);      /* memory in unfinished rests of input */
void tusk_net_hold(tusk_net *self, size_t bytes); /* what owners hold of unfinished input, now */

/* ---- one connection ---- */
/* Adopts `fd` (non-blocking). `self` is the owner's storage, all zero. filter NULL: plain; then
 * on_ready comes never and the state is CONN_OPEN at once. On failure fd is still the caller's. */
tusk_err tusk_conn_init(tusk_conn *self, tusk_net *net, int fd, tusk_filter *filter,
                        const tusk_conn_ops *ops);
/* The same for one that was accepted just now, with no fork since: it is closed for less
 * (tusk_io_close). */
tusk_err tusk_conn_accepted(tusk_conn *self, tusk_net *net, int fd, tusk_filter *filter,
                            const tusk_conn_ops *ops);
/* Starts a non-blocking connect to `addr` (client role); on_ready tells the end. */
tusk_err tusk_conn_connect(tusk_conn *self, tusk_net *net, const tusk_addr *addr,
                           tusk_filter *filter, const tusk_conn_ops *ops);

/* TLS begins in mid-stream (STARTTLS): what is queued leaves at once and in the clear, then hands
 * are shaken and on_ready tells the end; what is appended from now on leaves encrypted. Adopts
 * `filter`. TUSK_ESTATE, and the filter is still the caller's: not open, with TLS already, an end
 * was seen, the peer did not take what was queued, or something is unread, which came in the clear
 * and would be taken for something that did not. */
tusk_err tusk_conn_secure(tusk_conn *self, tusk_filter *filter);

static inline tusk_bytes tusk_conn_in(const tusk_conn *self)
{
    return tusk_bytes_of(self->in_ptr, self->in_len);
}
static inline uint8_t *tusk_conn_in_mut(tusk_conn *self)
{
    return self->in_ptr; /* unmasking in place is allowed */
}
/* Taking more than there is takes all: closing inside the parse loop empties what tusk_conn_in
 * shows. */
static inline void tusk_conn_consume(tusk_conn *self, size_t len)
{
    len = len < self->in_len ? len : self->in_len;
    if (len > 0) {
        self->in_ptr += len;
        self->in_len -= len;
    }
}
static inline bool tusk_conn_open(const tusk_conn *self)
{
    return self->state == CONN_OPEN;
}

/* Nothing waits in the socket: no byte, no end, no error. Costs a system call; says nothing of what
 * a filter holds. */
bool tusk_conn_quiet(const tusk_conn *self);
/* The kernel still has some of what was sent to the peer, who took more of it within the last
 * `within_ms`: slow it is, and not gone, and what is sent now comes behind that. Costs a system
 * call; false where the kernel does not tell. */
bool tusk_conn_takes(const tusk_conn *self, uint32_t within_ms);
/* The opposite, and known: it has some of it, of which its peer has taken nothing for so long. */
bool tusk_conn_stalls(const tusk_conn *self, uint32_t for_ms);

/* A part of its TLS handshake has come. What it asks is still to come: who stops serving drains it
 * when it is ready. */
bool tusk_conn_shakes_hands(const tusk_conn *self);

/* Room for `len` bytes (best at most 4 KiB) at the end of the queue, to be written at once; NULL:
 * no memory or not open. The frame head and small payloads are written straight into it. */
uint8_t *tusk_conn_reserve(tusk_conn *self, size_t len);
/* At most what was reserved, with nothing else in between; queues and schedules the flush. */
void tusk_conn_commit(tusk_conn *self, size_t len);
tusk_err tusk_conn_append(tusk_conn *self, const void *ptr, size_t len);
tusk_err tusk_conn_append_blob(tusk_conn *self, tusk_blob *blob); /* takes a reference of its own */
/* A part of a blob; one that continues the last part makes it longer. While it waits for a slow
 * peer, a small part of a large blob becomes a copy. */
tusk_err tusk_conn_append_slice(tusk_conn *self, tusk_blob *blob, size_t start, size_t len);
/* A part of a file: [offset, offset+len) leaves by sendfile (or read + TLS). `fd` stays open until
 * release(owner), which comes once, when it has left or the queue was dropped; not when this fails.
 * It counts in send_bytes, but not as queued memory. A file that became shorter closes the
 * connection (TUSK_ESYS). */
tusk_err tusk_conn_append_file(tusk_conn *self, int fd, uint64_t offset, uint64_t len,
                               void (*release)(void *owner), void *owner);
/* Memory that the queue holds, files left out. */
size_t tusk_conn_held(const tusk_conn *self);
/* Writes what is queued now rather than at the end of the turn. */
void tusk_conn_flush(tusk_conn *self);

void tusk_conn_pause(tusk_conn *self); /* stop reading (back-pressure) */
/* And go on; unread bytes are offered again by a deferred on_data. */
void tusk_conn_resume(tusk_conn *self);
void tusk_conn_park(tusk_conn *self);
/* What is unread is offered again unless the parse loop took it. */
void tusk_conn_unpark(tusk_conn *self);
/* From inside on_data, once in a connection's life: that call counts as ended, and its stack is
 * left aside. What is unread moves out of the loop's buffer and is offered again. When the stack
 * comes back its on_data returns without looking at the connection (`detached` tells it so). */
void tusk_conn_detach(tusk_conn *self);
/* A turn is shared: a parse loop that calls handlers asks after some items whether this connection
 * has had its part of the turn (slice_us, shared by those that are busy at once). True: it returns
 * from on_data now, and is called again in the next turn. Small input is never cut; nothing more is
 * read before. */
bool tusk_conn_enough(tusk_conn *self);
/* on_data again in one of the next turns, though nothing new arrived: its owner has work left that
 * would hold up others. It stands in a line of all that do, and nothing more is read before. */
void tusk_conn_later(tusk_conn *self);
/* How much the call of on_data that runs may still make of what takes more work than it has bytes
 * (inflated bytes; its owner takes off what it made): 4 KiB when something came, and more when its
 * turn in the line has come. All of the line have 8 KiB of a turn together, 64 KiB while nobody
 * else is served. */
size_t *tusk_net_work(tusk_net *self);
/* At the end of on_data or on_landed: are `bytes` in the socket already, or more? Then they are
 * read before anybody else is served, or in the next turn where this one has had its 64 KiB. Nobody
 * knows of what comes over TLS, nor when a handler has waited in between. */
bool tusk_conn_read_on(tusk_conn *self, size_t bytes);
/* on_data again at the end of the turn, though nothing new arrived. */
void tusk_conn_again(tusk_conn *self);

/* The queue leaves, then our direction ends (close_notify over TLS, else a FIN), and reading goes
 * on; appends return TUSK_ESTATE from now on. When the peer's direction has ended before, or ends
 * and the owner finishes then, the connection closes in order. Harmless twice. */
void tusk_conn_shutdown(tusk_conn *self);
/* Queue leaves, then the write side is shut, then lingering until EOF or the limits; then
 * on_close(TUSK_OK). No on_data, on_eof or on_drain comes any more. A peer that takes nothing for
 * stall_ms while bytes are queued: on_close(TUSK_ETIMEOUT). The kernel asks for more when a third
 * of its buffer is free, a megabyte or more of a large one, so where a slow reader seems to stand
 * still it is asked (tusk_conn_takes). One that takes a little now and then is the owner's to
 * limit. */
void tusk_conn_finish(tusk_conn *self);
/* The same where the peer has said that it will send nothing more (a closing handshake is
 * complete): the descriptor is closed as soon as the queue has left. */
void tusk_conn_end(tusk_conn *self);
/* Now: queue dropped, descriptor closed (with a reset where the kernel's buffer is full of what the
 * peer does not take); on_close(why) deferred. */
void tusk_conn_abort(tusk_conn *self, tusk_err why);

static inline void tusk_conn_hold(tusk_conn *self)
{
    self->holds++;
}
void tusk_conn_release(tusk_conn *self);

/* What a connection had when its socket was taken; both buffers are the taker's. */
typedef struct tusk_conn_taken {
    int fd;          /* non-blocking, in no poller */
    tusk_buf unread; /* received of the peer and not consumed */
    tusk_buf unsent; /* appended and not taken by the kernel */
} tusk_conn_taken;

/* The socket goes on without its connection (an upgrade that the relay's engines carry): what can
 * leave leaves first, the rest is handed over, and the connection is closed without its socket:
 * on_close(TUSK_OK) and on_released come as ever. An end that was seen is in the socket still: who
 * reads there sees it again. TUSK_ENOTSUP: over TLS, whose state no socket has, or with a file
 * queued; TUSK_ESTATE: not open, parked, or our direction has ended; TUSK_ENOMEM. Then it is as it
 * was. */
tusk_err tusk_conn_take(tusk_conn *self, tusk_conn_taken *out);
void tusk_conn_taken_fini(tusk_conn_taken *self); /* the buffers; harmless on a zeroed one */

/* Queue, filter and what is unread go to a new owner's ops (HTTP becomes WebSocket). */
static inline void tusk_conn_set_ops(tusk_conn *self, const tusk_conn_ops *ops)
{
    self->ops = ops;
}

#endif
