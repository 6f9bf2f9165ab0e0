<?php

declare(strict_types=1);

namespace Tusk\Bridge\Revolt;

use Revolt\EventLoop\CallbackType;
use Revolt\EventLoop\Driver as RevoltDriver;
use Revolt\EventLoop\Suspension as RevoltSuspension;
use Tusk\Wait;

/**
 * Revolt's event loop on Tusk's own: `EventLoop::setDriver(new Driver())` at the top of the script, and amphp's libraries (whatever is made for
 * revolt/event-loop) run in a server's handlers, in timers and tasks, and hold up only who waits for them. In a script without a server
 * `EventLoop::run()`, and whoever waits in it, turn the loop.
 *
 * In a server nothing but the server itself ends the loop: run() is an error there, stop() does nothing, and what no callback and no error handler
 * catches goes to the server's onError.
 */
final class Driver implements RevoltDriver
{
    private readonly Turns $turns;
    private readonly Callbacks $callbacks;
    private readonly Suspensions $suspensions;

    public function __construct()
    {
        $this->turns = new Turns();
        $this->callbacks = $this->turns->callbacks();
        $this->suspensions = new Suspensions($this->turns);
    }

    public function __destruct()
    {
        $this->turns->clear();
    }

    public function run(): void
    {
        if ($this->isRunning()) {
            throw new \Error('The event loop is already running');
        }
        if (\Fiber::getCurrent() !== null) {
            throw new \Error(sprintf("Can't call %s() within a fiber (i.e., outside of {main})", __METHOD__));
        }
        $interrupt = $this->turns->drive();
        if ($interrupt !== null) {
            $interrupt();
        }
    }

    public function stop(): void
    {
        $this->turns->stop();
    }

    public function isRunning(): bool
    {
        return $this->turns->isDriven() || Wait::parks();
    }

    /** @return RevoltSuspension<mixed> */
    public function getSuspension(): RevoltSuspension
    {
        return $this->suspensions->current();
    }

    public function queue(\Closure $closure, mixed ...$args): void
    {
        $this->turns->queue($closure, $args);
    }

    public function defer(\Closure $closure): string
    {
        return $this->callbacks->add(CallbackType::Defer, $closure);
    }

    public function delay(float $delay, \Closure $closure): string
    {
        if ($delay < 0) {
            throw new \Error('Delay must be greater than or equal to zero');
        }

        return $this->callbacks->add(CallbackType::Delay, $closure, interval: $delay);
    }

    public function repeat(float $interval, \Closure $closure): string
    {
        if ($interval < 0) {
            throw new \Error('Interval must be greater than or equal to zero');
        }

        return $this->callbacks->add(CallbackType::Repeat, $closure, interval: $interval);
    }

    /** @param resource $stream */
    public function onReadable(mixed $stream, \Closure $closure): string
    {
        return $this->callbacks->add(CallbackType::Readable, $closure, $stream);
    }

    /** @param resource $stream */
    public function onWritable(mixed $stream, \Closure $closure): string
    {
        return $this->callbacks->add(CallbackType::Writable, $closure, $stream);
    }

    public function onSignal(int $signal, \Closure $closure): string
    {
        return $this->callbacks->add(CallbackType::Signal, $closure, $signal);
    }

    public function enable(string $callbackId): string
    {
        $this->callbacks->enable($callbackId);

        return $callbackId;
    }

    public function cancel(string $callbackId): void
    {
        $this->callbacks->cancel($callbackId);
    }

    public function disable(string $callbackId): string
    {
        $this->callbacks->disable($callbackId);

        return $callbackId;
    }

    public function reference(string $callbackId): string
    {
        $this->callbacks->reference($callbackId, true);

        return $callbackId;
    }

    public function unreference(string $callbackId): string
    {
        $this->callbacks->reference($callbackId, false);

        return $callbackId;
    }

    public function setErrorHandler(?\Closure $errorHandler): void
    {
        $this->turns->errorHandler = $errorHandler;
    }

    public function getErrorHandler(): ?\Closure
    {
        return $this->turns->errorHandler;
    }

    /** Tusk's loop has none. */
    public function getHandle(): mixed
    {
        return null;
    }

    public function getIdentifiers(): array
    {
        return array_keys($this->callbacks->all());
    }

    public function getType(string $callbackId): CallbackType
    {
        return $this->callbacks->get($callbackId)->type;
    }

    public function isEnabled(string $callbackId): bool
    {
        return $this->callbacks->get($callbackId)->enabled;
    }

    public function isReferenced(string $callbackId): bool
    {
        return $this->callbacks->get($callbackId)->referenced;
    }

    /** @return array<string, array{type: CallbackType, enabled: bool, referenced: bool}> */
    public function __debugInfo(): array
    {
        return array_map(
            static fn (Callback $callback): array => ['type' => $callback->type, 'enabled' => $callback->enabled, 'referenced' => $callback->referenced],
            $this->callbacks->all(),
        );
    }

    public function __serialize(): never
    {
        throw new \Error(__CLASS__ . ' does not support serialization');
    }

    /** @param array<mixed> $data */
    public function __unserialize(array $data): never
    {
        throw new \Error(__CLASS__ . ' does not support deserialization');
    }
}
