<?php

declare(strict_types=1);

namespace Tusk\Bridge\Revolt;

use Revolt\EventLoop\CallbackType;
use Revolt\EventLoop\InvalidCallbackError;
use Revolt\EventLoop\UnsupportedFeatureException;
use Tusk\Timer;
use Tusk\Watch;

/**
 * All callbacks that are not cancelled, and what of them Tusk's loop watches for.
 *
 * @internal
 */
final class Callbacks
{
    /** Seconds that Tusk's timers take. */
    private const LONGEST = 1e9;

    private int $lastId = 0;

    /** @var array<string, Callback> */
    private array $all = [];

    /** @var array<string, Callback> enabled since the last turn, and not begun yet */
    private array $enabled = [];

    /** @var array<string, Callback> to be called in the next turn, whatever comes */
    private array $deferred = [];

    /** @var array<string, Callback> by Tusk's id of them */
    private array $watched = [];

    /** @var list<Callback> whose time, stream or signal has come */
    private array $due = [];

    /** How many keep the loop running. */
    private int $alive = 0;

    private readonly \Closure $onDue;

    /** @param \Closure():void $changed there is something to do at the end of this turn */
    public function __construct(private readonly \Closure $changed)
    {
        $self = \WeakReference::create($this); // Tusk's loop keeps nobody alive
        $this->onDue = static function (string $handle) use ($self): void {
            $self->get()?->onDue($handle);
        };
    }

    /** Nothing comes any more. */
    public function clear(): void
    {
        foreach (array_keys($this->all) as $id) {
            $this->cancel($id);
        }
    }

    public static function now(): float
    {
        return hrtime(true) / 1e9;
    }

    // ---- each of them

    /** @param resource|int|null $subject */
    public function add(CallbackType $type, \Closure $closure, mixed $subject = null, float $interval = 0.0): string
    {
        $id = 'r' . ++$this->lastId;
        $callback = new Callback($id, $type, $closure, $subject, $interval);
        $this->all[$id] = $callback;
        $this->alive++;
        $this->begin($callback);

        return $id;
    }

    /** @throws InvalidCallbackError */
    public function get(string $id): Callback
    {
        return $this->all[$id] ?? throw InvalidCallbackError::invalidIdentifier($id);
    }

    /** @return array<string, Callback> */
    public function all(): array
    {
        return $this->all;
    }

    public function enable(string $id): void
    {
        $callback = $this->get($id);
        if (!$callback->enabled) {
            $callback->enabled = true;
            $this->alive += (int) $callback->referenced;
            $this->begin($callback);
        }
    }

    public function disable(string $id): void
    {
        $callback = $this->all[$id] ?? null;
        if ($callback === null || !$callback->enabled) {
            return;
        }
        $callback->enabled = $callback->invokable = false;
        unset($this->enabled[$id], $this->deferred[$id]);
        if ($callback->handle !== null) {
            $this->pause($callback);
        }
        $this->lives(-(int) $callback->referenced);
    }

    public function cancel(string $id): void
    {
        $this->disable($id);
        $callback = $this->all[$id] ?? null;
        unset($this->all[$id]);
        if ($callback?->handle !== null) {
            Watch::cancel($callback->handle);
            unset($this->watched[$callback->handle]);
            $callback->handle = null;
        }
    }

    public function reference(string $id, bool $referenced): void
    {
        $callback = $referenced ? $this->get($id) : ($this->all[$id] ?? null);
        if ($callback !== null && $callback->referenced !== $referenced) {
            $callback->referenced = $referenced;
            $this->lives($callback->enabled ? ($referenced ? 1 : -1) : 0);
        }
    }

    // ---- all together

    /** Nothing that is enabled keeps the loop running. */
    public function areIdle(): bool
    {
        return $this->alive === 0;
    }

    /** Some were enabled, and are not watched for yet. */
    public function haveBegun(): bool
    {
        return $this->enabled !== [];
    }

