<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Tasks;

/** The tasks of one run, in fibers; what they wait for when all of them wait is another's business. */
final class Coroutines implements Tasks
{
    /** @var \SplQueue<array{\Fiber<mixed, mixed, mixed, mixed>, mixed}> */
    private \SplQueue $ready;
    /** @var array<int, array{\Fiber<mixed, mixed, mixed, mixed>, \Closure(): bool}> tasks that wait for others */
    private array $joining = [];

    /** @param \Closure(self): void $idle waits until it can wake one; it is called when none is ready */
    public function __construct(
        private readonly FiberPool $fibers,
        private readonly \Closure $idle,
    ) {
        $this->ready = new \SplQueue();
    }

    public function spawn(\Closure $task): void
    {
        $this->fibers->start($this, $task);
    }

    public function until(\Closure $done): void
    {
        if ($this->fibers->current() === $this) {
            if (!$done()) {
                $this->joining[] = [self::fiber(), $done];
                \Fiber::suspend();
            }

            return;
        }
        while (!$done()) {
            if (!$this->wakeJoining() && $this->ready->isEmpty()) {
                ($this->idle)($this);
            }
            if (!$this->ready->isEmpty()) {
                [$fiber, $value] = $this->ready->dequeue();
                $this->fibers->resume($fiber, $value);
            }
        }
    }

    /**
     * For idle waits: that task goes on, and its suspend() gives the value.
     *
     * @param \Fiber<mixed, mixed, mixed, mixed> $fiber
     */
    public function wake(\Fiber $fiber, mixed $value = null): void
    {
        $this->ready->enqueue([$fiber, $value]);
    }

    /** @return \Fiber<mixed, mixed, mixed, mixed> the task that calls */
    public static function fiber(): \Fiber
    {
        return \Fiber::getCurrent() ?? throw new \LogicException('not in a task');
    }

    private function wakeJoining(): bool
    {
        $any = false;
        foreach ($this->joining as $i => [$fiber, $done]) {
            if ($done()) {
                unset($this->joining[$i]);
                $this->wake($fiber);
                $any = true;
            }
        }

        return $any;
    }
}
