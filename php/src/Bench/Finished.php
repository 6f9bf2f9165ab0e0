<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** A run that ended: its result, and the engine for what only it has. */
final readonly class Finished
{
    public function __construct(public Result $result, private Engine $engine) {}

    /** @return iterable<array{start: int, tcp: int, tls: int, upgrade: int, close: int, failed: bool, exchanges: list<array{int, int}>}> single connections, nanoseconds */
    public function samples(): iterable
    {
        return $this->engine->samples();
    }
}
