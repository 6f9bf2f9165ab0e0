<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests\Support;

use Tusk\Chat\Hub;

/** Topics in memory, with the recording sinks that have subscribed. */
final class Topics implements Hub
{
    /** @var array<string, array<string, RecordingSink>> */
    private array $subscribers = [];

    /** @var list<array{topic: string, event: string, id: string, data: string}> */
    public array $published = [];

    public function publish(string $topic, string $data, string $event, string $id): void
    {
        $this->published[] = ['topic' => $topic, 'event' => $event, 'id' => $id, 'data' => $data];
        foreach ($this->subscribers[$topic] ?? [] as $sink) {
            $sink->send($data, $event, $id);
        }
    }

    public function subscribe(string $topic, RecordingSink $sink): void
    {
        $this->subscribers[$topic][$sink->id()] = $sink;
    }

    public function unsubscribe(string $topic, RecordingSink $sink): void
    {
        unset($this->subscribers[$topic][$sink->id()]);
    }

    public function drop(RecordingSink $sink): void
    {
        foreach (array_keys($this->subscribers) as $topic) {
            unset($this->subscribers[$topic][$sink->id()]);
        }
    }
}
