/* SPDX-License-Identifier: MIT */
/* What a relay of HTTP counts, by name. */
#include "relay/http/inner.h"
#include "relay/shared.h"

void tusk_relay_http_stats_get(tusk_relay *self, tusk_relay_http_stats *out)
{
    if (self->share != NULL) {
        relay_share_publish(self);
        tusk_relay_shared_http_stats(self->share->all, out);
        return;
    }
    *out = self->http == NULL ? (tusk_relay_http_stats){.requests = 0} : self->http->stats;
}

static const tusk_metric rows[] = {
    TUSK_METRIC(tusk_relay_http_stats, requests, COUNTER, "Requests with a whole head."),
    TUSK_METRIC(tusk_relay_http_stats, answers_1xx, COUNTER,
                "Answers of backends with status 100 to 199."),
    TUSK_METRIC(tusk_relay_http_stats, answers_2xx, COUNTER,
                "Answers of backends with status 200 to 299."),
    TUSK_METRIC(tusk_relay_http_stats, answers_3xx, COUNTER,
                "Answers of backends with status 300 to 399."),
    TUSK_METRIC(tusk_relay_http_stats, answers_4xx, COUNTER,
                "Answers of backends with status 400 to 499."),
    TUSK_METRIC(tusk_relay_http_stats, answers_5xx, COUNTER,
                "Answers of backends with status 500 to 599."),
    TUSK_METRIC(tusk_relay_http_stats, refused_4xx, COUNTER,
                "Answers of the proxy with status 400 to 499."),
    TUSK_METRIC(tusk_relay_http_stats, refused_5xx, COUNTER,
                "Answers of the proxy with status 500 to 599."),
    TUSK_METRIC(tusk_relay_http_stats, direct, COUNTER, "Requests answered by their route."),
    TUSK_METRIC(tusk_relay_http_stats, bad_requests, COUNTER,
                "Requests that were no HTTP, or over a limit of heads."),
    TUSK_METRIC(tusk_relay_http_stats, bad_answers, COUNTER,
                "Answers that were no HTTP, or over a limit of heads."),
    TUSK_METRIC(tusk_relay_http_stats, bodies_too_big, COUNTER,
                "Request bodies over the limit of bytes."),
    TUSK_METRIC(tusk_relay_http_stats, interim_too_many, COUNTER,
                "Requests with too many interim answers."),
    TUSK_METRIC(tusk_relay_http_stats, requests_used_up, COUNTER,
                "Connections closed after their last permitted request."),
    TUSK_METRIC(tusk_relay_http_stats, head_timeouts, COUNTER, "Request heads that took too long."),
    TUSK_METRIC(tusk_relay_http_stats, body_timeouts, COUNTER,
                "Request bodies that took too long."),
    TUSK_METRIC(tusk_relay_http_stats, answer_timeouts, COUNTER,
                "Answers that did not begin in time."),
    TUSK_METRIC(tusk_relay_http_stats, idle_timeouts, COUNTER, "Exchanges ended after silence."),
    TUSK_METRIC(tusk_relay_http_stats, tunnel_timeouts, COUNTER, "Tunnels ended after silence."),
    TUSK_METRIC(tusk_relay_http_stats, keep_alive_timeouts, COUNTER,
                "Clients closed for want of another request."),
    TUSK_METRIC(tusk_relay_http_stats, client_fin_timeouts, COUNTER,
                "Half-closed clients whose answer took too long."),
    TUSK_METRIC(tusk_relay_http_stats, reused, COUNTER, "Requests that went to a kept connection."),
    TUSK_METRIC(tusk_relay_http_stats, retried, COUNTER, "Requests that were sent once more."),
    TUSK_METRIC(tusk_relay_http_stats, pool_full, COUNTER,
                "Connections not kept, as there are enough."),
    TUSK_METRIC(tusk_relay_http_stats, pool_expired, COUNTER, "Connections kept for long enough."),
    TUSK_METRIC(tusk_relay_http_stats, pool_outdated, COUNTER,
                "Connections not kept, as their target's name has lost an address."),
    TUSK_METRIC(tusk_relay_http_stats, pool_given_up, COUNTER,
                "Kept connections closed as their place was wanted."),
    TUSK_METRIC(tusk_relay_http_stats, pool_waits, COUNTER,
                "Requests that waited for a connection."),
    TUSK_METRIC(tusk_relay_http_stats, pool_wait_timeouts, COUNTER,
                "Requests that waited for a connection in vain."),
    TUSK_METRIC(tusk_relay_http_stats, pool_wait_refused, COUNTER,
                "Requests refused as too many waited."),
    TUSK_METRIC(tusk_relay_http_stats, early_answers, COUNTER,
                "Answers while the body of the request was still coming."),
    TUSK_METRIC(tusk_relay_http_stats, truncated, COUNTER,
                "Answers that ended before they were whole."),
    TUSK_METRIC(tusk_relay_http_stats, upgrades, COUNTER, "Requests that became tunnels."),
    TUSK_METRIC(tusk_relay_http_stats, paused_client, COUNTER,
                "Times that a client was not read, as its backend did not take."),
    TUSK_METRIC(tusk_relay_http_stats, paused_backend, COUNTER,
                "Times that a backend was not read, as its client did not take."),
    TUSK_METRIC(tusk_relay_http_stats, kept, GAUGE, "Connections kept."),
    TUSK_METRIC(tusk_relay_http_stats, lines, GAUGE, "Connections to backends."),
    TUSK_METRIC(tusk_relay_http_stats, tunnels, GAUGE, "Tunnels."),
};

TUSK_METRICS_COVER(rows, tusk_relay_http_stats);
const tusk_metric_table tusk_relay_http_counters = {rows, sizeof(rows) / sizeof(rows[0])};
