<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Condition;
use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;

/** What one use of a request started, with all that follows from it. */
final class Group
{
    /** @var list<Request> of the next level, where levels are kept apart */
    public array $later = [];
    /** Nobody waits for it any more, whether or not it has ended. */
    public bool $over = false;
    /** @var array<int, Entry> that it still waits for, by object id */
    private array $entries = [];
    private ?Condition $ended = null;

    /**
     * @param \Closure(ResourceObject): list<Request> $next
     * @param \Closure(Request, \Throwable): void     $failed
     * @param Entry|null                              $owner whose method or links need it
     */
    public function __construct(
        public readonly \Closure $next,
        public readonly \Closure $failed,
        public readonly ?Entry $owner,
    ) {}

    public function add(Entry $entry): void
    {
        $this->entries[spl_object_id($entry)] = $entry;
    }

    public function remove(Entry $entry): void
    {
        unset($this->entries[spl_object_id($entry)]);
        if ($this->entries === []) {
            $this->ended?->notify();
        }
    }

    public function isOpen(): bool
    {
        return $this->entries !== [];
    }

    /** Returns when all have ended; tasks run meanwhile. In a handler or a task only that one waits. */
    public function sleep(): void
    {
        $this->ended ??= new Condition();
        while ($this->entries !== []) {
            $this->ended->wait();
        }
    }

    /** Whether it cannot end before that entry has. */
    public function needs(Entry $other): bool
    {
        foreach ($this->entries as $entry) {
            if ($entry->needs($other)) {
                return true;
            }
        }

        return false;
    }
}
