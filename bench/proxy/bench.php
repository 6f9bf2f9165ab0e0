<?php

// SPDX-License-Identifier: MIT
// What the proxy benches share: the variables BENCH_*, and one run of the load engine with its summary.

declare(strict_types=1);

namespace Tusk\Bench\Proxy;

use Tusk\Bench\{EchoServer, Histogram, Load};

define('ANY_ARGUMENTS', true);
require dirname(__DIR__, 2) . '/examples/load.php';

function text(string $name, string $otherwise): string
{
    $value = getenv("BENCH_$name");

    return $value === false || $value === '' ? $otherwise : $value;
}

function number(string $name, int $otherwise): int
{
    $value = text($name, (string) $otherwise);
    if (!ctype_digit($value)) {
        fwrite(STDERR, "BENCH_$name must be a number, not \"$value\"\n");
        exit(2);
    }

    return (int) $value;
}

function flag(string $name, bool $otherwise): bool
{
    return filter_var(text($name, $otherwise ? 'true' : 'false'), FILTER_VALIDATE_BOOL);
}

function processors(): int
{
    return max(1, (int) preg_match_all('~^processor~m', (string) @file_get_contents('/proc/cpuinfo')));
}

/** What is spoken behind a well-known port: BENCH_PROTOCOL, unless it says so itself. */
function protocol(int $port): string
{
    return text('PROTOCOL', [5432 => 'postgres', 3306 => 'mysql', 25 => 'smtp', 587 => 'smtp'][$port] ?? 'none');
}

/**
 * Runs to the end and prints (with --plan: says what would run, as JSON); the exit status is 1 when anything failed.
 *
 * @param array<string, string|int|float|bool> $options
 * @param int                                  $payload bytes of one operation, both ways together; 0: connections are counted
 */
function run(string $mode, string $url, array $options, string $unit, int $payload = 0): never
{
    if (in_array('--plan', (array) ($_SERVER['argv'] ?? []), true)) {
        echo json_encode(['mode' => $mode, 'url' => $url] + $options, JSON_UNESCAPED_SLASHES), "\n";
        exit(0);
    }
    try {
        $load = new Load($mode, $url, $options);
        $load->start();
    } catch (\ValueError | \RuntimeException $fault) {
        fwrite(STDERR, "{$fault->getMessage()}\n");
        exit(2);
    }
    while ($load->poll()) {
    }
    $counters = $load->counters(true);
    $seconds = max(1e-9, (float) $load->facts()['window']);
    $failed = array_filter($counters, fn (int $value, string $name): bool => $value > 0
        && (str_starts_with($name, 'failed_') || in_array($name, ['timed_out', 'wrong', 'lost'], true)), ARRAY_FILTER_USE_BOTH);
    if ($mode !== 'tcp-bulk') { // which counts bytes
        printf("%s %s: %d %s in %.2f s, %.0f/s\n", $mode, $url, $counters['completed'], $unit, $seconds, $counters['completed'] / $seconds);
    }
    $bytes = $counters['bytes_sent'] + $counters['bytes_received'];
    if ($payload > 0 || $mode === 'tcp-bulk') {
        printf("bytes: %.2f GiB, %.0f MiB/s\n", $bytes / 2 ** 30, $bytes / 2 ** 20 / $seconds);
    }
    $times = $load->histogram($mode === 'tcp-rate' ? 'tcp' : 'response');
    if ($times instanceof Histogram && $times->count() > 0) {
        printf("milliseconds: p50 %.3f, p90 %.3f, p99 %.3f, max %.3f\n", ...array_map(fn (float $p): float => $times->percentile($p) / 1e6, [50, 90, 99, 100]));
    }
    if (($mode === 'tcp-bulk' ? $bytes : $counters['completed']) === 0) {
        $failed['completed nothing'] = 1;
    }
    foreach ($failed as $name => $count) {
        echo "FAILED $name: $count\n";
    }
    exit($failed === [] ? 0 : 1);
}

/** Runs until it is told to end; one of TCP greets as what stands behind the port that is 10000 less. */
function backend(string $kind, int $port): void
{
    pcntl_async_signals(true);
    $port = number('PORT', $port);
    $options = $kind === 'tcp' ? ['greeting' => protocol($port - 10_000)] : [];
    $server = new EchoServer($kind, number('WORKERS', 1), text('HOST', '127.0.0.1'), $port, $options);
    fprintf(STDERR, "$kind backend on port %d, %d processes%s\n", $server->port(), count($server->pids()), $kind === 'tcp' ? ", greeting {$options['greeting']}" : '');
    $end = function () use ($server): never {
        $server->stop();
        exit(0);
    };
    pcntl_signal(SIGTERM, $end);
    pcntl_signal(SIGINT, $end);
    while (true) {
        sleep(3600);
    }
}
