<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** One HTTP/1.1 response, read strictly (RFC 9112). */
final readonly class Http
{
    private const FIELD = "~\\A([!#$%&'*+.^_`|\\~0-9A-Za-z-]+):[ \\t]*([\\x20-\\x7e\\t\\x80-\\xff]*?)[ \\t]*\\z~";

    /** @param array<string, list<string>> $headers names in lower case */
    private function __construct(
        public int $status,
        public array $headers,
        public string $body,
        public bool $keepsOpen,
        public string $version,
    ) {}

    public function header(string $name): ?string
    {
        return isset($this->headers[$name]) ? implode(', ', $this->headers[$name]) : null;
    }

    public static function read(Wire $wire, float $timeout, bool $toHead = false, bool $bodyUntilEnd = true): self
    {
        $until = Loop::deadline($timeout);
        $seen = $wire->in;
        while (($end = strpos($wire->in, "\r\n\r\n")) === false) {
            if (!$wire->read($until)) {
                throw new Failed('no response came' . ($wire->in === '' ? '' : ', only: ' . self::quote($wire->in)));
            }
            if ($wire->ended && !str_contains($wire->in, "\r\n\r\n")) {
                throw new Failed(
                    ($wire->wasReset ? 'reset' : 'closed') . ' without a response'
                    . ($wire->in === '' ? '' : ', after: ' . self::quote($wire->in)),
                );
            }
        }
        unset($seen);
        $lines = explode("\r\n", $wire->take($end));
        $wire->take(4);
        $first = array_shift($lines);
        if (preg_match('~\A(HTTP/1\.[01]) ([1-5]\d\d) [\x20-\x7e]*\z~', $first, $m) !== 1) {
            throw new Failed('bad status line: ' . self::quote($first));
        }
        $headers = [];
        foreach ($lines as $line) {
            if (preg_match(self::FIELD, $line, $h) !== 1) {
                throw new Failed('bad header line in the response: ' . self::quote($line));
            }
            $headers[strtolower($h[1])][] = $h[2];
        }
        [$body, $ended] = self::body($wire, (int) $m[2], $headers, $until, $toHead, $bodyUntilEnd);
        $connection = strtolower(implode(',', $headers['connection'] ?? []));
        $keeps = !$ended && ($m[1] === 'HTTP/1.1' ? !str_contains($connection, 'close') : str_contains($connection, 'keep-alive'));

        return new self((int) $m[2], $headers, $body, $keeps, $m[1]);
    }

    /**
     * @param array<string, list<string>> $headers
     *
     * @return array{string, bool}
     */
    private static function body(Wire $wire, int $status, array $headers, float $until, bool $toHead, bool $toEnd): array
    {
        $chunked = isset($headers['transfer-encoding']);
        $lengths = $headers['content-length'] ?? [];
        if ($chunked && $lengths !== []) {
            throw new Failed('the response has both Content-Length and Transfer-Encoding');
        }
        if (count($lengths) > 1 || ($lengths !== [] && preg_match('/\A\d+\z/', $lengths[0]) !== 1)) {
            throw new Failed('bad Content-Length in the response: ' . implode(' | ', $lengths));
        }
        if ($status < 200 || $status === 204) {
            if ($chunked || $lengths !== []) {
                throw new Failed("a $status response must not carry Content-Length or Transfer-Encoding");
            }

            return ['', false];
        }
        if ($toHead || $status === 304) {
            return ['', false];
        }
        if ($chunked) {
            return [self::chunks($wire, $until), false];
        }
        if ($lengths !== []) {
            self::need($wire, (int) $lengths[0], $until);

            return [$wire->take((int) $lengths[0]), false];
        }
        if (!$toEnd) {
            return ['', true];
        }
        while (!$wire->ended) {
            if (!$wire->read($until)) {
                throw new Failed('a body without length did not end');
            }
        }

        return [$wire->take(strlen($wire->in)), true];
    }

    private static function chunks(Wire $wire, float $until): string
    {
        $body = '';
        do {
            $chunk = self::chunk($wire, $until);
            $body .= $chunk;
        } while ($chunk !== '');

        return $body;
    }

    /** One chunk; the last one ('') takes the trailer section with it. */
    public static function chunk(Wire $wire, float $until): string
    {
        while (($end = strpos($wire->in, "\r\n")) === false) {
            self::need($wire, strlen($wire->in) + 1, $until);
        }
        $size = $wire->take($end);
        $wire->take(2);
        if (preg_match('/\A[0-9a-fA-F]{1,15}\z/', $size) !== 1) {
            throw new Failed('bad chunk size in the response: ' . self::quote($size));
        }
        $length = (int) hexdec($size);
        if ($length === 0) {
            self::trailers($wire, $until);

            return '';
        }
        self::need($wire, $length + 2, $until);
        $chunk = $wire->take($length);
        if ($wire->take(2) !== "\r\n") {
            throw new Failed('a chunk does not end with CRLF');
        }

        return $chunk;
    }

    private static function trailers(Wire $wire, float $until): void
    {
        do {
            while (($end = strpos($wire->in, "\r\n")) === false) {
                self::need($wire, strlen($wire->in) + 1, $until);
            }
            $line = $wire->take($end);
            $wire->take(2);
            if ($line !== '' && preg_match(self::FIELD, $line) !== 1) {
                throw new Failed('bad trailer line in the response: ' . self::quote($line));
            }
        } while ($line !== '');
    }

    private static function need(Wire $wire, int $length, float $until): void
    {
        while (strlen($wire->in) < $length) {
            if (!$wire->read($until)) {
                throw new Failed('the response body did not arrive');
            }
            if ($wire->ended && strlen($wire->in) < $length) {
                throw new Failed('the connection ended within the response body');
            }
        }
    }

    public static function quote(string $bytes): string
    {
        return '"' . addcslashes(substr($bytes, 0, 120), "\0..\37\"\\\177..\377") . '"';
    }
}
