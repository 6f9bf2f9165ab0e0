<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

use Tusk\Sse\EventStream;

/** A user's connection over Server-Sent Events. */
final readonly class StreamSink implements Sink
{
    public function __construct(private EventStream $stream) {}

    public function id(): string
    {
        return "sse {$this->stream->id}";
    }

    public function send(string $data, string $event, ?string $id = null): void
    {
        if ($this->stream->isOpen()) {
            $this->stream->send($data, $event, $id);
        }
    }

    public function subscribe(string $topic): void
    {
        $this->stream->subscribe($topic);
    }

    public function unsubscribe(string $topic): void
    {
        $this->stream->unsubscribe($topic);
    }

    public function close(): void
    {
        $this->stream->close();
    }
}
