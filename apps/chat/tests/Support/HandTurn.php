<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests\Support;

use Tusk\Chat\Turn;

/** A loop that turns when the test says so, with a clock that the test moves. */
final class HandTurn implements Turn
{
    public int $now = 1_800_000_000_000;

    /** By which somebody has set the date. */
    private int $set = 0;

    /** @var list<\Closure> */
    private array $deferred = [];

    /** @var array<string, array{int, \Closure}> */
    private array $timers = [];

    private int $next = 0;

    public function defer(\Closure $callback): void
    {
        $this->deferred[] = $callback;
    }

    public function delay(float $seconds, \Closure $callback): string
    {
        $this->timers[$id = 't' . ++$this->next] = [$this->now + (int) ($seconds * 1000), $callback];
        return $id;
    }

    public function cancel(string $timer): void
    {
        unset($this->timers[$timer]);
    }

    public function wait(\Closure $done, float $every = 0.0): void
    {
        // What another process does takes its time; the clock of the test stands still meanwhile.
        $until = hrtime(true) + ($every > 0.0 ? 10_000_000_000 : 0);
        for ($i = 0; !$done() && ($i < 100 || hrtime(true) < $until); $i++) {
            $this->run();
            usleep((int) ($every * 1_000_000));
        }
        if (!$done()) {
            throw new \LogicException('What is waited for never comes.');
        }
    }

    public function now(): int
    {
        return $this->now;
    }

    public function clock(): int
    {
        return $this->now - $this->set;
    }

    /** Somebody sets the date of the machine; timers know nothing of it. */
    public function set(float $seconds): void
    {
        $by = (int) ($seconds * 1000);
        $this->now += $by;
        $this->set += $by;
        $this->timers = array_map(static fn (array $timer): array => [$timer[0] + $by, $timer[1]], $this->timers);
    }

    /** The end of a turn: what was deferred, until nothing is. */
    public function run(): void
    {
        while ($this->deferred !== []) {
            $deferred = $this->deferred;
            $this->deferred = [];
            foreach ($deferred as $callback) {
                $callback();
            }
        }
    }

    /** Lets time pass; timers that come due run in their order. */
    public function pass(float $seconds): void
    {
        $this->run();
        $end = $this->now + (int) ($seconds * 1000);
        while (true) {
            $due = array_filter($this->timers, static fn (array $timer): bool => $timer[0] <= $end);
            if ($due === []) {
                break;
            }
            uasort($due, static fn (array $a, array $b): int => $a[0] <=> $b[0]);
            $id = (string) array_key_first($due);
            [$this->now, $callback] = $this->timers[$id];
            unset($this->timers[$id]);
            $callback();
            $this->run();
        }
        $this->now = $end;
    }

    public function timers(): int
    {
        return count($this->timers);
    }
}
