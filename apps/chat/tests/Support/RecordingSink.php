<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests\Support;

use Tusk\Chat\Sink;

/** A connection that remembers what came. */
final class RecordingSink implements Sink
{
    private static int $next = 0;

    /** @var list<array<string, mixed>> */
    public array $events = [];

    public ?string $cursor = null;

    public bool $isOpen = true;

    private readonly string $id;

    public function __construct(private readonly Topics $topics)
    {
        $this->id = 'sink' . ++self::$next;
    }

    public function id(): string
    {
        return $this->id;
    }

    public function send(string $data, string $event, ?string $id = null): void
    {
        /** @var array<string, mixed> $fields */
        $fields = json_decode($data, true, 16, JSON_THROW_ON_ERROR);
        $this->events[] = $fields;
        $this->cursor = $id ?? $this->cursor;
    }

    public function subscribe(string $topic): void
    {
        $this->topics->subscribe($topic, $this);
    }

    public function unsubscribe(string $topic): void
    {
        $this->topics->unsubscribe($topic, $this);
    }

    public function close(): void
    {
        $this->isOpen = false;
        $this->topics->drop($this);
    }

    /**
     * @phpstan-impure
     *
     * @return list<array<string, mixed>>
     */
    public function of(string $type): array
    {
        return array_values(array_filter($this->events, static fn (array $event): bool => $event['type'] === $type));
    }

    /** @return list<string> */
    public function types(): array
    {
        return array_map(static fn (array $event): string => is_string($event['type']) ? $event['type'] : '', $this->events);
    }

    /** @return list<string> what people said, in the order of arrival */
    public function texts(): array
    {
        $texts = [];
        foreach ($this->of('message') as $event) {
            if ($event['kind'] === 'text' && is_string($event['text'])) {
                $texts[] = $event['text'];
            }
        }
        return $texts;
    }
}
