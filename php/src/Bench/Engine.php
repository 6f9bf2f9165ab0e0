<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** A load run as this library sees it: Load, or a recording of one. The methods are those of Load. */
interface Engine
{
    /** @throws \RuntimeException one sentence: what is impossible and what to change */
    public function start(): void;

    /** MUST wait up to $seconds for a change; false once all has ended. */
    public function poll(float $seconds = 0.25): bool;

    /** MAY be called from a signal handler, and more than once. */
    public function stop(): void;

    public function partial(): bool;

    public function phase(): string;

    /** @return array<string, int> */
    public function counters(bool $measured = false): array;

    public function histogram(string $name): Histogram;

    /** @return list<array{start: float, length: float, phase: string, counters: array<string, int>, response: Histogram}> */
    public function intervals(): array;

    /** @return list<array{pid: int, phase: string, user: float, system: float, switches: int, error: ?string}> */
    public function workers(): array;

    /** @return array<string, int|float|string> */
    public function facts(): array;

    /** @return iterable<array{start: int, tcp: int, tls: int, upgrade: int, close: int, failed: bool, exchanges: list<array{int, int}>}> single connections, nanoseconds; where the option `samples` asked for them */
    public function samples(): iterable;
}
