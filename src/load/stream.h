/* SPDX-License-Identifier: MIT */
/*
 * Subscribers that listen, publishers that publish, and who got what when.
 *
 * Publisher p's m-th message goes to room m % rooms and is the (m / rooms)-th there: a subscriber
 * sees consecutive numbers from each publisher, so that one that is lost, doubled or late shows.
 */
#ifndef LOAD_STREAM_H
#define LOAD_STREAM_H

#include <tusk/sse.h>

#include "load/answer.h"
#include "load/head.h"
#include "load/payload.h"

enum stream_step { STREAM_SHAKING, STREAM_OPEN, STREAM_GOODBYE };

/* What one subscriber has seen of one publisher. */
typedef struct stream_seen {
    uint64_t next; /* number that comes next; 0: none seen yet */
    uint64_t mask; /* bit d: the one d before the last was seen */
} stream_seen;

/* One message as far as this worker has delivered it. */
typedef struct stream_local {
    uint64_t key;
    uint64_t first_ns;
    uint64_t last_ns;
    uint32_t count;
} stream_local;

typedef struct stream {
    load_ws ws;          /* first */
    uint32_t publishers; /* of the run */
    uint32_t *here;      /* subscribers of this worker, by room */
    stream_seen *seen;   /* by subscriber and publisher */
    size_t seen_count;
    stream_local *local; /* LOAD_SPREADS of them */
    uint64_t delivered;  /* not yet added to the board */
    uint64_t ticked_ns;
    /* publishing */
    uint8_t *payload; /* stamp and pattern */
    tusk_buf message; /* what goes around it */
    tusk_buf request; /* a whole frame or HTTP request */
    uint32_t next_publisher;
    uint64_t forgiven; /* deliveries that are waited for no more */
    uint64_t progress; /* deliveries when last looked at */
    uint64_t moved_ns; /* and when they had last become more */
} stream;

typedef struct stream_link {
    load_ws_link ws; /* first */
    /* subscribers over event streams */
    tusk_http_body body;
    tusk_sse_parser parser;
    size_t scanned;
    uint64_t left_ns;     /* when it was left, to be opened again */
    uint64_t events;      /* since it was opened */
    uint64_t last_number; /* of an event's id */
    uint32_t room;
    uint32_t number; /* among the subscribers or publishers of all workers */
    bool subscribed; /* counted among those who are to get messages */
    bool parser_made;
    bool slow;
    double allowance; /* bytes that a slow one may read */
    /* publishers */
    load_answer answer;
    uint64_t published;
} stream_link;

static inline stream *tusk__stream_of(const load_link *link)
{
    return link->worker->state;
}
static inline stream_link *tusk__stream_link_of(load_link *link)
{
    return (stream_link *)(void *)link;
}

/* ---- stream_tally.c ---- */
/* A payload came: counted if it carries a stamp of this run. False: it does not. */
bool tusk__stream_delivered(load_link *link, tusk_bytes payload);
/* The subscriber is to get what is published from now on, or no more. */
void tusk__stream_subscribe(load_link *link, bool on);
/* Tells the board what was delivered. */
void tusk__stream_flush(load_worker *worker);

/* ---- stream_publish.c ---- */
tusk_err tusk__stream_publish_init(load_worker *worker);
void tusk__stream_publish_fini(load_worker *worker);
void tusk__stream_publisher_up(load_link *link);
size_t tusk__stream_publisher_bytes(load_link *link, uint8_t *in, size_t len);
/* Publishes what is due. */
void tusk__stream_publish_due(load_worker *worker);
/* Everything that was published has been delivered, or is waited for no more. */
bool tusk__stream_all_delivered(const load_worker *worker);

#endif
