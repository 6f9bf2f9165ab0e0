<?php

declare(strict_types=1);

// proxied-client.php PORT: an HTTP client whose requests go through the proxy there (servers/proxy.php), so that the cases of clients are answers of a backend: orders and what is
// told as in http-client.php. A 502, 504 or an answer that breaks off is the fault that the proxy found. Bytes that are no answer are
// told as status 0: they should not have got through.

namespace Tusk\Conformance;

require dirname(__DIR__) . '/lib/bootstrap.php';

/** One connection to the proxy, as long as it is kept. */
final class Proxied
{
    private const BROKEN_OFF = ['the connection ended within the response body', 'closed without a response', 'reset without a response'];

    private ?Wire $wire = null;

    public function __construct(private readonly int $port) {}

    /** @param array{method: string, url: string, headers: array<string, string>, body: string, timeout?: float, maxBody?: int} $order */
    public function answer(array $order): array
    {
        $this->wire ??= Wire::connect('127.0.0.1', $this->port);
        if ($this->wire->read(0.0) && $this->wire->ended) {
            $this->wire = Wire::connect('127.0.0.1', $this->port);
        }
        $this->wire->write($this->request($order));
        try {
            do {
                $answer = Http::read($this->wire, (float) ($order['timeout'] ?? 3.0), $order['method'] === 'HEAD');
            } while ($answer->status < 200);
        } catch (Failed $fault) {
            $this->wire->close();
            $this->wire = null;
            $isCut = array_filter(self::BROKEN_OFF, static fn (string $text): bool => str_contains($fault->getMessage(), $text)) !== [];

            return $isCut ? ['error' => $fault->getMessage()] : ['status' => 0, 'headers' => (object) [], 'body' => base64_encode($fault->getMessage())];
        }
        if (!$answer->keepsOpen) {
            $this->wire->close();
            $this->wire = null;
        }
        if (in_array($answer->status, [502, 504], true) && !isset($answer->headers['via'])) {
            return ['error' => $answer->body];
        }
        $headers = array_map(static fn (array $values): string => base64_encode(implode(', ', $values)), $answer->headers);

        return ['status' => $answer->status, 'headers' => (object) $headers, 'body' => base64_encode($answer->body)];
    }

    private function request(array $order): string
    {
        $url = preg_match('~\Ahttp://127\.0\.0\.1:(\d+)(/[^#]*|\?[^#]*|)~', $order['url'], $m) === 1 ? $m : throw new Failed('no URL of a case');
        $body = (string) base64_decode($order['body'], true);
        $path = str_starts_with($url[2], '/') ? $url[2] : "/$url[2]";
        $lines = ["$order[method] $path HTTP/1.1", "Host: p$url[1]"];
        foreach ($order['headers'] as $name => $value) {
            $lines[] = "$name: $value";
        }
        if ($body !== '' || in_array($order['method'], ['POST', 'PUT', 'PATCH'], true)) {
            $lines[] = 'Content-Length: ' . strlen($body);
        }

        return implode("\r\n", $lines) . "\r\n\r\n$body";
    }
}

Loop::spawn(static function () use ($argv): void {
    stream_set_timeout(STDIN, -1); // it may be a socket, whose reads end after default_socket_timeout: who is asked nothing for a minute would be gone
    $client = new Proxied((int) $argv[1]);
    while (($line = fgets(STDIN)) !== false) {
        echo json_encode($client->answer(json_decode($line, true, 8, JSON_THROW_ON_ERROR)), JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE), "\n";
    }
});
Loop::run();
