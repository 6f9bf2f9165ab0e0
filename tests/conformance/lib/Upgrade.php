<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** The opening handshake (RFC 6455, section 4) with every line free to be wrong. */
final class Upgrade
{
    public const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
    public const ACCEPT = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=';

    /**
     * @param array<string, string|list<string>|null> $headers replaces or adds; null takes a line away, a list repeats it
     */
    public static function request(array $headers = [], string $line = 'GET / HTTP/1.1', string $extra = ''): string
    {
        $all = array_merge([
            'Host' => 'localhost',
            'Upgrade' => 'websocket',
            'Connection' => 'Upgrade',
            'Sec-WebSocket-Key' => self::KEY,
            'Sec-WebSocket-Version' => '13',
        ], $headers);
        $bytes = "$line\r\n";
        foreach ($all as $name => $values) {
            foreach ((array) $values as $value) {
                $bytes .= "$name: $value\r\n";
            }
        }

        return "$bytes$extra\r\n";
    }

    public static function accept(string $key): string
    {
        return base64_encode(sha1($key . '258EAFA5-E914-47DA-95CA-C5AB0DC85B11', true));
    }

    public static function check(Http $response, bool $offered = false, string $key = self::KEY): void
    {
        if ($response->status !== 101) {
            throw new Failed("expected 101, got $response->status");
        }
        if ($response->version !== 'HTTP/1.1') {
            throw new Failed("101 came as $response->version");
        }
        foreach (['upgrade' => 'websocket', 'connection' => 'upgrade'] as $name => $token) {
            if (!in_array($token, array_map(trim(...), explode(',', strtolower($response->header($name) ?? ''))), true)) {
                throw new Failed("the response has no $name: $token");
            }
        }
        $accept = $response->headers['sec-websocket-accept'] ?? [];
        if ($accept !== [self::accept($key)]) {
            throw new Failed('Sec-WebSocket-Accept is wrong: ' . implode(' | ', $accept));
        }
        if (!$offered && isset($response->headers['sec-websocket-extensions'])) {
            throw new Failed('an extension was accepted that was not offered');
        }
    }
}
