/* SPDX-License-Identifier: MIT */
/* What the files of net share: the per-loop struct, the segments of send queues, the parts of a
 * connection. */
#ifndef NET_INNER_H
#define NET_INNER_H

#include "net/batch.h"
#include "net/conn.h"

#define NET_REST_CLASSES 5 /* 256 bytes to 4 KiB */
#define NET_REST_MIN 256
#define NET_IOV_MAX 64
#define NET_GATHER_BYTES ((size_t)16 * 1024)

typedef enum seg_kind {
    SEG_SMALL, /* 2 KiB with its header, pooled */
    SEG_LARGE, /* 24 KiB inline, pooled */
    SEG_EXACT, /* inline of any size, not pooled */
    SEG_BLOB,
    SEG_FILE
} seg_kind;

struct tusk_seg {
    tusk_seg *next;
    const uint8_t *ptr; /* the first byte still to be sent */
    uint64_t len;       /* how many are */
    size_t queue_held;  /* in the first of a queue: memory of all of it */
    uint32_t cap;       /* inline: bytes behind this header */
    seg_kind kind;
    union {
        struct {
            tusk_blob *blob;
            size_t whole; /* of the slice: the blob stays until its last byte has left */
        } slice;
        struct {
            void (*release)(void *owner);
            void *owner;
            uint64_t offset;
            int fd;
        } file;
    } u;
};

struct net_pool {
    tusk_seg *free;
    unsigned count;
};

/* Of a crowd that has more than a turn can do, so many are read, and so many go on, in one turn. */
#define NET_CROWD_TURN 16u

/* What a batch receives: for so many connections, so much each. Of those who send more at once
 * fewer are received together, so that what came is still in the cache when it is told. */
#define NET_EARLY_MAX 64u
#define NET_EARLY_BYTES ((size_t)2048)
#define NET_WIDE_MAX 8u
#define NET_WIDE_BYTES ((size_t)24 * 1024)

/* A place is a little longer than what it takes, or all would fall into the same few lines of the
 * processor's cache. */
#define NET_PLACE_SKEW 64u
#define NET_PLACES_BYTES (NET_WIDE_MAX * (NET_WIDE_BYTES + NET_PLACE_SKEW))

typedef enum net_place {
    PLACE_SMALL,
    PLACE_WIDE,
    PLACE_NONE,  /* it sends more than a batch brings, and reads alone */
    PLACE_UNSURE /* as PLACE_NONE: it sent less now, but that may have been an end of more */
} net_place;

_Static_assert(NET_PLACES_BYTES >= NET_EARLY_MAX * (NET_EARLY_BYTES + NET_PLACE_SKEW),
               "both kinds have room");

/* By what it has read now, a place that it will not fill the next time. */
static inline void tusk__choose_place(tusk_conn *conn)
{
    size_t len = conn->in_len;
    if (TUSK_UNLIKELY(conn->place == PLACE_NONE) && len < NET_WIDE_BYTES) {
        conn->place = PLACE_UNSURE;
    } else {
        conn->place = len < NET_EARLY_BYTES  ? PLACE_SMALL
                      : len < NET_WIDE_BYTES ? PLACE_WIDE
                                             : PLACE_NONE;
    }
}

/* Answers of 8 KiB and more leave as soon as there are so many bytes of them, before the turn ends:
 * they are still in the cache, and their memory serves the next. */
#define NET_LARGE_ANSWER ((size_t)8 * 1024)
#define NET_LARGE_TOGETHER ((size_t)64 * 1024)

/* What one connection sends of its memory in a turn, in a call or several, before it goes behind
 * the answers to others; and what all of those send there. A kernel whose reader keeps up takes
 * tens of megabytes in one call, for tens of milliseconds. */
#define NET_SEND_SHARE ((size_t)256 * 1024)
#define NET_SEND_TURN (2 * NET_SEND_SHARE)
static inline size_t tusk__share_of_send(uint64_t len)
{
    return len < NET_SEND_SHARE ? (size_t)len : NET_SEND_SHARE;
}

/* So much may be inflated as soon as something came (tusk_net_work). */
#define NET_WORK_FIRST ((size_t)4 * 1024)

/* How many connections did something in this turn, and in the one before. */
typedef struct net_crowd {
    uint64_t turn;
    uint32_t now;
    uint32_t before;
} net_crowd;

