<?php

// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Tusk\Tests\Docs;

use Tusk\WebSocket\{CloseFrame, Frames, MessageType, Protocol};

/** An example that runs, and somebody who talks to it over its port. */
final class Conversation
{
    private const PATIENCE_S = 30.0;

    /** @param resource $process */
    private function __construct(
        private $process,
        private string $errors,
        public readonly int $port,
        public readonly string $folder,
        private string $authority = '',
    ) {}

    /** The same, through something that stands in front and speaks TLS. */
    public function through(int $port, string $authority): self
    {
        $self = new self($this->process, $this->errors, $port, $this->folder, $authority);
        $self->awaitStart();
        return $self;
    }

    /**
     * @param \Closure(self): void          $talk
     * @param (\Closure(string): void)|null $prepare gets the folder that is the example's second argument
     */
    public static function with(string $example, \Closure $talk, ?\Closure $prepare = null): void
    {
        $folder = sys_get_temp_dir() . '/tusk-talk-' . getmypid();
        @mkdir($folder, 0o700);
        if ($prepare !== null) {
            $prepare($folder);
        }
        $port = \Tusk\Tests\free_port();
        $command = [PHP_BINARY, '-d', 'extension=' . Script::module(), $example, (string) $port, $folder];
        $errors = "$folder/err.txt";
        $process = proc_open($command, [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', $errors, 'w']], $pipes);
        if ($process === false) {
            throw new \RuntimeException("cannot start $example");
        }
        $self = new self($process, $errors, $port, $folder);
        try {
            $self->awaitStart();
            $talk($self);
            proc_terminate($process, SIGTERM);
            $self->awaitEnd();
        } finally {
            proc_terminate($process, SIGKILL);
            proc_close($process);
            foreach (new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator($folder, \FilesystemIterator::SKIP_DOTS), \RecursiveIteratorIterator::CHILD_FIRST) as $file) {
                $file->isDir() ? rmdir((string) $file) : unlink((string) $file);
            }
            rmdir($folder);
        }
    }

    private function awaitStart(): void
    {
        $until = microtime(true) + self::PATIENCE_S;
        while (($socket = @stream_socket_client("tcp://127.0.0.1:$this->port", $code, $text, 1.0)) === false) {
            if (!proc_get_status($this->process)['running'] || microtime(true) > $until) {
                throw new \LogicException('did not start: ' . file_get_contents($this->errors));
            }
            usleep(10_000); // a poll: nothing tells from outside that a port is bound
        }
        fclose($socket);
    }

    private function awaitEnd(): void
    {
        $until = microtime(true) + self::PATIENCE_S;
        while (($status = proc_get_status($this->process))['running']) {
            if (microtime(true) > $until) {
                throw new \LogicException('does not end after SIGTERM');
            }
            usleep(10_000);
        }
        $errors = trim((string) file_get_contents($this->errors));
        if ($status['exitcode'] !== 0 || $errors !== '') {
            throw new \LogicException("ended with status {$status['exitcode']}: $errors");
        }
    }

    /** @return resource */
    private function connect()
    {
        $context = stream_context_create(['ssl' => ['cafile' => $this->authority, 'peer_name' => 'localhost']]);
        $scheme = $this->authority === '' ? 'tcp' : 'tls';
        $socket = stream_socket_client("$scheme://127.0.0.1:$this->port", $code, $text, self::PATIENCE_S, STREAM_CLIENT_CONNECT, $context);
        if ($socket === false) {
            throw new \LogicException("cannot connect: $text");
        }
        stream_set_timeout($socket, (int) self::PATIENCE_S);
        return $socket;
    }

    /**
     * One request; the answer's status line, head and body as one text.
     * @param list<string> $headers
     */
    public function http(string $method, string $target, string $body = '', array $headers = []): string
    {
        $socket = $this->connect();
        $host = preg_grep('~^Host:~', $headers) === [] ? ['Host: localhost'] : [];
        $headers = [...$headers, ...$host, 'Connection: close', 'Content-Length: ' . strlen($body)];
        fwrite($socket, "$method $target HTTP/1.1\r\n" . implode("\r\n", $headers) . "\r\n\r\n$body");
        return (string) stream_get_contents($socket);
    }

    /** What of an event stream arrives until it holds $last. */
    public function events(string $target, string $last, string $lastEventId = ''): string
    {
        $socket = $this->connect();
        fwrite($socket, "GET $target HTTP/1.1\r\nHost: localhost\r\n" . ($lastEventId === '' ? '' : "Last-Event-ID: $lastEventId\r\n") . "\r\n");
        $text = '';
        while (!str_contains($text, $last)) {
            $piece = fread($socket, 8192);
            if ($piece === false || $piece === '') {
                throw new \LogicException("the stream held only: $text");
            }
            $text .= $piece;
        }
        return $text;
    }

    /**
     * A WebSocket: send by calling it with a text, without one it gives the next message, or the close code.
     * @param list<string> $headers
     * @return \Closure(?string=): (string|int|null)
     */
    public function webSocket(string $target, array $headers = []): \Closure
    {
        $socket = $this->connect();
        $key = base64_encode(random_bytes(16));
        $lines = [...$headers, 'Host: localhost', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13', "Sec-WebSocket-Key: $key"];
        fwrite($socket, "GET $target HTTP/1.1\r\n" . implode("\r\n", $lines) . "\r\n\r\n");
        $head = '';
        while (!str_ends_with($head, "\r\n\r\n")) {
            $byte = fgetc($socket);
            if ($byte === false) {
                throw new \LogicException("no upgrade: $head");
            }
            $head .= $byte;
        }
        if (!str_starts_with($head, 'HTTP/1.1 101 ') || !str_contains($head, Protocol::acceptKey($key))) {
            throw new \LogicException("no upgrade: $head");
        }
        $frames = new Frames();
        return function (?string $text = null) use ($socket, $frames): string|int|null {
            if ($text !== null) {
                fwrite($socket, Protocol::encode($text, MessageType::Text, masked: true));
                return null;
            }
            while (($frame = $frames->next()) === null) {
                // No more than is there: for the rest of what it was asked, fread() would wait.
                $piece = fread($socket, max(1, stream_get_meta_data($socket)['unread_bytes']));
                if ($piece === false || $piece === '') {
                    throw new \LogicException('nothing arrived');
                }
                $frames->push($piece);
            }
            return $frame instanceof CloseFrame ? $frame->code : $frame->payload;
        };
    }

    public static function same(mixed $expected, mixed $actual): void
    {
        if ($expected !== $actual) {
            throw new \LogicException('expected ' . var_export($expected, true) . "\ngot " . var_export($actual, true));
        }
    }

    public static function holds(string $needle, string $text): void
    {
        if (!str_contains($text, $needle)) {
            throw new \LogicException("does not hold \"$needle\":\n$text");
        }
    }
}
