<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

/** One test that an agent runs. It is looked at now and then, and never blocks. */
interface Job
{
    /** @throws BadCommand in the words of the `error` message */
    public function start(): void;

    /**
     * `test_data` that came since the last look, in order.
     *
     * @return list<array<string, mixed>>
     */
    public function data(): array;

    /** Whether there will be more data. */
    public function running(): bool;

    public function stop(): void;
}