struct tusk_net {
    tusk_loop *loop;
    const tusk_mem *mem;
    tusk_net_limits limits;
    tusk_net_counters counters;
    size_t queued;     /* memory in send queues */
    size_t queued_max; /* their limit, less what is reserved */
    size_t rest_bytes;
    size_t held_outside;
    size_t conns;
    uint64_t drives;        /* runs of the telling task: an older run is superseded */
    tusk_link flush;        /* connections to be flushed by the late task: they answer */
    tusk_link flush_large;  /* the same, with large answers: before the turn ends */
    tusk_link flush_others; /* the same, in shares: somebody else wrote to them */
    tusk_link flush_more;   /* the same, behind the answers: they had a share of the turn */
    tusk_link pending;      /* connections with something to tell */
    tusk_link telling;      /* those of them that the current run deals with */
    tusk_link lingering;    /* finishing connections, the next deadline first */
    tusk_link cut;          /* connections that go on in the next turn, by `pending` */
    tusk_link working;      /* those that have work left, by `linger` */
    tusk_task flush_task;   /* late */
    tusk_task others_task;  /* behind: the next share of flush_others */
    tusk_task more_task;    /* behind: flush_more */
    tusk_task tell_task;
    tusk_task behind_task; /* for `cut` and `working` */
    tusk_timer linger_timer;
    bool lags;                 /* of flush_others a share had to wait for the next turn */
    bool others_later;         /* others_task is deferred */
    uint64_t others_ns;        /* when the first of flush_others was written to */
    uint64_t in_vain_ns;       /* the turn in which a flush for room made none */
    uint64_t sent_ns;          /* the turn of `sent_much` */
    size_t sent_much;          /* as they became writable, by those who had more than a share */
    uint64_t work_runs;        /* as `drives` */
    size_t work_left;          /* what the on_data that runs may still make */
    const tusk_conn *slice_of; /* whose input is looked at since */
    uint64_t slice_start_ns;
    uint64_t slice_ns;
    net_crowd cuts;  /* their slice was over before their input was */
    net_crowd ahead; /* they filled their read: more is there already */
    net_crowd rekey; /* they asked for new keys */
    tusk_late_batch batch;
    void (*tell_lack)(void *user, const char *reason); /* may be NULL */
    void *tell_user;
    bool (*make_room)(void *user, tusk_conn *conn, size_t len); /* may be NULL */
    void *room_user;
    size_t large_bytes;   /* what those of flush_large had as they came there */
    uint8_t *early;       /* places for what batches receive; made with the first of them */
    size_t early_bytes;   /* what each of the last batch takes */
    unsigned early_count; /* of them, those that the last batch filled */
    tusk_conn *early_of[NET_EARLY_MAX]; /* whose bytes lie there unread; NULL: nobody's */
    uint8_t *gather; /* where segments are gathered into one TLS record; made on first use */
    struct net_pool small;
    struct net_pool large;
    struct net_pool refs; /* segments without inline bytes */
    void *rests[NET_REST_CLASSES];
    unsigned rest_counts[NET_REST_CLASSES];
};

/* net.c */
void tusk__net_schedule_flush(tusk_conn *conn);
/* It answers with much: as soon as that is enough for a call. */
void tusk__net_schedule_large(tusk_conn *conn);
/* It had its share of the turn: the rest behind the answers to others. */
void tusk__net_schedule_more(tusk_conn *conn);
/* A call of its own may have written: it does not wait among those others wrote to. */
void tusk__net_flush_as_answer(tusk_conn *conn);
void tusk__net_schedule_tell(tusk_conn *conn, unsigned tell);
void tusk__net_linger(tusk_conn *conn); /* (re)starts the deadline */
void tusk__net_unlinger(tusk_conn *conn);
uint8_t *tusk__net_rest_take(tusk_net *self, size_t len, uint32_t *cap);
void tusk__net_rest_give(tusk_net *self, uint8_t *rest, uint32_t cap);

/* sendq.c */
void tusk__sendq_drop(tusk_conn *conn);
void tusk__sendq_sent(tusk_conn *conn, size_t len); /* takes from the front */
void tusk__sendq_sent_all(tusk_conn *conn);         /* of a queue of one segment, no file */
/* Begins to wait for its peer: parts of larger blobs become copies, so that no more memory waits
 * with it than is counted. */
void tusk__sendq_unshare(tusk_conn *conn);
void tusk__seg_pools_fini(tusk_net *net);

/* conn_write.c */
void tusk__conn_write(tusk_conn *conn);
/* That send was made, with this answer (bytes, or the negative errno). */
void tusk__conn_sent(tusk_conn *conn, int result);
/* What its socket failed with leaves its reading half open (`read_on`), and writing is over. False:
 * the connection is. */
bool tusk__conn_reads_on(tusk_conn *conn, tusk_err err);

