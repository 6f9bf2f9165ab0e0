<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

/** What the tasks of one run wait for: times and streams. */
final class Waits
{
    /** How long a server goes on before streams are looked at again: PHP has no way to give it a stream to watch. */
    private const LOOK_S = 0.0005;

    /** @var \SplMinHeap<array{int, int}> time (hrtime) and id; of what is not waited for any more, too */
    private \SplMinHeap $times;
    /** @var array<int, \Fiber<mixed, mixed, mixed, mixed>> by id: who waits for a time */
    private array $timers = [];
    /** @var array<int, array{\Fiber<mixed, mixed, mixed, mixed>, resource, bool}> by id: who waits for what, to write? */
    private array $streams = [];
    private int $id = 0;

    /** @param bool $served in a handler of a server, which a wait for streams would hold up */
    public function __construct(private readonly bool $served)
    {
        $this->times = new \SplMinHeap();
    }

    /** The calling task waits; its caller suspends it. */
    public function timer(Coroutines $tasks, int $end): int
    {
        $this->timers[++$this->id] = Coroutines::fiber();
        $this->times->insert([$end, $this->id]);

        return $this->id;
    }

    /** @param resource $stream */
    public function stream(Coroutines $tasks, $stream, bool $write, ?int $end): bool
    {
        $id = $end === null ? ++$this->id : $this->timer($tasks, $end);
        $this->streams[$id] = [Coroutines::fiber(), $stream, $write];

        return \Fiber::suspend() === true;
    }

    /** Waits until a task can go on. */
    public function next(Coroutines $tasks): void
    {
        if ($this->timers === [] && $this->streams === []) {
            throw new \LogicException('every task waits, and for nothing that could come');
        }
        $left = $this->left();
        if ($this->streams === []) {
            self::pause($left ?? 0.0);
        } else {
            $this->select($tasks, $left);
        }
        $this->expire($tasks);
    }

    /** That time from now, as hrtime() counts. */
    public static function end(float $seconds): int
    {
        return (int) (hrtime(true) + $seconds * 1e9);
    }

    /** In a handler of a server the handler waits, elsewhere the process. */
    public static function pause(float $seconds): void
    {
        if ($seconds <= 0) {
            return;
        }
        if (extension_loaded('tusk')) {
            \Tusk\Timer::sleep($seconds);
        } else {
            usleep((int) ceil($seconds * 1e6));
        }
    }

    /** Seconds until the next time; null: there is none. */
    private function left(): ?float
    {
        while (!$this->times->isEmpty() && !isset($this->timers[$this->times->top()[1]])) {
            $this->times->extract();
        }

        return $this->times->isEmpty() ? null : max(0.0, ($this->times->top()[0] - hrtime(true)) / 1e9);
    }

    private function expire(Coroutines $tasks): void
    {
        while ($this->left() === 0.0) {
            [, $id] = $this->times->extract();
            $fiber = $this->timers[$id];
            unset($this->timers[$id], $this->streams[$id]);
            $tasks->wake($fiber, false);
        }
    }

    private function select(Coroutines $tasks, ?float $left): void
    {
        // A select that waits would hold up a whole server, so it only looks, and the wait is one that lets the server go on.
        $wait = $this->served ? 0.0 : $left;
        $read = $write = $except = [];
        foreach ($this->streams as $id => [, $stream, $writes]) {
            if ($writes) {
                $write[$id] = $stream;
            } else {
                $read[$id] = $stream;
            }
        }
        $seconds = $wait === null ? null : (int) $wait;
        $micros = $wait === null ? null : (int) ceil(($wait - (int) $wait) * 1e6);
        $count = @stream_select($read, $write, $except, $seconds, $micros);
        foreach ([...array_keys($read), ...array_keys($write)] as $id) {
            if ($count > 0) {
                [$fiber] = $this->streams[$id];
                unset($this->streams[$id], $this->timers[$id]);
                $tasks->wake($fiber, true);
            }
        }
        if ($this->served && !($count > 0)) {
            self::pause(min(self::LOOK_S, $left ?? self::LOOK_S));
        }
    }
}
