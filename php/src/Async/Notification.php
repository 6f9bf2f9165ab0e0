<?php

declare(strict_types=1);

namespace Tusk\Async;

/** What a NOTIFY told a connection that listens. */
final readonly class Notification
{
    /** @param int $pid process of the server whose session told it: pg_get_pid() of a connection of one's own tells those apart */
    public function __construct(
        public string $channel,
        public string $payload,
        public int $pid,
    ) {}
}