    /** Whether anybody's time has come, or begins with the next turn. */
    public function wantTurn(): bool
    {
        return $this->due !== [] || $this->enabled !== [];
    }

    /**
     * What is to be called in this turn: what was deferred, then what has come.
     *
     * @return list<Callback>
     */
    public function takeDue(): array
    {
        $due = [];
        foreach ($this->deferred as $callback) {
            $callback->invokable = $callback->queued = true;
            $due[] = $callback;
        }
        $this->deferred = [];
        array_push($due, ...$this->due);
        $this->due = [];

        return $due;
    }

    /**
     * At the end of a turn: those that were enabled in it are watched for. What cannot be is cancelled.
     *
     * @return bool whether the next turn has something to call, whatever comes
     *
     * @throws UnsupportedFeatureException of a signal that nobody may handle
     * @throws \Error                      of a stream that was closed, or cannot be waited for
     */
    public function beginEnabled(): bool
    {
        while (($callback = reset($this->enabled)) !== false) {
            unset($this->enabled[$callback->id]);
            if ($callback->type === CallbackType::Defer) {
                $this->deferred[$callback->id] = $callback;
            } else {
                $this->watch($callback);
            }
        }

        return $this->deferred !== [];
    }

    /** Before it is called: what is called once is gone by then, what is repeated waits anew. */
    public function entered(Callback $callback): void
    {
        if ($callback->type === CallbackType::Defer || $callback->type === CallbackType::Delay) {
            $this->cancel($callback->id);
        } elseif ($callback->type === CallbackType::Repeat) {
            $callback->invokable = false;
            $this->begin($callback);
        }
    }

    // ---- Tusk's side

    private function begin(Callback $callback): void
    {
        if ($callback->isTimer()) {
            $callback->due = self::now() + $callback->interval;
        }
        $this->enabled[$callback->id] = $callback;
        ($this->changed)();
    }

    private function watch(Callback $callback): void
    {
        $callback->invokable = true;
        try {
            if ($callback->handle !== null) {
                Watch::enable($callback->handle);
            } else {
                $callback->handle = $this->handle($callback);
            }
        } catch (\Throwable $fault) {
            $this->cancel($callback->id);

            throw $callback->type === CallbackType::Signal
                ? new UnsupportedFeatureException("Signal $callback->subject: {$fault->getMessage()}", 0, $fault)
                : new \Error("Callback $callback->id cannot wait for its stream (cancel callbacks of streams that are closed): {$fault->getMessage()}", 0, $fault);
        }
        $this->watched[$callback->handle] = $callback;
    }

    private function handle(Callback $callback): string
    {
        $subject = $callback->subject;

        return match (true) {
            $subject === null => Timer::delay(min(max(0.0, $callback->due - self::now()), self::LONGEST), $this->onDue),
            $callback->type === CallbackType::Readable => Watch::onReadable($subject, $this->onDue),
            $callback->type === CallbackType::Writable => Watch::onWritable($subject, $this->onDue),
            default => Watch::onSignal(\is_int($subject) ? $subject : 0, $this->onDue),
        };
    }

    private function pause(Callback $callback): void
    {
        \assert($callback->handle !== null);
        if ($callback->isTimer()) {
            Timer::cancel($callback->handle);
            unset($this->watched[$callback->handle]);
            $callback->handle = null;
        } else {
            Watch::disable($callback->handle);
        }
    }

    private function onDue(string $handle): void
    {
        $callback = $this->watched[$handle] ?? null;
        if ($callback === null || $callback->queued) {
            return;
        }
        if ($callback->isTimer()) {
            unset($this->watched[$handle]);
            $callback->handle = null;
        }
        $callback->queued = true;
        $this->due[] = $callback;
        ($this->changed)();
    }

    private function lives(int $change): void
    {
        $this->alive += $change;
        if ($change < 0 && $this->alive === 0) {
            ($this->changed)(); // whoever runs the loop may go on
        }
    }
}
