<?php

declare(strict_types=1);

namespace Tusk\Bridge\Revolt;

use Revolt\EventLoop\FiberLocal;
use Revolt\EventLoop\InvalidCallbackError;
use Revolt\EventLoop\UncaughtThrowable;
use Tusk\Condition;
use Tusk\Timer;

/**
 * At the end of a turn of Tusk's loop: what was queued is called, then what was deferred and what has come in that turn, each in a fiber that it may leave
 * suspended. A callback that waits through Tusk instead sets the turn aside with all that stands on its stack; another one goes on with what is queued.
 *
 * @internal
 */
final class Turns
{
    /** @var \SplQueue<array{\Closure, array<mixed>}> */
    private readonly \SplQueue $microtasks;

    /** @var \SplQueue<Callback> */
    private readonly \SplQueue $queue;

    private readonly Callbacks $callbacks;

    /** Tusk's id of the next turn; null: there is nothing to do. */
    private ?string $scheduled = null;

    private readonly \Closure $onTurn;

    private readonly object $marker;

    /** @var \Fiber<mixed, mixed, mixed, mixed>|null that ran out of work, for the next */
    private ?\Fiber $idle = null;

    /** @var \WeakReference<\Fiber<mixed, mixed, mixed, mixed>>|null the one that works; others end with what they were suspended in */
    private ?\WeakReference $worker = null;

    /** Fibers that run or wait through Tusk. */
    private int $busy = 0;

    /** @var (\Closure(\Throwable):void)|null */
    public ?\Closure $errorHandler = null;

    /** Where the script waits while it turns the loop; null: nobody does. */
    private ?Condition $driver = null;

    /** @var (\Closure():mixed)|null what ends that wait */
    private ?\Closure $interrupt = null;

    private bool $leaving = false;

    private bool $stopped = false;

    public function __construct()
    {
        $this->microtasks = new \SplQueue();
        $this->queue = new \SplQueue();
        $this->marker = new \stdClass();
        $self = \WeakReference::create($this);
        $this->onTurn = static function () use ($self): void {
            $self->get()?->turn();
        };
        $this->callbacks = new Callbacks(static function () use ($self): void {
            $self->get()?->schedule();
        });
    }

    public function callbacks(): Callbacks
    {
        return $this->callbacks;
    }

    /** @param array<mixed> $args */
    public function queue(\Closure $closure, array $args = []): void
    {
        $this->microtasks->enqueue([$closure, $args]);
        $this->schedule();
    }

    /** Nothing comes any more. */
    public function clear(): void
    {
        $this->callbacks->clear();
        $this->unschedule();
        $this->idle = null; // which holds what holds it
    }

    // ---- the script, which has no other loop

    public function isDriven(): bool
    {
        return $this->driver !== null;
    }

    public function stop(): void
    {
        $this->stopped = true;
        if ($this->driver !== null) {
            $this->schedule();
        }
    }

    /**
     * Turns the loop until it is stopped, or interrupted, or nothing is left to do.
     *
     * @return (\Closure():mixed)|null what it was interrupted with
     */
    public function drive(): ?\Closure
    {
        if ($this->driver !== null) {
            throw new \Error('Nobody can await here: in a destructor, in a forked child, or in a task that a worker runs amid the await of another one');
        }
        do {
            $driver = $this->driver = new Condition();
            $this->leaving = $this->stopped = false;
            $this->unschedule(); // in a forked child it was the parent's
            $this->schedule();
            try {
                while (!$this->leaving) {
                    $driver->wait();
                }
            } finally {
                $this->driver = null;
                $this->leaving = false;
            }
            if ($this->interrupt !== null) {
                $interrupt = $this->interrupt;
                $this->interrupt = null;

                return $interrupt;
            }
        } while (gc_collect_cycles() > 0 && !$this->stopped); // destructors may have begun something

        return null;
    }

    /** @param \Closure():mixed $with */
    public function interrupt(\Closure $with): void
    {
        $this->interrupt = $with;
        $this->leave();
    }

    private function leave(): void
    {
        $this->leaving = true;
        $this->driver?->notify();
    }

    /** The script goes on, or may now: it was interrupted or stopped, or nothing is left that it could turn the loop for. */
    private function mayLeave(): bool
    {
        $isOver = $this->stopped
            || ($this->busy === 0 && $this->callbacks->areIdle() && $this->microtasks->isEmpty() && $this->queue->isEmpty());
        if ($this->driver !== null && !$this->leaving && $isOver) {
            $this->leave();
        }

        return $this->leaving;
    }

    // ---- turns

    private function schedule(): void
    {
        $this->scheduled ??= Timer::defer($this->onTurn);
    }

