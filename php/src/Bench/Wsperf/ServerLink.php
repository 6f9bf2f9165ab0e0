<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

use Tusk\Timer;
use Tusk\WebSocket\Connection;

/** To an agent that connected to us; its messages are put in by the server's handler. Waits in a handler's fiber. */
final class ServerLink implements Link
{
    private const LOOK = 0.01;
    private const INBOX_MAX = 100_000;

    /** @var list<string> */
    private array $inbox = [];

    public function __construct(private readonly Connection $agent, public string $ident, public readonly string $version, public readonly int $workers) {}

    public function put(string $text): void
    {
        if (count($this->inbox) < self::INBOX_MAX) {
            $this->inbox[] = $text;
        } else {
            $this->agent->close(1008, 'too many messages');
        }
    }

    public function name(): string
    {
        return "{$this->ident} ({$this->agent->remoteAddress})";
    }

    public function send(string $command): void
    {
        $this->agent->send($command);
    }

    public function take(float $seconds): ?string
    {
        for ($until = hrtime(true) / 1e9 + $seconds; $this->inbox === [] && $this->isOpen() && hrtime(true) / 1e9 < $until;) {
            Timer::sleep(self::LOOK);
        }

        return array_shift($this->inbox);
    }

    public function isOpen(): bool
    {
        return $this->agent->isOpen();
    }
}
