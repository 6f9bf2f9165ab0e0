<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests\Support;

/** The chat in a process of its own, on a free port, with a folder that outlives a kill. */
final class RunningServer
{
    public int $port = 0;

    /** @var resource|null */
    private $process = null;

    /** @param list<string> $options */
    public function __construct(public readonly string $folder, private readonly array $options = []) {}

    public static function isPossible(): bool
    {
        return class_exists(\Tusk\Server::class) && function_exists('posix_kill');
    }

    public function start(): void
    {
        $out = "{$this->folder}/out";
        file_put_contents($out, '');
        $this->process = self::run([(string) $this->port, "--var={$this->folder}", '--rate=0', '--grace=1', ...$this->options], $out, "{$this->folder}/err");
        $text = self::until(
            static fn (): string => (string) file_get_contents($out),
            static fn (string $text): bool => str_contains($text, "\n"),
            fn (): string => 'The server did not start: ' . $this->errors(),
        );
        preg_match('~https?://127\.0\.0\.1:(\d+)/~', $text, $m);
        $this->port = (int) ($m[1] ?? 0);
    }

    /** Ends it by a signal; its exit code, or the signal's number negative. */
    public function stop(int $signal = SIGTERM): int
    {
        if ($this->process === null) {
            return 0;
        }
        $children = $this->children();
        posix_kill(proc_get_status($this->process)['pid'], $signal);
        $status = $this->wait();
        // The writer closes the database when it sees its server gone: only then is the folder nobody's.
        array_map(self::awaitEnd(...), $children);
        return $status;
    }

    /** Waits until a process that is not ours to wait for is gone. */
    public static function awaitEnd(int $process): void
    {
        self::until(
            static fn (): bool => posix_kill($process, 0) && !str_contains((string) @file_get_contents("/proc/$process/stat"), ') Z '),
            static fn (bool $isThere): bool => !$isThere,
            static fn (): string => "The process $process is still there.",
        );
    }

    public function wait(): int
    {
        $process = $this->process ?? throw new \LogicException('Not started.');
        $status = self::until(
            static fn (): array => proc_get_status($process),
            static fn (array $status): bool => $status['running'] === false,
            static fn (): string => 'The server does not end.',
        );
        $this->process = null;
        return $status['signaled'] === true ? -$status['termsig'] : $status['exitcode'];
    }

    /** The process that writes to the database. */
    public function writer(): int
    {
        return self::until(
            fn (): array => $this->children(),
            static fn (array $children): bool => count($children) === 1,
            static fn (): string => 'No writer beside the server.',
        )[0] ?? 0;
    }

    /** @return list<int> */
    private function children(): array
    {
        $server = $this->process === null ? 0 : proc_get_status($this->process)['pid'];
        $text = trim((string) @file_get_contents("/proc/$server/task/$server/children"));
        return $text === '' ? [] : array_map(intval(...), explode(' ', $text));
    }

    public function errors(): string
    {
        return (string) @file_get_contents("{$this->folder}/err");
    }

    /**
     * One request on a connection of its own.
     *
     * @param list<string> $headers
     *
     * @return array{status: int, headers: string, body: string}
     */
    public function ask(string $method, string $target, array $headers = [], string $body = ''): array
    {
        $socket = $this->connect();
        fwrite($socket, self::head($method, $target, $this->port, [...$headers, 'Connection: close', 'Content-Length: ' . strlen($body)]) . $body);
        stream_set_timeout($socket, 20);
        $answer = (string) stream_get_contents($socket);
        fclose($socket);
        [$head, $text] = explode("\r\n\r\n", $answer, 2) + ['', ''];
        return ['status' => (int) substr($head, 9, 3), 'headers' => $head, 'body' => $text];
    }

    /**
     * @param array<string, string> $fields
     * @param list<string>          $headers
     *
     * @return array{status: int, headers: string, body: string}
     */
    public function post(string $target, array $fields, array $headers = []): array
    {
        return $this->ask('POST', $target, [...$headers, 'Content-Type: application/x-www-form-urlencoded'], http_build_query($fields));
    }

    /** @return string the header that makes a request this user's */
    public function login(string $name): string
    {
        $answer = $this->post('/login', ['name' => $name]);
        preg_match('/^Set-Cookie: (tusk_chat=[^;]+)/mi', $answer['headers'], $m);
        return 'Cookie: ' . ($m[1] ?? throw new \RuntimeException("No cookie: {$answer['status']} {$answer['body']}"));
    }

    /** @param list<string> $headers */
    public function events(string $target, array $headers = [], bool $asks = true): EventReader
    {
        $socket = $this->connect();
        fwrite($socket, self::head('GET', $target, $this->port, [...$headers, ...($asks ? ['Accept: text/event-stream'] : [])]));
        return new EventReader($socket);
    }

    /** @return resource */
    public function connect()
    {
        $socket = stream_socket_client("tcp://127.0.0.1:{$this->port}", $code, $text, 20);
        return $socket !== false ? $socket : throw new \RuntimeException("No connection: $text");
    }

    /** @param list<string> $headers */
    public static function head(string $method, string $target, int $port, array $headers): string
    {
        $hasHost = array_filter($headers, static fn (string $header): bool => stripos($header, 'host:') === 0) !== [];
        return "$method $target HTTP/1.1\r\n" . ($hasHost ? '' : "Host: 127.0.0.1:$port\r\n") . implode("\r\n", $headers) . "\r\n\r\n";
    }

    /**
     * @param list<string> $arguments
     *
     * @return resource
     */
    public static function run(array $arguments, string $out, string $err)
    {
        $extension = extension_loaded('tusk') ? (string) ini_get('extension') : '';
        $module = dirname(__DIR__, 4) . '/build/ext/modules/tusk.so';
        $process = proc_open(
            [PHP_BINARY, ...($extension === '' && is_file($module) ? ['-d', "extension=$module"] : []), dirname(__DIR__, 2) . '/server.php', ...$arguments],
            [['file', '/dev/null', 'r'], ['file', $out, 'w'], ['file', $err, 'w']],
            $pipes,
        );
        return $process !== false ? $process : throw new \RuntimeException('No process.');
    }

    /**
     * Asks until the answer is good, for twenty seconds at most.
     *
     * @template T
     *
     * @param \Closure(): T     $ask
     * @param \Closure(T): bool $isGood
     * @param \Closure(): string $complaint
     *
     * @return T
     */
    public static function until(\Closure $ask, \Closure $isGood, \Closure $complaint): mixed
    {
        $deadline = hrtime(true) + 20_000_000_000;
        while (!$isGood($answer = $ask())) {
            if (hrtime(true) > $deadline) {
                throw new \RuntimeException($complaint());
            }
            usleep(5_000);
        }
        return $answer;
    }
}
