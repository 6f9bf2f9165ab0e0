<?php

declare(strict_types=1);

namespace Tusk\Bridge\Revolt;

use Revolt\EventLoop\Suspension as RevoltSuspension;
use Tusk\Condition;
use Tusk\Scope;
use Tusk\Wait;

/**
 * Of one fiber; where there is none, of one handler or task of Tusk's, or of the script.
 *
 * @internal
 *
 * @implements RevoltSuspension<mixed>
 */
final class Suspension implements RevoltSuspension
{
    /** @var \WeakReference<\Fiber<mixed, mixed, mixed, mixed>>|null */
    private readonly ?\WeakReference $fiber;

    /** @var \Fiber<mixed, mixed, mixed, mixed>|null that is suspended: who would resume it keeps it so */
    private ?\Fiber $suspended = null;

    /** @var \WeakReference<object> */
    private readonly \WeakReference $scope;

    private ?Condition $condition = null;

    private ?\Closure $result = null;

    private ?\Error $fault = null;

    private bool $pending = false;

    /** The loop is turned for it meanwhile: the script's. */
    private bool $drives = false;

    /** Its wait was ended by another exception: who would resume it comes late, through no fault of his. */
    private bool $left = false;

    /** The script's, when the loop had nothing left that could resume it. */
    private bool $dead = false;

    public function __construct(private readonly Turns $turns, private readonly Suspensions $others)
    {
        /** @var \Fiber<mixed, mixed, mixed, mixed>|null $fiber */
        $fiber = \Fiber::getCurrent();
        $this->fiber = $fiber === null ? null : \WeakReference::create($fiber);
        $this->scope = \WeakReference::create(Scope::current());
    }

    public function resume(mixed $value = null): void
    {
        $this->end('resume', static fn (): mixed => $value);
    }

    public function throw(\Throwable $throwable): void
    {
        $this->end('throw', static fn (): never => throw $throwable);
    }

    public function suspend(): mixed
    {
        if ($this->dead) {
            throw new \Error('Suspension cannot be suspended after an uncaught exception is thrown from the event loop');
        }
        if ($this->pending) {
            throw new \Error('Must call resume() or throw() before calling suspend() again');
        }
        $fiber = $this->fiber?->get();
        if ($fiber !== \Fiber::getCurrent() || ($fiber === null && $this->scope->get() !== Scope::current())) {
            throw new \Error('Must not call suspend() from another fiber');
        }
        $this->pending = true;
        $this->left = false;
        $this->fault = null;
        $this->drives = $fiber === null && !Wait::parks();
        if ($fiber !== null) {
            $this->leaveFiber($fiber);
        } elseif ($this->drives) {
            $this->result = $this->drive();
        } else {
            $this->park();
        }
        $result = $this->result;
        $this->result = null;

        return $result === null ? null : $result();
    }

    /** Where a fiber that is suspended stands; null: it is none, or not. */
    public function trace(): ?string
    {
        $fiber = $this->fiber?->get();
        if ($fiber === null || !$this->pending || !$fiber->isSuspended()) {
            return null;
        }
        $lines = [];
        foreach ((new \ReflectionFiber($fiber))->getTrace(\DEBUG_BACKTRACE_IGNORE_ARGS) as $i => $call) {
            /** @var array{function: string, file?: string, line?: int, class?: string, type?: string} $call */
            $where = isset($call['file'], $call['line']) ? "{$call['file']}:{$call['line']} " : '';
            $lines[] = "#$i $where" . ($call['class'] ?? '') . ($call['type'] ?? '') . "{$call['function']}()";
        }

        return implode("\n", $lines);
    }

    /** @param \Closure():mixed $result */
    private function end(string $how, \Closure $result): void
    {
        if ($this->dead || $this->left) {
            return;
        }
        if (!$this->pending) {
            throw $this->fault ?? new \Error("Must call suspend() before calling $how()");
        }
        $this->pending = false;
        $fiber = $this->suspended ?? $this->fiber?->get();
        if ($this->drives) {
            $this->turns->interrupt($result);
        } elseif ($fiber !== null) {
            $this->result = $result;
            $this->turns->queue(static function () use ($fiber): void {
                if (!$fiber->isTerminated()) { // by the collector
                    $fiber->resume();
                }
            });
        } elseif ($this->fiber === null) {
            $this->result = $result;
            $this->condition?->notify();
        }
    }

    /** @param \Fiber<mixed, mixed, mixed, mixed> $fiber */
    private function leaveFiber(\Fiber $fiber): void
    {
        $this->suspended = $fiber;
        try {
            \Fiber::suspend();
        } catch (\FiberError $fault) { // as in a destructor before PHP 8.4
            $this->pending = false;
            $this->fault = $fault;

            throw $fault;
        }
        $this->suspended = null; // not in `finally`: who is destroyed there may yet be asked for
    }

    /** Only this handler or task waits. */
    private function park(): void
    {
        $this->condition ??= new Condition();
        try {
            while ($this->pending) {
                $this->condition->wait();
            }
        } catch (\Throwable $end) { // the server stops, a task is late
            $this->pending = false;
            $this->left = true;
            $this->result = null;

            throw $end;
        }
    }

    /** @return \Closure():mixed */
    private function drive(): \Closure
    {
        try {
            $result = $this->turns->drive();
        } catch (\Throwable $end) { // what a handler of a signal has thrown
            $this->pending = false;
            $this->left = true;

            throw $end;
        }
        if ($result !== null && !$this->pending) {
            return $result;
        }
        $this->dead = true;
        $this->others->forget($this->scope->get());
        if ($result !== null) { // what nobody caught
            $result();
        }

        throw new \Error('Event loop terminated without resuming the current suspension (the cause is either a fiber deadlock, or an incorrectly unreferenced/canceled watcher):' . $this->others->traces());
    }
}
