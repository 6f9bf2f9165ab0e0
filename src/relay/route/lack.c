/* SPDX-License-Identifier: MIT */
/* What this process has run out of, in words for whoever can give it more. */
#include "relay/route/lack.h"

#include <errno.h>

#include "relay/inner.h"

relay_lack relay_lack_of(int number)
{
    return number == EMFILE ? LACK_DESCRIPTOR : number == ENFILE ? LACK_OF_ALL : LACK_PORT;
}

void relay_lack_tell(const relay_target *target, relay_lack lack)
{
    tusk_relay *relay = target->relay;
    relay->stats.dials_exhausted++;
    switch (lack) {
    case LACK_DESCRIPTOR:
        relay_say(relay, NOTICE_DESCRIPTOR,
                  "%s cannot be connected to: this process has no file descriptor left; raise "
                  "ulimit -n (LimitNOFILE) above twice the limit of connections",
                  target->text);
        break;
    case LACK_OF_ALL:
        relay_say(relay, NOTICE_DESCRIPTOR,
                  "%s cannot be connected to: this machine has no file descriptor left; raise "
                  "sysctl fs.file-max, or find who has so many",
                  target->text);
        break;
    case LACK_PORT:
        relay_say(relay, NOTICE_PORT,
                  "%s cannot be connected to: no local port (or address) is left for it; widen "
                  "sysctl net.ipv4.ip_local_port_range, or give the target more addresses",
                  target->text);
        break;
    case LACK_WATCH:
        relay_say(relay, NOTICE_WATCH,
                  "%s cannot be connected to: the system watches no more sockets for this user; "
                  "raise sysctl fs.epoll.max_user_watches, or run it as a user of its own",
                  target->text);
        break;
    case LACK_THREAD:
        relay_say(relay, NOTICE_THREAD,
                  "%s cannot be looked up: no thread can be started; raise ulimit -u (TasksMax, "
                  "pids.max)",
                  target->text);
        break;
    }
}
