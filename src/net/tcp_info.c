/* SPDX-License-Identifier: MIT */
/* TCP_INFO, by the kernel's own header: the C library's lacks the counters of bytes. */
#include "net/tcp_info.h"

#if defined(__linux__)

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

/* include/net/tcp_states.h; the kernel shows them to nobody by name. */
enum { STATE_CLOSE = 7, STATE_CLOSE_WAIT = 8, STATE_LAST_ACK = 9, STATE_CLOSING = 11 };

bool tusk__tcp_info_get(net_tcp_info *out, int fd)
{
    struct tcp_info info;
    socklen_t len = sizeof(info);
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0 ||
        len < offsetof(struct tcp_info, tcpi_dsack_dups)) {
        return false;
    }
    *out = (net_tcp_info){
        .received = info.tcpi_bytes_received,
        .written = info.tcpi_bytes_sent - info.tcpi_bytes_retrans + info.tcpi_notsent_bytes,
        .quiet_ms = info.tcpi_last_data_recv,
        .taken_ms = info.tcpi_last_data_sent > info.tcpi_last_ack_recv ? info.tcpi_last_data_sent
                                                                       : info.tcpi_last_ack_recv,
        .held = info.tcpi_unacked > 0 || info.tcpi_notsent_bytes > 0,
        .peer_ended = info.tcpi_state == STATE_CLOSE_WAIT || info.tcpi_state == STATE_LAST_ACK ||
                      info.tcpi_state == STATE_CLOSING,
        .closed = info.tcpi_state == STATE_CLOSE};
    return true;
}

#else

bool tusk__tcp_info_get(net_tcp_info *out, int fd)
{
    (void)out;
    (void)fd;
    return false;
}

#endif
