<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

/** A commander's line to one agent. */
interface Link
{
    /** As people know the agent. */
    public function name(): string;

    public function send(string $command): void;

    /** The agent's next message; null when none came in time, or none will ever come. */
    public function take(float $seconds): ?string;

    public function isOpen(): bool;
}