    /** In the next turn, when its events and timers are known. */
    private function scheduleNext(): void
    {
        $this->unschedule();
        $self = \WeakReference::create($this);
        $this->scheduled = Timer::delay(0.0, static function () use ($self): void {
            $turns = $self->get();
            if ($turns !== null) {
                $turns->scheduled = null;
                $turns->schedule();
            }
        });
    }

    private function unschedule(): void
    {
        if ($this->scheduled !== null) {
            Timer::cancel($this->scheduled);
            $this->scheduled = null;
        }
    }

    private function turn(): void
    {
        $this->scheduled = null;
        if ($this->leaving) {
            return; // the script goes on first
        }
        $this->schedule(); // should one wait through Tusk in this turn, there is another for all others
        if ($this->callbacks->haveBegun()) { // by a handler or the script, before this turn's end
            $this->work();
            if ($this->mayLeave() || $this->begin()) {
                return; // what was deferred comes before what has come
            }
        }
        foreach ($this->callbacks->takeDue() as $callback) {
            $this->queue->enqueue($callback);
        }
        $this->work();
        if (!$this->leaving && !$this->begin() && !$this->mayLeave() && !$this->isWanted()) {
            $this->unschedule();
        }
    }

    /** Those that were enabled; whether some were deferred, which the next turn calls. */
    private function begin(): bool
    {
        $deferred = null;
        while ($deferred === null) {
            try {
                $deferred = $this->callbacks->beginEnabled();
            } catch (\Throwable $fault) {
                $this->fail($fault);
            }
        }
        $goesOn = $deferred && !$this->mayLeave();
        if ($goesOn) {
            $this->scheduleNext();
        }

        return $goesOn;
    }

    private function isWanted(): bool
    {
        return !$this->microtasks->isEmpty() || !$this->queue->isEmpty() || $this->callbacks->wantTurn();
    }

    /** Until nothing is queued: one fiber after another, as they are left suspended. */
    private function work(): void
    {
        while (!$this->leaving && !($this->microtasks->isEmpty() && $this->queue->isEmpty())) {
            $fiber = $this->idle ?? new \Fiber($this->workInFiber(...));
            $this->idle = null;
            $this->worker = \WeakReference::create($fiber);
            $this->busy++;
            try {
                $left = $fiber->isStarted() ? $fiber->resume() : $fiber->start();
            } finally {
                $this->busy--;
            }
            if ($left === $this->marker) {
                $this->idle = $fiber;
            }
        }
    }

    private function workInFiber(): void
    {
        while (true) {
            $this->callMicrotasks();
            while ($this->isWorker() && !$this->leaving && !$this->queue->isEmpty()) {
                $this->call($this->queue->dequeue());
                $this->callMicrotasks();
            }
            if (!$this->isWorker()) {
                return; // it was suspended: whoever resumed it goes on
            }
            \Fiber::suspend($this->marker);
        }
    }

    private function isWorker(): bool
    {
        return $this->worker?->get() === \Fiber::getCurrent();
    }

    private function callMicrotasks(): void
    {
        while ($this->isWorker() && !$this->leaving && !$this->microtasks->isEmpty()) {
            [$closure, $args] = $this->microtasks->dequeue();
            try {
                $closure(...$args, ...($args = [])); // which keeps nothing of them
            } catch (\Throwable $thrown) {
                $this->error($closure, $thrown);
            } finally {
                FiberLocal::clear();
            }
            unset($closure, $args);
        }
    }

    private function call(Callback $callback): void
    {
        $callback->queued = false;
        if (!$callback->invokable) {
            return; // it was disabled since
        }
        $this->callbacks->entered($callback);
        try {
            if ($callback->call() !== null) {
                throw InvalidCallbackError::nonNullReturn($callback->id, $callback->closure);
            }
        } catch (\Throwable $thrown) {
            $this->error($callback->closure, $thrown);
        } finally {
            FiberLocal::clear();
        }
    }

    // ---- what nobody caught

    private function error(\Closure $closure, \Throwable $thrown): void
    {
        if ($this->errorHandler === null) {
            $this->fail($thrown instanceof UncaughtThrowable ? $thrown : UncaughtThrowable::throwingCallback($closure, $thrown));

            return;
        }
        (new \Fiber(function (\Closure $handler, \Throwable $thrown): void {
            try {
                $handler($thrown);
            } catch (\Throwable $own) {
                $this->fail($own instanceof UncaughtThrowable ? $own : UncaughtThrowable::throwingErrorHandler($handler, $own));
            }
        }))->start($this->errorHandler, $thrown);
    }

    /** Out of run() where the script turns the loop; a server goes on, and its onError is told. */
    private function fail(\Throwable $thrown): void
    {
        if ($this->driver !== null) {
            $this->interrupt(static fn (): never => throw $thrown);
        } else {
            Timer::defer(static fn (): never => throw $thrown);
        }
    }
}
