<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** The request of a client, read strictly (RFC 9112); mostly an opening handshake (RFC 6455, section 4.1). */
final class ClientRequest
{
    public string $body = '';

    /** @param array<string, list<string>> $headers */
    private function __construct(public readonly string $line, public readonly array $headers) {}

    public function header(string $name): ?string
    {
        return isset($this->headers[$name]) ? implode(', ', $this->headers[$name]) : null;
    }

    public function key(): string
    {
        return $this->header('sec-websocket-key') ?? '';
    }

    public static function read(Wire $wire, float $timeout): self
    {
        $until = Loop::deadline($timeout);
        while (!str_contains($wire->in, "\r\n\r\n")) {
            if (!$wire->read($until) || $wire->ended) {
                throw new Failed('no request came: ' . Http::quote($wire->in));
            }
        }
        $lines = explode("\r\n", $wire->take((int) strpos($wire->in, "\r\n\r\n")));
        $wire->take(4);
        $first = array_shift($lines);
        $headers = [];
        foreach ($lines as $line) {
            if (preg_match("~\\A([!#$%&'*+.^_`|\\~0-9A-Za-z-]+):[ \\t]*(.*?)[ \\t]*\\z~", $line, $m) !== 1) {
                throw new Failed('bad header line in the request: ' . Http::quote($line));
            }
            $headers[strtolower($m[1])][] = $m[2];
        }

        return new self($first, $headers);
    }

    public function check(int $port): void
    {
        Expect::that(preg_match('~\AGET /\S* HTTP/1\.1\z~', $this->line) === 1, "request line: $this->line");
        Expect::same(["127.0.0.1:$port"], $this->headers['host'] ?? [], 'Host');
        Expect::same('websocket', strtolower($this->header('upgrade') ?? ''), 'Upgrade');
        $tokens = array_map(trim(...), explode(',', strtolower($this->header('connection') ?? '')));
        Expect::that(in_array('upgrade', $tokens, true), 'no Connection: Upgrade');
        Expect::same(['13'], $this->headers['sec-websocket-version'] ?? [], 'Sec-WebSocket-Version');
        $keys = $this->headers['sec-websocket-key'] ?? [];
        Expect::that(count($keys) === 1 && strlen((string) base64_decode($keys[0], true)) === 16, 'Sec-WebSocket-Key');
    }

    /** @param array<string, string|list<string>|null> $headers */
    public function answer(array $headers = [], string $line = 'HTTP/1.1 101 Switching Protocols'): string
    {
        $all = array_merge(['Upgrade' => 'websocket', 'Connection' => 'Upgrade', 'Sec-WebSocket-Accept' => Upgrade::accept($this->key())], $headers);
        $bytes = "$line\r\n";
        foreach ($all as $name => $values) {
            foreach ((array) $values as $value) {
                $bytes .= "$name: $value\r\n";
            }
        }

        return "$bytes\r\n";
    }

    public function offersDeflate(): bool
    {
        foreach (Extensions::parse($this->header('sec-websocket-extensions') ?? '') as $item) {
            if ($item['name'] === 'permessage-deflate') {
                return true;
            }
        }

        return false;
    }

    /** Our end of the connection after the answer; with deflate as accepted by us. */
    public function session(Wire $wire, ?string $accept): Session
    {
        $session = new Session($wire, true);
        if ($accept === null) {
            $wire->write($this->answer());

            return $session;
        }
        if (!$this->offersDeflate()) {
            throw new Absent('the client does not offer permessage-deflate');
        }
        $agreed = Extensions::parse($accept)[0]['parameters'];
        if (isset($agreed['client_max_window_bits']) && !str_contains((string) $this->header('sec-websocket-extensions'), 'client_max_window_bits')) {
            throw new Absent('the client does not offer client_max_window_bits');
        }
        $session->agreed = $agreed;
        $session->deflate = new Deflate(
            (int) ($agreed['server_max_window_bits'] ?? 15),
            !array_key_exists('server_no_context_takeover', $agreed),
            (int) ($agreed['client_max_window_bits'] ?? 15),
            !array_key_exists('client_no_context_takeover', $agreed),
        );
        $wire->write($this->answer(['Sec-WebSocket-Extensions' => $accept]));

        return $session;
    }
}
