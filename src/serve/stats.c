/* SPDX-License-Identifier: MIT */
/* The server's counters by name. */
#include "serve/share.h"

void tusk__server_stats_own(const tusk_server *self, tusk_server_stats *out)
{
    tusk_loop_counters loop;
    const tusk_net_counters *net = tusk_net_count(self->net);
    tusk_loop_count(self->loop, &loop);
    *out = self->stats;
    out->connections_open = self->session_count;
    out->handshakes_pending = self->handshakes;
    out->unfinished_bytes = self->unfinished;
    out->queued_bytes = tusk_net_queued(self->net);
    out->topics = self->hub.topic_count;
    out->accept_exhausted = tusk__server_exhausted(self);
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

#define STAT(name)                                                                                 \
    {                                                                                              \
#name, offsetof(tusk_server_stats, name)                                                   \
    }

static const struct {
    const char *name;
    size_t place;
} names[] = {
    STAT(connections_open),
    STAT(connections_total),
    STAT(connections_refused),
    STAT(connections_per_address_refused),
    STAT(handshakes_pending),
    STAT(handshakes_refused),
    STAT(handshake_timeouts),
    STAT(requests),
    STAT(responses_4xx),
    STAT(responses_5xx),
    STAT(body_timeouts),
    STAT(keep_alive_timeouts),
    STAT(forms_refused),
    STAT(websockets_open),
    STAT(websockets_total),
    STAT(streams_open),
    STAT(streams_total),
    STAT(heartbeats),
    STAT(messages_in),
    STAT(messages_out),
    STAT(message_bytes_in),
    STAT(message_bytes_out),
    STAT(published),
    STAT(delivered),
    STAT(dropped_oldest),
    STAT(dropped_newest),
    STAT(conflated),
    STAT(overflow_closed),
    STAT(unfinished_closed),
    STAT(resets_sent),
    STAT(compressions),
    STAT(protocol_errors),
    STAT(messages_too_big),
    STAT(invalid_utf8),
    STAT(idle_timeouts),
    STAT(pong_timeouts),
    STAT(close_timeouts),
    STAT(drain_cut),
    STAT(pongs_replaced),
    STAT(subscriptions_refused),
    STAT(rate_paused),
    STAT(queue_paused),
    STAT(unfinished_paused),
    STAT(sends_refused),
    STAT(unfinished_bytes),
    STAT(queued_bytes),
    STAT(subscription_bytes),
    STAT(subscriptions),
    STAT(topics),
    STAT(parked),
    STAT(accept_exhausted),
    STAT(out_of_memory),
    STAT(bytes_in),
    STAT(bytes_out),
    STAT(recv_calls),
    STAT(send_calls),
    STAT(batches),
    STAT(batched),
    STAT(turns),
};

const char *tusk_server_stat(const tusk_server_stats *stats, size_t i, uint64_t *value)
{
    if (i >= sizeof(names) / sizeof(names[0])) {
        return NULL;
    }
    memcpy(value, (const char *)stats + names[i].place, sizeof(*value));
    return names[i].name;
}
