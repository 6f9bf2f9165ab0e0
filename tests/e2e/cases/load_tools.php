<?php

declare(strict_types=1);

// bench/proxy: each BENCH_ variable of the clients and backends does what it says, seen by a proxy between them and by what it counts.

namespace Tusk\E2e;

use function Tusk\Tests\free_port;

/** One of bench/proxy, with its variables: [status, text]. @param array<string, int|string> $variables */
function bench_tool(string $name, array $variables, string $arguments = ''): array
{
    return command(bench_line($name, $variables) . " $arguments");
}

/** @param array<string, int|string> $variables */
function bench_line(string $name, array $variables): string
{
    $root = dirname(__DIR__, 3);
    $line = 'env -u BENCH_HOST';
    foreach ($variables as $variable => $value) {
        $line .= " BENCH_$variable=" . escapeshellarg((string) $value);
    }

    return $line . ' ' . PHP_BINARY . " -d extension=$root/build/ext/modules/tusk.so $root/bench/proxy/$name.php";
}

/** @param array<string, int|string> $variables @return array<string, mixed> */
function bench_plan(string $name, array $variables = []): array
{
    [$status, $text] = bench_tool($name, $variables, '--plan');
    expect($status === 0, "$name --plan: $text");

    return (array) json_decode($text, true, 4, JSON_THROW_ON_ERROR);
}

/** A backend of bench/proxy with a proxy of examples/ before it that counts. */
final class Counted
{
    public readonly int $port;
    private readonly int $admin;
    private readonly Program $backend;
    private readonly Program $proxy;

    /** @param array<string, int|string> $variables */
    public function __construct(string $kind, array $variables = [])
    {
        [$this->port, $this->admin, $behind] = [free_port(), free_port(), free_port()];
        $this->backend = (new Program(bench_line("$kind-backend", ['PORT' => $behind] + $variables)))->awaitPort($behind);
        $root = dirname(__DIR__, 3);
        $this->proxy = (new Program(PHP_BINARY . " -d extension=$root/build/ext/modules/tusk.so $root/bin/tusk proxy $kind --listen 127.0.0.1:$this->port"
            . " --to 127.0.0.1:$behind --admin 127.0.0.1:$this->admin"))->awaitPort($this->admin);
    }

    public function counter(string $name): int
    {
        preg_match("~^tusk_proxy_$name (\\d+)$~m", (string) file_get_contents("http://127.0.0.1:$this->admin/metrics"), $m);

        return (int) ($m[1] ?? -1);
    }

    /** How much these have grown by a run that must go well. @param array<string, int|string> $variables @param list<string> $names */
    public function grown(string $tool, array $variables, array $names): array
    {
        $before = array_map($this->counter(...), $names);
        [$status, $text] = bench_tool($tool, ['HOST' => '127.0.0.1', 'PORT' => $this->port] + $variables);
        expect($status === 0, "$tool: $text");
        await(fn (): bool => $this->counter('active') === 0, 'the proxy has nobody left');

        return [...array_map(fn (string $name, int $was): int => $this->counter($name) - $was, $names, $before), $text];
    }
}

