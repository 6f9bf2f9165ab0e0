<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Exception\EmbedException;
use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;
use Tusk\Scope;

/**
 * Starts every request as soon as it is known, and ends when all have ended. One for each run: from the first use of a
 * pending request until the last that this made ready has its result.
 */
final class Planner
{
    /** @var array<string, Entry> by identity (and object, without dedup): what runs, or has run */
    private array $entries = [];
    /** @var \WeakMap<object, Entry>|null whose task that scope is */
    private ?\WeakMap $scopes = null;
    private int $running = 0;
    /** Groups that are no part of a request of ours: who uses one client in several tasks has several. */
    private int $outer = 0;
    /** @var \SplQueue<Entry>|null that wait because enough run, and some that had to run before their turn */
    private ?\SplQueue $queue = null;

    public function __construct(
        private readonly Dispatcher $dispatcher,
        private readonly Plan $plan,
    ) {}

    /**
     * @param list<Request>                           $requests
     * @param \Closure(ResourceObject): list<Request> $next
     * @param \Closure(Request, \Throwable): void     $failed
     */
    public function settle(array $requests, \Closure $next, \Closure $failed): void
    {
        $group = new Group($next, $failed, $this->scopes === null || \count($this->scopes) === 0 ? null : $this->scopes[Scope::current()] ?? null);
        $owner = $group->owner;
        if ($owner !== null) {
            $owner->inner[spl_object_id($group)] = $group;
        } else {
            $this->outer++;
        }
        try {
            while ($requests !== []) {
                $group->later = [];
                foreach ($requests as $request) {
                    $this->want($request, $group);
                }
                while ($group->isOpen()) {
                    $this->dispatcher->rest($group);
                }
                $requests = $group->later;
            }
        } finally {
            $group->over = true;
            if ($owner !== null) {
                unset($owner->inner[spl_object_id($group)]);
            } else {
                $this->outer--;
            }
        }
    }

    /** Whether somebody waits for what it runs. */
    public function isNeeded(): bool
    {
        return $this->outer > 0;
    }

    /** Ends what still runs: somebody who waited for it was cancelled, or is late. */
    public function close(): void
    {
        $this->queue = null;
        $this->dispatcher->close();
    }

    private function want(Request $request, Group $group): void
    {
        $identity = $request->startable();
        if ($identity === null) {
            return;
        }
        $key = $this->plan->dedup ? $identity : $this->key($request);
        $entry = $this->entries[$key] ?? null;
        if ($entry === null) {
            $this->launch($key, $request, $group);
        } elseif ($entry->outcome !== null) {
            $this->give($entry->outcome, $entry, $request, $group);
        } elseif ($group->owner !== null && $entry->needs($group->owner)) {
            $this->launch($key, $request, $group); // two that wait for each other: run as in a sequential run, it finds the circle
        } else {
            $entry->waiting[] = [$request, $group];
            $group->add($entry);
            if ($entry->queued && $group->owner !== null) {
                $this->dispatch($entry); // it waits for a place that the one who needs it holds
            }
        }
    }

    /** Without dedup each request is its own; one that was changed since it ran is another. */
    private function key(Request $request): string
    {
        return $this->plan->dedup ? $request->identity() : spl_object_id($request) . " {$request->identity()}";
    }

    private function launch(string $key, Request $request, Group $group): void
    {
        $this->entries[$key] = $entry = new Entry($request, $group);
        $group->add($entry);
        // What a running one needs may not wait behind others: they could all be waiting for such.
        if ($this->running >= $this->plan->concurrency && $group->owner === null) {
            $entry->queued = true;
            $this->queue ??= new \SplQueue();
            $this->queue->enqueue($entry);
        } else {
            $this->running++;
            $this->dispatcher->dispatch($entry);
        }
    }

    private function dispatch(Entry $entry): void
    {
        $entry->queued = false;
        $this->running++;
        $this->dispatcher->dispatch($entry);
    }

    /** For the dispatcher. */
    public function ended(Entry $entry, ResourceObject|\Throwable $outcome): void
    {
        $this->running--;
        $this->tell($entry, $outcome);
        while ($this->queue !== null && $this->running < $this->plan->concurrency && !$this->queue->isEmpty()) {
            $next = $this->queue->dequeue();
            if ($next->queued) {
                $this->dispatch($next);
            }
        }
    }

    private function tell(Entry $entry, ResourceObject|\Throwable $outcome): void
    {
        $entry->outcome = $outcome; // from now on nobody waits for it
        $this->give($outcome, $entry, $entry->request, $entry->group);
        foreach ($entry->waiting as [$request, $group]) {
            $this->give($outcome, $entry, $request, $group);
        }
        $entry->group->remove($entry);
        foreach ($entry->waiting as [, $group]) {
            $group->remove($entry);
        }
        $entry->waiting = [];
    }

    /** @param Entry $of what ran for it, and maybe for others that were equal */
    private function give(ResourceObject|\Throwable $outcome, Entry $of, Request $request, Group $group): void
    {
        if ($group->over || $request->identity() !== $of->asked->identity()) {
            return; // a request that was changed meanwhile is started with the result it stands in, or when it is used
        }
        // Who embeds itself is a question of the way down: another way, another answer.
        if ($outcome instanceof EmbedException && $request->ancestors !== $of->request->ancestors) {
            $this->launch($this->key($request), $request, $group);

            return;
        }
        $request->settle($outcome);
        if ($outcome instanceof \Throwable) {
            ($group->failed)($request, $outcome);

            return;
        }
        foreach (($group->next)($outcome) as $ready) {
            if ($this->plan->levels) {
                $group->later[] = $ready;
            } else {
                $this->want($ready, $group);
            }
        }
    }

    /**
     * The calling task runs that entry's request: what it needs meanwhile is needed by that one.
     *
     * @param \Closure(): ResourceObject $do
     */
    public function during(Entry $entry, \Closure $do): ResourceObject
    {
        $scope = Scope::current();
        $this->scopes ??= new \WeakMap();
        $this->scopes[$scope] = $entry;
        try {
            return $do();
        } finally {
            unset($this->scopes[$scope]);
        }
    }
}
