<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/**
 * A write that waits for its commit.
 *
 * @template-covariant T
 */
final class Ticket
{
    private bool $done = false;

    private ?Outcome $outcome = null;

    /** @var list<\Closure> */
    private array $listeners = [];

    /** @param Work<T> $work */
    public function __construct(public readonly Work $work) {}

    public function isDone(): bool
    {
        return $this->done;
    }

    /**
     * The callback runs after the commit, at once when that has been; callbacks of one turn's tickets run in the order of the writes.
     *
     * @param \Closure(?Refused): mixed $callback
     */
    public function then(\Closure $callback): void
    {
        if ($this->done) {
            $callback($this->outcome?->error());
            return;
        }
        $this->listeners[] = $callback;
    }

    /**
     * @return T
     *
     * @throws Refused
     */
    public function value(): mixed
    {
        if ($this->outcome === null) {
            throw new \LogicException('A ticket has no value before its commit.');
        }
        $error = $this->outcome->error();
        if ($error !== null) {
            throw $error;
        }
        /** @var T */
        return $this->outcome->value;
    }

    /** The store calls it with what the writer says. */
    public function take(Outcome $outcome): void
    {
        $this->outcome = $outcome;
    }

    /** The store calls it after that. */
    public function settle(): void
    {
        $this->done = true;
        $listeners = $this->listeners;
        $this->listeners = [];
        foreach ($listeners as $listener) {
            $listener($this->outcome?->error());
        }
    }
}
