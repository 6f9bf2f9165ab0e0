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

    /** @var T */
    private mixed $value;

    private ?\Throwable $error = null;

    /** @var list<\Closure> */
    private array $listeners = [];

    /** @param \Closure(): T $work */
    public function __construct(private readonly \Closure $work) {}

    public function isDone(): bool
    {
        return $this->done;
    }

    /**
     * The callback runs after the commit, at once when that has been; callbacks of one turn's tickets run in the order of the writes.
     *
     * @param \Closure(?\Throwable): mixed $callback
     */
    public function then(\Closure $callback): void
    {
        if ($this->done) {
            $callback($this->error);
            return;
        }
        $this->listeners[] = $callback;
    }

    /** @return T */
    public function value(): mixed
    {
        if ($this->error !== null) {
            throw $this->error;
        }
        return $this->value;
    }

    /** The store calls it inside the transaction. */
    public function work(): void
    {
        $this->value = ($this->work)();
    }

    public function fail(\Throwable $error): void
    {
        $this->error ??= $error;
    }

    public function hasFailed(): bool
    {
        return $this->error !== null;
    }

    /** The store calls it after the commit. */
    public function settle(): void
    {
        $this->done = true;
        $listeners = $this->listeners;
        $this->listeners = [];
        foreach ($listeners as $listener) {
            $listener($this->error);
        }
    }
}
