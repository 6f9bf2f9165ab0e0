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

/**
 * Runs to the end and prints; the exit status is 1 when anything failed.
 *
 * @param array<string, string|int|float|bool> $options
 * @param int                                  $payload bytes of one operation, both ways together; 0: connections are counted
 */
function run(string $mode, string $url, array $options, string $unit, int $payload = 0): never
{
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
    foreach ($failed as $name => $count) {
        echo "FAILED $name: $count\n";
    }
    exit($failed === [] ? 0 : 1);
}

/** Runs until it is told to end. */
function backend(string $kind, int $port): void
{
    pcntl_async_signals(true);
    $server = new EchoServer($kind, number('WORKERS', 1), text('HOST', '127.0.0.1'), number('PORT', $port));
    fprintf(STDERR, "$kind backend on port %d\n", $server->port());
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