/* What waits is (part of) one blob that is in a file too, and large enough that its pages are
 * cheaper given to the socket than copied. */
#define NET_PAGES_MIN ((uint64_t)6 * 1024)
static inline bool tusk__conn_sends_pages(const tusk_conn *conn)
{
    const tusk_seg *seg = conn->send_head;
    return seg != NULL && seg->next == NULL && seg->kind == SEG_BLOB &&
           seg->u.slice.blob->file >= 0 && seg->len >= NET_PAGES_MIN && conn->filter == NULL;
}

/* conn_batch.c */
/* `most` of it, NET_BATCH_MAX at most */
void tusk__conns_flush_some(tusk_net *net, tusk_link *list, unsigned most);
/* From inside a readable event of `first`: what has come for it, and for those whose events follow
 * in this turn, where they are enough of them for a batch. */
void tusk__conns_receive(tusk_conn *first);

/* conn_read.c */
void tusk__conn_read(tusk_conn *conn);
/* A batch was answered so (0, or the negative errno) in place of bytes. */
void tusk__conn_not_received(tusk_conn *conn, int result);
void tusk__conn_discard(tusk_conn *conn);
/* on_data, as far as net->work_left goes, then the rest is put away */
void tusk__conn_deliver_on(tusk_conn *conn);
static inline void tusk__conn_deliver(tusk_conn *conn)
{
    conn->net->work_left = NET_WORK_FIRST;
    tusk__conn_deliver_on(conn);
}
bool tusk__conn_keep_input(tusk_conn *conn); /* out of the loop's buffer; false: no memory */
void tusk__conn_settle_input(tusk_conn *conn);
bool tusk__conn_take_preface(tusk_conn *conn); /* true: it is gone, the handshake may begin */

/* conn_work.c */
void tusk__net_schedule_cut(tusk_conn *conn, unsigned tell); /* in the next turn */
void tusk__net_run_behind(tusk_task *task);
void tusk__conn_stop_work(tusk_conn *conn); /* out of the line, if it stands there */

/* conn_turn.c */
/* Of a crowd that fills every read some are read in a turn, others in the next: the poller reports
 * them again, and a turn stays short for whoever asks little. */
bool tusk__conn_of_crowd_waits(tusk_conn *conn);
/* Nor is anything read of one that has work left. */
static inline bool tusk__conn_waits_its_turn(tusk_conn *conn)
{
    return TUSK_UNLIKELY(conn->filled || conn->rekeys || conn->works) &&
           tusk__conn_of_crowd_waits(conn);
}
/* Where much is held already, what one more connection can add is little: thousands that each send
 * the beginning of something must not cost thousands of landing buffers. */
size_t tusk__turn_read_cap(const tusk_net *net, size_t cap);
/* What filled its read has more to come: one of a crowd, perhaps. */
void tusk__turn_filled(tusk_conn *conn, size_t cap, ptrdiff_t len);
/* Its read met a wish for new keys of TLS, which take as long as twenty records: one of a crowd of
 * those. */
void tusk__turn_rekeyed(tusk_conn *conn);
/* A newcomer's input is looked at: with enough of little it has settled. */
void tusk__turn_settle(tusk_conn *conn);
/* Its input is looked at from now on. Of little, not many items can come: no clock is asked then.
 */
#define NET_SLICE_INPUT_MIN 512
void tusk__turn_slice_long(const tusk_conn *conn);
static inline void tusk__turn_slice(const tusk_conn *conn)
{
    conn->net->slice_of = NULL;
    if (conn->in_len > NET_SLICE_INPUT_MIN) {
        tusk__turn_slice_long(conn);
    }
}

/* conn.c */
void tusk__conn_interest(tusk_conn *conn);
void tusk__conn_close(tusk_conn *conn, tusk_err why);
void tusk__conn_close_if_reset(tusk_conn *conn);
/* The same, but for the descriptor, which the loop has let go of: it is closed, or somebody else's.
 */
void tusk__conn_leave(tusk_conn *conn, tusk_err why);
void tusk__conn_fail_opening(tusk_conn *conn, tusk_err err); /* on_ready tells it */

/* conn_tell.c */
void tusk__conn_tell(tusk_conn *conn);
void tusk__conn_begin_call(tusk_conn *conn);
void tusk__conn_end_call(tusk_conn *conn);

static inline bool tusk__conn_may_read(const tusk_conn *conn)
{
    return conn->state == CONN_OPEN && !conn->paused && conn->parked == 0 && !conn->busy &&
           !conn->eof_seen;
}

#endif
