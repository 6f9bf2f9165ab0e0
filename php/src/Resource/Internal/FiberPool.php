<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

/** Fibers that run one task after another: a new one costs the mapping of a stack. */
final class FiberPool
{
    private const IDLE_MAX = 64;

    /** @var list<\Fiber<mixed, mixed, mixed, mixed>> */
    private array $idle = [];
    /** @var \WeakMap<\Fiber<mixed, mixed, mixed, mixed>, Coroutines> whose task a fiber runs */
    private \WeakMap $running;

    public function __construct()
    {
        $this->running = new \WeakMap();
    }

    /** @param \Closure(): void $task */
    public function start(Coroutines $owner, \Closure $task): void
    {
        $fiber = array_pop($this->idle);
        $begun = $fiber !== null;
        $fiber ??= self::make();
        $this->running[$fiber] = $owner;
        $this->stepped($fiber, $begun ? $fiber->resume($task) : $fiber->start($task));
    }

    /** @param \Fiber<mixed, mixed, mixed, mixed> $fiber that waits */
    public function resume(\Fiber $fiber, mixed $value): void
    {
        $this->stepped($fiber, $fiber->resume($value));
    }

    /** Whose task calls; null: none of this pool. */
    public function current(): ?Coroutines
    {
        $fiber = \Fiber::getCurrent();

        return $fiber === null ? null : $this->running[$fiber] ?? null;
    }

    /** @param \Fiber<mixed, mixed, mixed, mixed> $fiber */
    private function stepped(\Fiber $fiber, mixed $given): void
    {
        if ($given === true) {
            unset($this->running[$fiber]);
            if (count($this->idle) < self::IDLE_MAX) {
                $this->idle[] = $fiber;
            }
        }
    }

    /** @return \Fiber<mixed, mixed, mixed, mixed> one that gives true when its task has ended, and takes the next */
    private static function make(): \Fiber
    {
        return new \Fiber(static function (mixed $task): void {
            while ($task instanceof \Closure) {
                $task();
                $task = null; // what it holds goes now, not with the next task
                $task = \Fiber::suspend(true);
            }
        });
    }
}
