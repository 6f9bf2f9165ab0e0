<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

use Tusk\WebSocket\Client;

/** An agent that connects to its master and waits for commands there: wsperf's client role, its "worker mode". */
final class AgentClient
{
    private const IDLE = 0.5;
    private const BUSY = 0.02;

    private bool $stopped = false;

    /** @param \Closure(string): void $log */
    public function __construct(
        private readonly Agent $agent,
        private readonly string $uri,
        private readonly ?string $token,
        private readonly float $reconnect,
        private readonly \Closure $log,
    ) {}

    /** Callable from a signal handler. */
    public function stop(): void
    {
        $this->stopped = true;
    }

    /** Until it is stopped, or the connection ended and reconnecting is off. Whether it was ever connected. */
    public function run(): bool
    {
        $connected = false;
        do {
            try {
                $headers = ['User-Agent' => Agent::VERSION] + ($this->token === null ? [] : ['Authorization' => "Bearer {$this->token}"]);
                $master = new Client($this->uri, subprotocols: [Agent::SUBPROTOCOL], headers: $headers);
                $connected = true;
                ($this->log)("connected to {$this->uri}");
                $this->serve($master);
                ($this->log)($this->stopped ? 'stopped' : 'the master is gone');
            } catch (\Tusk\Exception $fault) {
                ($this->log)(Token::refusal($fault, "the master {$this->uri}", $this->token, '--token'));
            }
        } while ($this->reconnect > 0 && !$this->pause());

        return $connected;
    }

    private function serve(Client $master): void
    {
        $this->agent->join($this->uri, static function (string $text) use ($master): void {
            if ($master->isOpen()) {
                $master->send($text);
            }
        });
        try {
            while ($master->isOpen() && !$this->stopped) {
                $text = $master->receive($this->agent->idle() ? self::IDLE : self::BUSY);
                if ($text !== null) {
                    $this->agent->take($this->uri, $text);
                }
                $this->agent->tick();
            }
        } finally {
            $this->agent->leave($this->uri);
            for ($until = hrtime(true) / 1e9 + 5.0; !$this->agent->idle() && hrtime(true) / 1e9 < $until; usleep(20_000)) {
                $this->agent->tick();
            }
            $master->close(1001);
        }
    }

    /** Whether it was stopped meanwhile. */
    private function pause(): bool
    {
        for ($until = hrtime(true) / 1e9 + $this->reconnect; !$this->stopped && hrtime(true) / 1e9 < $until;) {
            usleep(50_000);
        }

        return $this->stopped;
    }
}
