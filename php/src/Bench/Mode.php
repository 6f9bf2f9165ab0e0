<?php

declare(strict_types=1);

namespace Tusk\Bench;

use Tusk\Terminal\Units;

/** What a run does with its connections; the values are the engine's names. */
enum Mode: string
{
    case WsHandshake = 'ws-handshake';
    case WsEcho = 'ws-echo';
    case Fanout = 'fanout';
    case Sse = 'sse';
    case Http = 'http';
    case TcpRr = 'tcp-rr';
    case TcpRate = 'tcp-rate';
    case TcpBulk = 'tcp-bulk';
    case TcpHold = 'tcp-hold';

    public function summary(): string
    {
        return match ($this) {
            self::WsHandshake => 'Open, upgrade and close WebSocket connections',
            self::WsEcho => 'WebSocket round trips against an echo server',
            self::Fanout => 'Publish to many subscribers and time every delivery',
            self::Sse => 'Subscribe to Server-Sent Events and time what arrives',
            self::Http => 'HTTP requests',
            self::TcpRr => 'TCP round trips on open connections',
            self::TcpRate => 'TCP connections per second',
            self::TcpBulk => 'TCP throughput',
            self::TcpHold => 'TCP connections held open, and what each costs the server',
        };
    }

    /** What one operation is called, in the plural. */
    public function operations(): string
    {
        return match ($this) {
            self::WsHandshake => 'handshakes',
            self::WsEcho => 'echoes',
            self::Fanout => 'deliveries',
            self::Sse => 'events',
            self::Http => 'requests',
            self::TcpRr => 'round trips',
            self::TcpBulk => 'bytes',
            self::TcpRate, self::TcpHold => 'connections',
        };
    }

    /** The histogram that answers "how long": what percentiles without a name mean. */
    public function headline(): string
    {
        return match ($this) {
            self::Fanout, self::Sse => 'delivery',
            self::TcpHold => 'tcp',
            default => 'response',
        };
    }

    /** The counter whose rate is the run's rate. */
    public function counted(): string
    {
        return match ($this) {
            self::Fanout, self::Sse => 'received',
            self::TcpHold => 'opened',
            default => 'completed',
        };
    }

    /**
     * What was done, of counters: the number of operations; of tcp bulk bytes, both ways.
     *
     * @param array<string, int> $counters
     */
    public function done(array $counters): int
    {
        return $this === self::TcpBulk
            ? ($counters['bytes_received'] ?? 0) + ($counters['bytes_sent'] ?? 0)
            : ($counters[$this->counted()] ?? 0);
    }

    /** Whether single operations are timed: not when bytes flow, or connections only stand. */
    public function timed(): bool
    {
        return $this !== self::TcpBulk && $this !== self::TcpHold;
    }

    /** Whether each operation reaches many: then what is planned are messages, and what is counted deliveries. */
    public function publishes(): bool
    {
        return $this === self::Fanout || $this === self::Sse;
    }

    /** A rate as people read it: `1,000 echoes/s`, `468 MiB/s`. */
    public function rate(float $perSecond): string
    {
        return $this === self::TcpBulk ? Units::size($perSecond) . '/s' : Units::short($perSecond) . " {$this->operations()}/s";
    }

    /** An address to show in help. */
    public function example(): string
    {
        return match ($this) {
            self::WsHandshake, self::WsEcho, self::Fanout => 'ws://127.0.0.1:9001/',
            self::Sse => 'http://127.0.0.1:8080/events',
            self::Http => 'http://127.0.0.1:8080/',
            default => 'tcp://127.0.0.1:5432',
        };
    }

    /** The mode that an address alone asks for. */
    public static function ofUrl(string $url): self
    {
        return match (strtolower((string) parse_url($url, PHP_URL_SCHEME))) {
            'ws', 'wss' => self::WsEcho,
            'http', 'https' => self::Http,
            default => self::TcpRr,
        };
    }
}
