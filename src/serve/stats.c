/* SPDX-License-Identifier: MIT */
/* The server's counters by name. */
#include "serve/share.h"

void tusk__server_stats_own(const tusk_server *self, tusk_server_stats *out)
{
    tusk_loop_counters loop;
    const tusk_net_counters *net = tusk_net_count(self->net);
    tusk_loop_count(self->loop, &loop);
    *out = self->stats;
    out->connections_open = self->gates.taken;
    out->heap_trims = self->gates.heap.trims;
    out->handshakes_pending = self->handshakes;
    out->unfinished_bytes = self->unfinished;
    out->queued_bytes = tusk_net_queued(self->net);
    out->topics = self->hub.topics.count;
    out->accept_exhausted = net_gates_exhausted(&self->gates);
    out->bytes_in = net->bytes_in;
    out->bytes_out = net->bytes_out;
    out->recv_calls = net->recv_calls;
    out->send_calls = net->send_calls;
    out->batches = net->batches;
    out->batched = net->batched;
    out->turns = loop.turns;
    if (self->handler->on_count != NULL) {
        self->handler->on_count(self->user, out);
    }
}

void tusk_server_stats_get(const tusk_server *self, tusk_server_stats *out)
{
    if (self->share == NULL) {
        tusk__server_stats_own(self, out);
    } else {
        tusk__share_stats(self, out);
    }
}

/* What the owner has and counts: it has the names. */
#define OWN(field, kind)                                                                           \
    {                                                                                              \
        NULL, NULL, TUSK_METRIC_##kind, offsetof(tusk_server_stats, field) / sizeof(uint64_t)      \
    }

