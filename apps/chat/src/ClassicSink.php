<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

use Tusk\Sse\EventStream;

/** A stream of the classic interface: the first two events are lines for people, the rest is as on /events. */
final readonly class ClassicSink implements Sink
{
    private StreamSink $sink;

    public function __construct(private EventStream $stream)
    {
        $this->sink = new StreamSink($stream);
    }

    public function id(): string
    {
        return $this->sink->id();
    }

    public function send(string $data, string $event, ?string $id = null): void
    {
        if ($event !== 'welcome' || !$this->stream->isOpen()) {
            $this->sink->send($data, $event, $id);
            return;
        }
        /** @var array{you: array{name: string}, online: list<string>, count: int} $welcome */
        $welcome = json_decode($data, true, 16, JSON_THROW_ON_ERROR);
        $more = $welcome['count'] - count($welcome['online']);
        $this->stream->send("Welcome, {$welcome['you']['name']}!", 'welcome');
        $this->stream->send('Online: ' . implode(', ', $welcome['online']) . ($more > 0 ? " and $more more" : ''), 'online');
    }

    public function subscribe(string $topic): void
    {
        $this->sink->subscribe($topic);
    }

    public function unsubscribe(string $topic): void
    {
        $this->sink->unsubscribe($topic);
    }

    public function close(): void
    {
        $this->sink->close();
    }
}