return static function (Suite $suite): void {
    $processors = max(1, (int) preg_match_all('~^processor~m', (string) file_get_contents('/proc/cpuinfo')));

    $suite->test('bench/proxy: every default of the HTTP client is the one on record', function () use ($processors): void {
        $plan = bench_plan('http-client');
        expect($plan['url'] === 'http://localhost:8080/', 'HOST, PORT: ' . $plan['url']);
        expect([$plan['connections'], $plan['count']] === [$processors * 500, $processors * 500 * 500], 'CONCURRENCY, REQUESTS');
        expect([$plan['keep-alive'], $plan['timeout']] === [true, 10], 'KEEP_ALIVE, TIMEOUT');
    });
    $suite->test('bench/proxy: every default of the TCP client is the one on record', function () use ($processors): void {
        $plan = bench_plan('tcp-client');
        expect([$plan['mode'], $plan['url'], $plan['greeting']] === ['tcp-rr', 'tcp://localhost:5432', 'postgres'], 'HOST, PORT, PROTOCOL, PERSISTENT: ' . json_encode($plan));
        expect([$plan['connections'], $plan['size'], $plan['count'], $plan['timeout']] === [$processors * 500, 65_536, intdiv(8 * 2 ** 30, 65_536), 10], 'CONCURRENCY, PAYLOAD_BYTES, TARGET_BYTES, TIMEOUT');
        foreach ([5432 => 'postgres', 3306 => 'mysql', 25 => 'smtp', 587 => 'smtp', 8080 => 'none'] as $port => $protocol) {
            expect(bench_plan('tcp-client', ['PORT' => $port])['greeting'] === $protocol, "PROTOCOL of port $port");
        }
    });
    $suite->test('bench/proxy: a variable that is no number is refused by its name', function (): void {
        [$status, $text] = bench_tool('http-client', ['CONCURRENCY' => 'many']);
        expect($status === 2 && str_contains($text, 'BENCH_CONCURRENCY must be a number, not "many"'), $text);
    });
    $suite->test('bench/proxy: CONCURRENCY, REQUESTS and KEEP_ALIVE of the HTTP client reach the server', function (): void {
        $counted = new Counted('http');
        [$connections, $requests] = $counted->grown('http-client', ['CONCURRENCY' => 3, 'REQUESTS' => 40], ['accepted_total', 'http_requests_total']);
        expect($requests >= 40 && $requests <= 41 && $connections >= 3 && $connections <= 4, "kept: $connections connections, $requests requests");
        [$connections, $requests] = $counted->grown('http-client', ['CONCURRENCY' => 3, 'REQUESTS' => 40, 'KEEP_ALIVE' => 'false'], ['accepted_total', 'http_requests_total']);
        expect($connections >= 40 && $requests >= 40, "one each: $connections connections, $requests requests");
    });
    $suite->test('bench/proxy: PAYLOAD_BYTES, TARGET_BYTES, CONNECTIONS and PERSISTENT of the TCP client reach the server', function (): void {
        $counted = new Counted('tcp');
        $few = ['CONCURRENCY' => 2, 'PAYLOAD_BYTES' => 1024, 'TARGET_BYTES' => 51_200];
        [$connections, $bytes, $text] = $counted->grown('tcp-client', $few, ['accepted_total', 'bytes_up_total']);
        expect($connections >= 2 && $connections <= 3 && $bytes >= 51_200 && $bytes <= 53_248, "persistent: $connections connections, $bytes bytes");
        contains($text, 'tcp-rr', 'persistent');
        [$connections, $bytes] = $counted->grown('tcp-client', $few + ['PERSISTENT' => 'false', 'CONNECTIONS' => 12], ['accepted_total', 'bytes_up_total']);
        expect($connections >= 12 && $connections <= 13 && $bytes >= 12 * 1024, "one round trip each: $connections connections, $bytes bytes");
        [$connections, $bytes] = $counted->grown('tcp-client', ['CONCURRENCY' => 2, 'PAYLOAD_BYTES' => 0, 'CONNECTIONS' => 15], ['accepted_total', 'bytes_up_total']);
        expect($connections >= 15 && $connections <= 16 && $bytes === 0, "without payload: $connections connections, $bytes bytes");
    });
    $suite->test('bench/proxy: STREAM_DURATION streams for so many seconds', function (): void {
        $counted = new Counted('tcp');
        $began = microtime(true);
        [$bytes, $text] = $counted->grown('tcp-client', ['CONCURRENCY' => 1, 'PAYLOAD_BYTES' => 1024, 'TARGET_BYTES' => 1024, 'STREAM_DURATION' => 1], ['bytes_up_total']);
        expect(microtime(true) - $began >= 1.0 && $bytes > 1024, "$bytes bytes");
        contains($text, 'MiB/s');
    });
    $suite->test('bench/proxy: PROTOCOL is spoken by the client and by the backend', function (): void {
        $run = ['CONCURRENCY' => 1, 'PAYLOAD_BYTES' => 64, 'TARGET_BYTES' => 640];
        foreach (['postgres' => 'mysql', 'mysql' => 'smtp', 'smtp' => 'mysql'] as $protocol => $other) {
            $port = free_port();
            $backend = (new Program(bench_line('tcp-backend', ['PORT' => $port, 'PROTOCOL' => $protocol])))->awaitPort($port);
            [$status, $text] = bench_tool('tcp-client', $run + ['HOST' => '127.0.0.1', 'PORT' => $port, 'PROTOCOL' => $protocol]);
            expect($status === 0, "$protocol: $text");
            [$status] = bench_tool('tcp-client', $run + ['HOST' => '127.0.0.1', 'PORT' => $port, 'PROTOCOL' => $other, 'TIMEOUT' => 1]);
            expect($status !== 0, "a $protocol server was taken for $other");
            unset($backend);
        }
    });
    $suite->test('bench/proxy: TIMEOUT bounds a server that says nothing', function (): void {
        $silent = stream_socket_server('tcp://127.0.0.1:0') ?: throw new Failed('no port');
        $port = (int) substr((string) strrchr((string) stream_socket_get_name($silent, false), ':'), 1);
        foreach (['http-client' => ['REQUESTS' => 1], 'tcp-client' => ['TARGET_BYTES' => 64, 'PAYLOAD_BYTES' => 64]] as $tool => $more) {
            [$status, $text] = bench_tool($tool, $more + ['HOST' => '127.0.0.1', 'PORT' => $port, 'CONCURRENCY' => 1, 'TIMEOUT' => 1]);
            expect($status !== 0 && $status !== 124, "$tool ended with $status: $text");
        }
    });
    $suite->test('bench/proxy: HOST, PORT and WORKERS of the backends are theirs', function (): void {
        foreach (['http' => 'HTTP', 'tcp' => 'TCP'] as $kind => $name) {
            $port = free_port();
            $backend = new Program(bench_line("$kind-backend", ['HOST' => '127.0.0.2', 'PORT' => $port, 'WORKERS' => 2]));
            await(fn (): bool => @stream_socket_client("tcp://127.0.0.2:$port") !== false, "a $name backend on 127.0.0.2");
            expect(@stream_socket_client("tcp://127.0.0.1:$port") === false, "a $name backend listens on 127.0.0.1, too");
            await(fn (): bool => str_contains($backend->log(), "on port $port, 2 processes"), "the $name backend says what it is: {$backend->log()}");
            unset($backend);
        }
    });
};
