<?php

declare(strict_types=1);

namespace Tusk\Resource;

use Tusk\Resource\Internal\Coroutines;
use Tusk\Resource\Internal\FiberPool;
use Tusk\Resource\Internal\Waits;
use Tusk\Timer;

/** Tasks in fibers of PHP; times and streams are waited for on the core's loop, in a server's handler as elsewhere. */
final class FiberScheduler implements Scheduler
{
    private readonly FiberPool $fibers;
    /** @var \WeakMap<Coroutines, Waits> */
    private \WeakMap $waits;

    public function __construct()
    {
        $this->fibers = new FiberPool();
        $this->waits = new \WeakMap();
    }

    public function tasks(): Tasks
    {
        $waits = new Waits();
        $tasks = new Coroutines($this->fibers, $waits->next(...));
        $this->waits[$tasks] = $waits;

        return $tasks;
    }

    public function sleep(float $seconds): void
    {
        $tasks = $this->fibers->current();
        if ($tasks === null) {
            Timer::sleep(max(0.0, $seconds));
        } else {
            $this->of($tasks)->timer(Waits::end($seconds));
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
            return $this->of($tasks)->stream($stream, $write, $end);
        }
        $tasks = $this->tasks();
        $ready = null;
        $tasks->spawn(function () use ($tasks, $stream, $write, $end, &$ready): void {
            $ready = $tasks instanceof Coroutines && $this->of($tasks)->stream($stream, $write, $end);
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
