<?php

declare(strict_types=1);

namespace Tusk\Top;

/** Where metrics are read: one GET in HTTP/1.0, over TCP, TLS or a Unix socket. */
final readonly class Source
{
    /** An answer has at most some fifty lines for each of 5,000 targets and as many routes. */
    private const BYTES_MAX = 64 << 20;

    private function __construct(public string $name, private string $socket, private string $host, private string $path, private float $timeout) {}

    /**
     * @param string $given   `127.0.0.1:9100`, `http://host:9100` with or without a path, `unix:/run/admin.sock`
     * @param float  $timeout seconds until the answer is whole
     *
     * @throws Unreadable
     */
    public static function at(string $given, float $timeout = 5.0): self
    {
        if (str_starts_with($given, 'unix:') && strlen($given) > 5) {
            return new self($given, 'unix://' . substr($given, 5), 'localhost', '/metrics', $timeout);
        }
        if (preg_match('#^(?:(https?)://)?([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?(/[!-~]*)?$#Di', $given, $m, PREG_UNMATCHED_AS_NULL) !== 1) {
            throw Unreadable::address($given);
        }
        $scheme = strtolower($m[1] ?? '');
        $port = (int) ($m[3] ?? ['http' => 80, 'https' => 443][$scheme] ?? 0);
        if ($port < 1 || $port > 65535) {
            throw Unreadable::address($given);
        }
        $path = ($m[4] ?? '/') === '/' ? '/metrics' : $m[4];

        return new self("$m[2]:$port", ($scheme === 'https' ? 'tls' : 'tcp') . "://$m[2]:$port", "$m[2]:$port", (string) $path, $timeout);
    }

    /** @throws Unreadable */
    public function read(): Sample
    {
        $until = hrtime(true) / 1e9 + $this->timeout;
        $stream = @stream_socket_client($this->socket, $number, $error, $this->timeout);
        if ($stream === false) {
            throw Unreadable::nobody($this->name, ($error ?? '') === '' ? (error_get_last()['message'] ?? 'no connection') : lcfirst((string) $error));
        }
        try {
            fwrite($stream, "GET $this->path HTTP/1.0\r\nHost: $this->host\r\nAccept: application/openmetrics-text, text/plain\r\nConnection: close\r\n\r\n");
            $answer = $this->whole($stream, $until);
        } finally {
            fclose($stream);
        }
        [$head, $body] = explode("\r\n\r\n", $answer, 2) + ['', ''];
        $line = strtok($head, "\r\n");
        if ($line === false || preg_match('~^HTTP/1\.[01] 200\b~', $line) !== 1) {
            throw $line === false ? Unreadable::nobody($this->name, 'it answered nothing') : Unreadable::status($this->name, mb_scrub(substr($line, 0, 80)));
        }

        return Sample::parse($body, $this->name, microtime(true), hrtime(true) / 1e9); // a date, and what rates are measured by
    }

    /** @param resource $stream */
    private function whole($stream, float $until): string
    {
        $answer = '';
        while (!feof($stream)) {
            $left = $until - hrtime(true) / 1e9;
            if ($left <= 0) {
                throw Unreadable::nobody($this->name, sprintf('its answer was not whole after %g s', $this->timeout));
            }
            stream_set_timeout($stream, (int) $left, (int) (fmod($left, 1) * 1e6));
            $answer .= (string) fread($stream, 65536);
            if (strlen($answer) > self::BYTES_MAX) {
                throw Unreadable::text($this->name, 'they have more than 64 MiB');
            }
        }

        return $answer;
    }
}
