<?php

declare(strict_types=1);

namespace Tusk\Resource;

use Tusk\Resource\Internal\Coroutines;
use Tusk\Resource\Internal\FiberPool;
use Tusk\Resource\Internal\Waits;

/** Tasks in fibers of PHP, timers and streams. */
final class FiberScheduler implements Scheduler
{
    private readonly FiberPool $fibers;
    /** @var \WeakMap<Coroutines, Waits> */
    private \WeakMap $waits;

    /** @param bool $inServer its tasks run in handlers of a Tusk server: streams are then looked at each half millisecond, so that the server goes on */
    public function __construct(private readonly bool $inServer = false)
    {
        $this->fibers = new FiberPool();
        $this->waits = new \WeakMap();
    }

    public function tasks(): Tasks
    {
        $waits = new Waits($this->inServer);
        $tasks = new Coroutines($this->fibers, $waits->next(...));
        $this->waits[$tasks] = $waits;

        return $tasks;
    }

    public function sleep(float $seconds): void
    {
        $tasks = $this->fibers->current();
        if ($tasks === null) {
            Waits::pause($seconds);
        } else {
            $this->of($tasks)->timer($tasks, Waits::end($seconds));
            \Fiber::suspend();
        }
    }

    public function readable($stream, ?float $timeout = null): bool
    {
        return $this->ready($stream, false, $timeout);
    }

    public function writable($stream, ?float $timeout = null): bool
    {
        return $this->ready($stream, true, $timeout);
    }

    /** @param resource $stream */
    private function ready($stream, bool $write, ?float $timeout): bool
    {
        $end = $timeout === null ? null : Waits::end($timeout);
        $tasks = $this->fibers->current();
        if ($tasks !== null) {
            return $this->of($tasks)->stream($tasks, $stream, $write, $end);
        }
        $tasks = $this->tasks();
        $ready = null;
        $tasks->spawn(function () use ($tasks, $stream, $write, $end, &$ready): void {
            $ready = $tasks instanceof Coroutines && $this->of($tasks)->stream($tasks, $stream, $write, $end);
        });
        $tasks->until(static function () use (&$ready): bool {
            return $ready !== null;
        });

        return (bool) $ready;
    }

    private function of(Coroutines $tasks): Waits
    {
        return $this->waits[$tasks] ?? throw new \LogicException('tasks of another scheduler');
    }
}
