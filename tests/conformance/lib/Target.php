<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/**
 * Where a case finds its peer: addresses of the running servers and what can be read of their processes.
 */
final class Target
{
    /** @param array<string, Server> $servers by kind: ws, http, sse, app; "ws+name" is a variant */
    public function __construct(public array $servers) {}

    /** What a case finds that is played against a variant: it takes the place of the first of its kind. */
    public function for(Script $case): self
    {
        if ($case->variant === '') {
            return $this;
        }
        $servers = $this->servers;
        unset($servers[$case->kind]);
        if (isset($servers["$case->kind+$case->variant"])) {
            $servers[$case->kind] = $servers["$case->kind+$case->variant"];
        }

        return new self($servers);
    }

    public function server(string $kind = 'ws'): Server
    {
        return $this->servers[$kind] ?? throw new Absent("no $kind server was given");
    }

    public function connect(string $kind = 'ws', ?int $receiveBuffer = null): Wire
    {
        $server = $this->server($kind);

        return Wire::connect($server->host, $server->port, 10.0, $receiveBuffer);
    }

    /** Opens a WebSocket connection; with an offer, what the server agreed to is in the session. */
    public function open(?string $offer = null, ?Wire $wire = null): Session
    {
        $wire ??= $this->connect();
        $wire->write(Upgrade::request($offer === null ? [] : ['Sec-WebSocket-Extensions' => $offer]));
        $response = Http::read($wire, 10.0);
        Upgrade::check($response, $offer !== null);
        $session = new Session($wire);
        if ($offer !== null) {
            $this->agree($session, $response);
        }

        return $session;
    }

    private function agree(Session $session, Http $response): void
    {
        $list = Extensions::parse($response->header('sec-websocket-extensions') ?? '');
        if ($list === []) {
            throw new Absent('permessage-deflate was not agreed to');
        }
        if (count($list) !== 1 || $list[0]['name'] !== 'permessage-deflate') {
            throw new Failed('agreed to an extension that was not offered: ' . $list[0]['name']);
        }
        $session->agreed = $p = $list[0]['parameters'];
        $session->deflate = new Deflate(
            (int) ($p['client_max_window_bits'] ?? 15),
            !array_key_exists('client_no_context_takeover', $p),
            (int) ($p['server_max_window_bits'] ?? 15),
            !array_key_exists('server_no_context_takeover', $p),
        );
    }
}
