<?php

declare(strict_types=1);

namespace Tusk\Bridge\Revolt;

use Revolt\EventLoop\CallbackType;

/**
 * What the loop calls, and what it calls it for.
 *
 * @internal
 */
final class Callback
{
    public bool $enabled = true;
    public bool $referenced = true;
    /** Not before the turn after the one in which it was enabled. */
    public bool $invokable = false;
    /** It waits for its call in this turn. */
    public bool $queued = false;
    /** Of Tusk\Timer or Tusk\Watch; null: neither knows of it. */
    public ?string $handle = null;

    /**
     * @param resource|int|null $subject a stream or a signal's number
     * @param float             $interval of a timer, in seconds
     * @param float             $due      the time of the clock at which a timer is
     */
    public function __construct(
        public readonly string $id,
        public readonly CallbackType $type,
        public readonly \Closure $closure,
        public readonly mixed $subject = null,
        public readonly float $interval = 0.0,
        public float $due = 0.0,
    ) {}

    public function isStream(): bool
    {
        return $this->type === CallbackType::Readable || $this->type === CallbackType::Writable;
    }

    public function isTimer(): bool
    {
        return $this->type === CallbackType::Delay || $this->type === CallbackType::Repeat;
    }

    /** What the closure returns, which should be nothing. */
    public function call(): mixed
    {
        return $this->subject === null ? ($this->closure)($this->id) : ($this->closure)($this->id, $this->subject);
    }
}
