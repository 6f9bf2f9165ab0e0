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
    /** @var \SplObjectStorage<Entry, null> that it still waits for */
    private \SplObjectStorage $entries;
    private readonly Condition $ended;

    /**
     * @param \Closure(ResourceObject): list<Request> $next
     * @param \Closure(Request, \Throwable): void     $failed
     * @param Entry|null                              $owner whose method or links need it
     */
    public function __construct(
        public readonly \Closure $next,
        public readonly \Closure $failed,
        public readonly ?Entry $owner,
    ) {
        $this->entries = new \SplObjectStorage();
        $this->ended = new Condition();
    }

    public function add(Entry $entry): void
    {
        $this->entries->attach($entry);
    }

    public function remove(Entry $entry): void
    {
        $this->entries->detach($entry);
        if (count($this->entries) === 0) {
            $this->ended->notify();
        }
    }

    /** Returns when all have ended; tasks run meanwhile. In a handler or a task only that one waits. */
    public function wait(): void
    {
        while (count($this->entries) > 0) {
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
