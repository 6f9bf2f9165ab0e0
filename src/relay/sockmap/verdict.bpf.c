/* SPDX-License-Identifier: MIT */
/*
 * The kernel's relay: what a socket of a pair receives goes to the other one.
 *
 * It runs where data arrives, one socket at a time. Everything is passed on (the socket's own
 * reader, user space) that is not redirected: whoever is not known, whoever's peer is not there,
 * and everything from the moment on that the peer owes acknowledgement of too much. A direction
 * that passed bytes goes on passing until user space has said that all of them were sent; so they
 * stay in order.
 *
 * This file is compiled for the kernel. Its types are our own: the few members that are read of the
 * kernel's structs are found by their names when the program is loaded (CO-RE).
 */
typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed short __s16;
typedef signed int __s32;
typedef signed long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

#include <bpf/bpf_helpers.h>

#include "relay/sockmap/flow.h"

/* include/uapi/linux/bpf.h */
enum { MAP_HASH = 1, MAP_ARRAY_OF_MAPS = 12, MAP_SOCKHASH = 18, MAP_RINGBUF = 27, NO_PREALLOC = 1 };
enum { SK_DROP, SK_PASS };

struct __sk_buff {
    __u32 len;
    __u32 unread[40];
    __u32 gso_segs; /* segments that it was made of */
};

#define FOUND_BY_NAME __attribute__((preserve_access_index))

struct sock {
    int sk_wmem_queued;
    int sk_sndbuf;
} FOUND_BY_NAME;

struct inet_sock {
    struct sock sk;
} FOUND_BY_NAME;

struct inet_connection_sock {
    struct inet_sock icsk_inet;
} FOUND_BY_NAME;

struct tcp_sock {
    struct inet_connection_sock inet_conn;
    __u32 write_seq;
    __u64 bytes_acked;
} FOUND_BY_NAME;

/* What a socket tells of its way out. */
struct way_out {
    __u64 acked;
    __u32 write_seq;
    __u32 queued; /* memory, */
    __u32 room;   /* and how much of it there may be */
};

/* By the cookie of the socket that received: where it goes to. */
struct {
    __uint(type, MAP_SOCKHASH);
    __uint(max_entries, 1);
    __type(key, __u64);
    __type(value, __u64);
} peers SEC(".maps");

/* By the same key; the program's. */
struct {
    __uint(type, MAP_HASH);
    __uint(max_entries, 1);
    __uint(map_flags, NO_PREALLOC);
    __type(key, __u64);
    __type(value, struct sockmap_flow);
} flows SEC(".maps");

/* By the same key; user space's: how many of the passed bytes it has sent. No entry: none. */
struct {
    __uint(type, MAP_HASH);
    __uint(max_entries, 1);
    __uint(map_flags, NO_PREALLOC);
    __type(key, __u64);
    __type(value, __u64);
} taken SEC(".maps");

/* One for each relay: a direction passes bytes now. */
struct bell {
    __uint(type, MAP_RINGBUF);
    __uint(max_entries, SOCKMAP_BELL_BYTES);
};
struct {
    __uint(type, MAP_ARRAY_OF_MAPS);
    __uint(max_entries, 1);
    __type(key, __u32);
    __array(values, struct bell);
} bells SEC(".maps");

static __attribute__((always_inline)) void ring(struct sockmap_flow *flow, __u64 cookie)
{
    struct sockmap_bell word = {.cookie = cookie, .slot = flow->slot, .side = flow->side};
    __u32 number = flow->bell;
    void *bell = bpf_map_lookup_elem(&bells, &number);
    /* Nobody can hear it, or there is no room: with the next bytes once more. */
    flow->unheard = bell == 0 || bpf_ringbuf_output(bell, &word, sizeof(word), 0) != 0;
}

/* Everything that was passed has been sent by user space. The bytes at hand count as passed while
 * this is found out: either user space sees them, or this sees what user space has said. */
static __attribute__((always_inline)) int all_taken(struct sockmap_flow *flow, __u64 cookie,
                                                    __u32 len)
{
    if (flow->passed == 0) {
        return 1;
    }
    __u64 before = __sync_fetch_and_add(&flow->passed, len);
    const __u64 *sent = bpf_map_lookup_elem(&taken, &cookie);
    if (sent == 0 || *sent != before) {
        return 0; /* and they do count */
    }
    __sync_fetch_and_add(&flow->passed, -(__u64)len);
    return 1;
}

static __attribute__((always_inline)) int look_at_peer(__u64 cookie, struct way_out *out)
{
    struct bpf_sock *peer = bpf_map_lookup_elem(&peers, &cookie);
    if (peer == 0) {
        return 0;
    }
    struct tcp_sock *tcp = bpf_skc_to_tcp_sock(peer);
    int found = tcp != 0;
    if (found) {
        const struct sock *sock = &tcp->inet_conn.icsk_inet.sk;
        out->acked = tcp->bytes_acked;
        out->write_seq = tcp->write_seq;
        out->queued = (__u32)sock->sk_wmem_queued;
        out->room = (__u32)sock->sk_sndbuf;
    }
    bpf_sk_release(peer);
    return found;
}

/* The peer is there, has acknowledged enough, and its TCP can take these as well, all that was
 * redirected to it and waits included: nothing ever stands in its queue for want of room. What is
 * passed of the bytes that the peer itself receives goes through the same queue, counted nowhere
 * while it waits; so an unread answer would let its reader send without end. */
static __attribute__((always_inline)) int has_room(struct sockmap_flow *flow, __u64 cookie,
                                                   const struct __sk_buff *skb, __u32 len)
{
    struct way_out peer = {};
    if (!look_at_peer(cookie, &peer)) {
        return 0;
    }
    __u64 before = flow->redirected + flow->passed;
    if (flow->first_ns == 0) {
        flow->first_ns = bpf_ktime_get_ns();
        flow->acked = peer.acked;
        flow->write_seq = peer.write_seq - (__u32)before;
    }
    if (flow->write_seq + (__u32)before == peer.write_seq) {
        flow->waiting = 0;
    }
    __u32 cost = flow->waiting + len + SOCKMAP_SEGMENT_COST * (skb->gso_segs + 1);
    if (peer.queued + cost > peer.room - peer.room / 8) {
        return 0;
    }
    __u64 owed = before - (peer.acked - flow->acked);
    if ((__s64)(owed + len) > SOCKMAP_UNACKED_MAX) {
        return 0;
    }
    flow->waiting = cost;
    return 1;
}

SEC("sk_skb/stream_verdict")
int tusk_verdict(struct __sk_buff *skb)
{
    __u64 cookie = bpf_get_socket_cookie(skb);
    __u32 len = skb->len;
    struct sockmap_flow *flow = bpf_map_lookup_elem(&flows, &cookie);
    if (flow == 0) {
        return SK_PASS;
    }
    /* A FIN alone: TCP has seen to it. Passed or redirected, it may get into the queue of what
     * waits to be sent, and there a segment without bytes is an error that ends both directions. */
    if (len == 0) {
        return SK_DROP;
    }
    if (!all_taken(flow, cookie, len)) {
        if (flow->unheard) {
            ring(flow, cookie);
        }
        return SK_PASS;
    }
    if (has_room(flow, cookie, skb, len)) {
        flow->redirected += len;
        return (int)bpf_sk_redirect_hash(skb, &peers, &cookie, 0);
    }
    __sync_fetch_and_add(&flow->passed, len);
    ring(flow, cookie);
    return SK_PASS;
}

/* Some members of kernel structs may be read by such programs only. */
char LICENSE[] SEC("license") = "Dual MIT/GPL";
