<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

use Tusk\Http\Request;
use Tusk\Limits;
use Tusk\Server;
use Tusk\Timer;
use Tusk\WebSocket\Connection;
use Tusk\WebSocket\MessageType;

/** An agent that commanders connect to, at any path: wsperf's server role. */
final class AgentServer
{
    private const TICK = 0.02;

    public readonly Server $server;
    private ?string $timer = null;

    /** @param string|null $token demanded of commanders, as `?token=` or as a bearer token; null: none */
    public function __construct(private readonly Agent $agent, string $listen, ?string $token = null)
    {
        $this->server = new Server(listen: $listen, limits: new Limits(connections: 100, idleMs: 86_400_000, pingMs: 30_000));
        $route = fn (string $path) => $this->server->websocket(
            $path,
            open: $this->open(...),
            message: $this->message(...),
            close: fn (Connection $commander) => $this->agent->leave($commander->id),
            authorize: static fn (Request $request): ?true => Token::allows($token, $request) ? true : null,
            subprotocols: [Agent::SUBPROTOCOL],
        );
        $route('/');
        $route('/{path*}');
    }

    private function open(Connection $commander): void
    {
        $this->agent->join($commander->id, static fn (string $text) => $commander->send($text));
    }

    private function message(Connection $commander, string $text, MessageType $type): void
    {
        if ($type !== MessageType::Text) {
            $commander->close(1003, 'commands are text');

            return;
        }
        $this->agent->take($commander->id, $text);
        $this->agent->tick();
        $this->timer ??= Timer::repeat(self::TICK, $this->tick(...));
    }

    private function tick(): void
    {
        $this->agent->tick();
        if ($this->agent->idle() && $this->timer !== null) {
            Timer::cancel($this->timer);
            $this->timer = null;
        }
    }
}
