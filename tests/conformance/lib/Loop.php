<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/**
 * Runs cases side by side: each is a fiber that waits for a socket or for time.
 */
final class Loop
{
    /** @var array<int, array{fiber: \Fiber<mixed, mixed, mixed, mixed>, stream: resource|null, read: bool, write: bool, until: float}> */
    private static array $waiting = [];

    /** @var list<\Fiber<mixed, mixed, mixed, mixed>> */
    private static array $fresh = [];

    /** Of select() in a row: one is a signal. */
    private static int $failures = 0;

    /** A deadline of s seconds passes after s times this: long on a busy machine, which costs only what fails anyway. */
    public static float $patience = 3.0;

    /** @var \WeakMap<\Fiber<mixed, mixed, mixed, mixed>, float>|null patience of cases that have their own */
    private static ?\WeakMap $own = null;

    /** @param \Closure(): void $body a fiber inherits the patience of the one it is spawned in */
    public static function spawn(\Closure $body): void
    {
        $parent = \Fiber::getCurrent();
        self::$fresh[] = $fiber = new \Fiber($body);
        if ($parent !== null && isset(self::$own[$parent])) {
            self::$own[$fiber] = self::$own[$parent];
        }
    }

    /** The patience of the fiber that runs, from now on; null: everybody's. */
    public static function hurry(?float $patience): void
    {
        self::$own ??= new \WeakMap();
        $fiber = \Fiber::getCurrent() ?? throw new \LogicException('outside of a case');
        if ($patience === null) {
            unset(self::$own[$fiber]);
        } else {
            self::$own[$fiber] = $patience;
        }
    }

    /** When a wait of that many seconds is given up. */
    public static function deadline(float $seconds): float
    {
        $fiber = \Fiber::getCurrent();

        return self::now() + $seconds * ($fiber === null ? self::$patience : self::$own[$fiber] ?? self::$patience);
    }

    public static function now(): float
    {
        return hrtime(true) / 1e9;
    }

    public static function sleep(float $seconds): void
    {
        self::wait(null, false, false, self::now() + $seconds);
    }

    /** The same where there may be no case. */
    public static function pause(float $seconds): void
    {
        \Fiber::getCurrent() === null ? usleep((int) ($seconds * 1e6)) : self::sleep($seconds);
    }

    /**
     * Suspends until the stream is ready or the deadline has passed (then false).
     *
     * @param resource|null $stream
     */
    public static function wait($stream, bool $read, bool $write, float $until): bool
    {
        $fiber = \Fiber::getCurrent() ?? throw new \LogicException('waiting outside of a case');
        self::$waiting[spl_object_id($fiber)] = compact('fiber', 'stream', 'read', 'write', 'until');

        return (bool) \Fiber::suspend();
    }

    public static function run(): void
    {
        while (self::$fresh !== [] || self::$waiting !== []) {
            $fresh = self::$fresh;
            self::$fresh = [];
            foreach ($fresh as $fiber) {
                $fiber->start();
            }
            if (self::$fresh === []) {
                self::turn();
            }
        }
    }

    private static function turn(): void
    {
        $read = $write = [];
        $none = null;
        $until = INF;
        foreach (self::$waiting as $id => $entry) {
            $until = min($until, $entry['until']);
            if ($entry['stream'] !== null && $entry['read']) {
                $read[$id] = $entry['stream'];
            }
            if ($entry['stream'] !== null && $entry['write']) {
                $write[$id] = $entry['stream'];
            }
        }
        $left = max(0.0, $until - self::now());
        if ($read === [] && $write === []) {
            if (is_finite($left)) {
                usleep((int) ($left * 1e6));
            }
        } elseif (@stream_select($read, $write, $none, (int) $left, (int) (fmod($left, 1.0) * 1e6)) === false) {
            $read = $write = [];
            if (++self::$failures > 1000) {
                throw new \LogicException('select() fails: ' . (error_get_last()['message'] ?? ''));
            }
            usleep(1000);
        } else {
            self::$failures = 0;
        }
        $now = self::now();
        foreach (self::$waiting as $id => $entry) {
            $ready = isset($read[$id]) || isset($write[$id]);
            if ($ready || $entry['until'] <= $now) {
                unset(self::$waiting[$id]);
                $entry['fiber']->resume($ready);
            }
        }
    }
}
