<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Condition;
use Tusk\Parallel\Async;
use Tusk\Timer;
use Tusk\Wait;

/** What the tasks of one run wait for, times and streams: a task of the core's loop stands for each wait. */
final class Waits
{
    private readonly Async $engine;
    private readonly Condition $came;
    /** @var \SplQueue<array{\Fiber<mixed, mixed, mixed, mixed>, bool}> whose wait is over, and whether by what was waited for */
    private \SplQueue $over;
    private int $waiting = 0;

    public function __construct()
    {
        $this->engine = new Async(30_000);
        $this->came = new Condition();
        $this->over = new \SplQueue();
    }

    /** The calling task waits; its caller suspends it. */
    public function timer(int $end): void
    {
        $this->begin(static function () use ($end): bool {
            Timer::sleep(self::left($end));

            return false;
        });
    }

    /** @param resource $stream */
    public function stream($stream, bool $write, ?int $end): bool
    {
        $this->begin(static function () use ($stream, $write, $end): bool {
            $left = $end === null ? null : self::left($end);

            return $write ? Wait::writable($stream, $left) : Wait::readable($stream, $left);
        });

        return \Fiber::suspend() === true;
    }

    /** Waits until a task can go on: in a handler of a server the handler, elsewhere the process. */
    public function next(Coroutines $tasks): void
    {
        if ($this->waiting === 0) {
            throw new \LogicException('every task waits, and for nothing that could come');
        }
        while ($this->over->isEmpty()) {
            $this->came->wait();
        }
        while (!$this->over->isEmpty()) {
            [$fiber, $ready] = $this->over->dequeue();
            $this->waiting--;
            $tasks->wake($fiber, $ready);
        }
    }

    /** That time from now, as hrtime() counts. */
    public static function end(float $seconds): int
    {
        return (int) (hrtime(true) + $seconds * 1e9);
    }

    /** @param \Closure(): bool $wait */
    private function begin(\Closure $wait): void
    {
        $fiber = Coroutines::fiber();
        $this->waiting++;
        $this->engine->submit([function () use ($wait, $fiber): void {
            try {
                $ready = $wait();
            } catch (\Throwable) {
                $ready = true; // closed before or meanwhile: who reads it sees that
            }
            $this->over->enqueue([$fiber, $ready]);
            $this->came->notify();
        }]);
    }

    private static function left(int $end): float
    {
        return max(0.0, ($end - hrtime(true)) / 1e9);
    }
}