static const tusk_metric rows[] = {
    TUSK_METRIC(tusk_server_stats, connections_open, GAUGE, "Sockets of every kind that are open."),
    TUSK_METRIC(tusk_server_stats, connections_total, COUNTER, "Connections accepted."),
    TUSK_METRIC(tusk_server_stats, connections_refused, COUNTER,
                "Connections given up at once: no memory, or no more sockets are watched."),
    TUSK_METRIC(tusk_server_stats, connections_per_address_refused, COUNTER,
                "Connections over the limit of one address."),
    TUSK_METRIC(tusk_server_stats, handshakes_pending, GAUGE,
                "Connections whose TLS handshake or first request head is not complete."),
    TUSK_METRIC(
        tusk_server_stats, handshakes_refused, COUNTER,
        "Upgrades and event streams refused, failed TLS handshakes, malformed first requests."),
    TUSK_METRIC(tusk_server_stats, handshake_timeouts, COUNTER,
                "Handshakes and first request heads that took too long."),
    TUSK_METRIC(tusk_server_stats, requests, COUNTER,
                "Request heads that parsed, upgrades included."),
    TUSK_METRIC(tusk_server_stats, responses_4xx, COUNTER, "Answers of status 400 to 499."),
    TUSK_METRIC(tusk_server_stats, responses_5xx, COUNTER, "Answers of status 500 to 599."),
    TUSK_METRIC(tusk_server_stats, body_timeouts, COUNTER, "Request bodies that took too long."),
    TUSK_METRIC(
        tusk_server_stats, keep_alive_timeouts, COUNTER,
        "Connections closed for want of another request, or of a peer that takes its answer."),
    TUSK_METRIC(tusk_server_stats, forms_refused, COUNTER,
                "Forms that are malformed or over a limit."),
    TUSK_METRIC(tusk_server_stats, websockets_open, GAUGE, "WebSocket connections that are open."),
    TUSK_METRIC(tusk_server_stats, websockets_total, COUNTER, "WebSocket connections opened."),
    TUSK_METRIC(tusk_server_stats, streams_open, GAUGE, "Event streams that are open."),
    TUSK_METRIC(tusk_server_stats, streams_total, COUNTER, "Event streams opened."),
    TUSK_METRIC(tusk_server_stats, heartbeats, COUNTER,
                "Comments written to silent event streams."),
    TUSK_METRIC(tusk_server_stats, messages_in, COUNTER, "WebSocket messages received whole."),
    TUSK_METRIC(tusk_server_stats, messages_out, COUNTER,
                "WebSocket messages, pings and resets sent, without what topics deliver."),
    TUSK_METRIC(tusk_server_stats, message_bytes_in, COUNTER,
                "Payload bytes of messages received, before compression."),
    TUSK_METRIC(tusk_server_stats, message_bytes_out, COUNTER,
                "Payload bytes of messages sent, before compression."),
    TUSK_METRIC(tusk_server_stats, published, COUNTER, "Messages published to topics."),
    TUSK_METRIC(tusk_server_stats, delivered, COUNTER,
                "Messages put into the queue of a subscriber."),
    TUSK_METRIC(tusk_server_stats, dropped_oldest, COUNTER,
                "Queued messages that gave way to newer ones."),
    TUSK_METRIC(tusk_server_stats, dropped_newest, COUNTER,
                "Published messages that found a queue full."),
    TUSK_METRIC(tusk_server_stats, conflated, COUNTER,
                "Queued messages replaced by the next of their topic."),
    TUSK_METRIC(tusk_server_stats, overflow_closed, COUNTER,
                "Sessions closed because a queue was full, of what was sent or published."),
    TUSK_METRIC(
        tusk_server_stats, unfinished_closed, COUNTER,
        "Sessions cut because their unfinished message held memory that others waited for."),
    TUSK_METRIC(tusk_server_stats, resets_sent, COUNTER,
                "Gaps told to subscribers that resumed too late."),
    TUSK_METRIC(tusk_server_stats, compressions, COUNTER, "Runs of the compressor for publishing."),
    TUSK_METRIC(tusk_server_stats, protocol_errors, COUNTER,
                "Connections failed for a broken rule."),
    TUSK_METRIC(tusk_server_stats, messages_too_big, COUNTER,
                "WebSocket messages over the limit of bytes."),
    TUSK_METRIC(tusk_server_stats, invalid_utf8, COUNTER, "Text messages that are not UTF-8."),
    TUSK_METRIC(tusk_server_stats, idle_timeouts, COUNTER,
                "WebSocket connections closed after silence."),
    TUSK_METRIC(tusk_server_stats, pong_timeouts, COUNTER, "Pings without an answer in time."),
    TUSK_METRIC(tusk_server_stats, close_timeouts, COUNTER,
                "Peers that did not answer a Close in time."),
    TUSK_METRIC(tusk_server_stats, drain_cut, COUNTER, "Connections cut at the end of a drain."),
    TUSK_METRIC(tusk_server_stats, pongs_replaced, COUNTER,
                "Pongs that a later ping took the place of."),
    TUSK_METRIC(tusk_server_stats, subscriptions_refused, COUNTER, "Subscriptions over a limit."),
    TUSK_METRIC(tusk_server_stats, rate_paused, COUNTER,
                "Times that reading a session stopped for its rate."),
    TUSK_METRIC(tusk_server_stats, queue_paused, COUNTER,
                "Times that reading a session stopped for its long queue."),
    TUSK_METRIC(
        tusk_server_stats, unfinished_paused, COUNTER,
        "Times that reading a session stopped as memory of unfinished messages was used up."),
    TUSK_METRIC(tusk_server_stats, sends_refused, COUNTER, "Sends that did not fit into a queue."),
    TUSK_METRIC(tusk_server_stats, unfinished_bytes, GAUGE,
                "Bytes of messages and bodies that are not whole."),
    TUSK_METRIC(tusk_server_stats, queued_bytes, GAUGE, "Bytes waiting to leave."),
    TUSK_METRIC(tusk_server_stats, subscription_bytes, GAUGE,
                "Bytes that subscriptions, their topics and what those keep take."),
    TUSK_METRIC(tusk_server_stats, subscriptions, GAUGE, "Subscriptions of all sessions."),
    TUSK_METRIC(tusk_server_stats, topics, GAUGE, "Topics with a subscriber, of each worker."),
    TUSK_METRIC(tusk_server_stats, parked, GAUGE, "Sessions whose handler waits."),
    TUSK_METRIC(tusk_server_stats, accept_exhausted, COUNTER,
                "Times that accepting paused for want of a descriptor."),
    TUSK_METRIC(tusk_server_stats, out_of_memory, COUNTER, "Allocations that failed."),
    TUSK_METRIC(tusk_server_stats, heap_trims, COUNTER,
                "Times that memory which lay idle was given back to the system."),
    TUSK_METRIC(tusk_server_stats, bytes_in, COUNTER,
                "Bytes received from sockets; over TLS what records carry."),
    TUSK_METRIC(tusk_server_stats, bytes_out, COUNTER,
                "Bytes that sockets took; over TLS what records carry."),
    TUSK_METRIC(tusk_server_stats, recv_calls, COUNTER, "Receives."),
    TUSK_METRIC(tusk_server_stats, send_calls, COUNTER, "Sends."),
    TUSK_METRIC(tusk_server_stats, batches, COUNTER,
                "System calls that did several receives or sends."),
    TUSK_METRIC(tusk_server_stats, batched, COUNTER, "Receives and sends done by such calls."),
    TUSK_METRIC(tusk_server_stats, turns, COUNTER, "Turns of the event loop."),
    OWN(own_gauge, GAUGE),
    OWN(own[0], COUNTER),
    OWN(own[1], COUNTER),
    OWN(own[2], COUNTER),
    OWN(own[3], COUNTER),
};

TUSK_METRICS_COVER(rows, tusk_server_stats);
const tusk_metric_table tusk_server_counters = {rows, sizeof(rows) / sizeof(rows[0])};
