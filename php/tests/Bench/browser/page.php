<?php

// Writes a report page of a run that never was: php page.php stall|clean|empty FILE
declare(strict_types=1);

namespace Tusk\Tests\Bench\Browser;

use Tusk\Bench\Counters;
use Tusk\Bench\Generator;
use Tusk\Bench\Histogram;
use Tusk\Bench\Interval;
use Tusk\Bench\Latency;
use Tusk\Bench\Mode;
use Tusk\Bench\Report\Html;
use Tusk\Bench\Result;
use Tusk\Bench\ServerUse;
use Tusk\Bench\Threshold;

require dirname(__DIR__, 3) . '/vendor/autoload.php';

mt_srand(7);
/** @var list<string> $argv */
[, $variant, $file] = $argv;
$normal = static fn (): float => sqrt(-2 * log((mt_rand() + 1) / (mt_getrandmax() + 2))) * cos(2 * M_PI * mt_rand() / mt_getrandmax());
$draw = static fn (float $typical, float $spread): int => (int) ($typical * exp($spread * $normal()));

$rate = $variant === 'stall' ? 2000 : 3000;
$names = ['response', 'service', 'late', 'blocked', 'tcp', 'tls', 'upgrade', 'close_frame', 'close_end', 'hiccup'];
/** @var array<string, Histogram> $all */
$all = array_combine($names, array_map(static fn (): Histogram => new Histogram(), $names));
$intervals = [];
$length = $variant === 'empty' ? 0 : 60;
for ($second = 0; $second < $length; $second++) {
    $phase = $second < 4 ? 'warmup' : ($second >= 58 ? 'drain' : 'measure');
    $stalled = $variant === 'stall' && $second === 31;
    $histogram = new Histogram();
    $count = $phase === 'drain' ? 40 : $rate;
    for ($i = 0; $i < $count; $i++) {
        $service = $draw(620_000 * (1 + ($variant === 'clean' ? 0.02 : 0.25) * sin($second / 9) + ($second < 4 ? 0.8 : 0)), 0.32);
        if (mt_rand(1, 120) === 1) {
            $service += $draw(4_200_000, 0.4);
        }
        $late = $draw(22_000, 0.7);
        $response = $service + $late + ($stalled ? (int) (1e9 * (1 - $i / $count)) : 0);
        $histogram->record($response);
        if ($phase === 'measure') {
            $all['response']->record($response);
            $all['service']->record($service);
            $all['late']->record($late);
            if ($stalled) {
                $all['blocked']->record(max(1, $response - $service));
            }
        }
    }
    $errors = $stalled ? 14 : 0;
    $intervals[] = Interval::ofEngine(
        ['start' => (float) $second, 'length' => 1.0, 'phase' => $phase, 'counters' => ['completed' => $stalled ? 260 : ($second === 32 && $variant === 'stall' ? 2 * $rate - 260 : $count), 'failed_reset' => $errors], 'response' => $histogram],
        0.31 + 0.03 * sin($second / 4) + ($stalled ? -0.2 : 0),
        $variant !== 'stall' ? null : 0.74 + 0.1 * sin($second / 9) + ($stalled ? -0.7 : 0),
        $variant !== 'stall' ? null : (int) ((23.5 + 0.06 * $second) * (1 << 20)),
    );
}
for ($i = 0; $i < ($length > 0 ? 1000 : 0); $i++) {
    $all['tcp']->record($draw(90_000, 0.3));
    $all['tls']->record($draw(1_900_000, 0.25));
    $all['upgrade']->record($draw(410_000, 0.4));
    $all['close_frame']->record($draw(260_000, 0.35));
    $all['close_end']->record($draw(340_000, 0.35));
    $all['hiccup']->record($draw(54_000, 0.5));
}
$done = array_sum(array_map(static fn (Interval $interval): int => $interval->phase === 'measure' ? $interval->counters['completed'] : 0, $intervals));
$counters = [...array_fill_keys(array_keys(Counters::NAMES), 0), 'planned' => $done, 'sent' => $done, 'received' => $done, 'completed' => $done,
    'opened' => 100, 'connected' => 100, 'resumed_tls' => 98, 'bytes_sent' => $done * 64, 'bytes_received' => $done * 64,
    'in_flight_sum_ns' => (int) ($done * $all['service']->mean()), 'failed_reset' => $variant === 'stall' ? 14 : 0,
    ...($variant === 'empty' ? ['failed_refused' => 100] : [])];
$result = new Result(
    '0.1.0',
    1_795_300_000.0,
    ['bench', 'ws-echo', 'wss://127.0.0.1:9443/room', '-c', '100', '--rate', '2k', '-d', '54s', '--assert', 'p99 < 20ms', '--html', 'report.html'],
    $variant === 'stall' ? 'evening peak' : null,
    Mode::WsEcho,
    'wss://127.0.0.1:9443/room',
    ['connections' => '100', 'duration' => '54s', 'warmup' => '4', 'rate' => $variant === 'stall' ? '2k' : '0', 'size' => '64', 'seed' => '1', 'verify' => true],
    false,
    $length > 0 ? 54.0 : 0.0,
    $counters,
    $counters,
    array_map(static fn (Histogram $histogram): Latency => new Latency($histogram), array_filter($all, static fn (Histogram $histogram): bool => $histogram->count() > 0)),
    [['name' => 'warmup', 'start' => 0.0, 'length' => 4.0], ['name' => 'measure', 'start' => 4.0, 'length' => 54.0]],
    $intervals,
    new Generator([['pid' => 4711, 'user' => 6.0, 'system' => 11.0, 'switches' => 900, 'cpu' => 0.31, 'error' => null]], $variant === 'clean' ? ['rate' => 3900, 'p50' => 210_000, 'p99' => 900_000] : null),
    $variant !== 'stall' ? null : new ServerUse(4712, 1, 3, 40.1, 0.74, 27 << 20, 23 << 20, 27 << 20, 14_311.0, 2680.0),
    ['system' => 'Linux', 'kernel' => '6.18', 'cpus' => 2, 'cpu_model' => 'Some CPU @ 2.40GHz', 'memory_bytes' => 25_000_000_000, 'architecture' => 'x86_64', 'files_soft' => 1024, 'files_hard' => 20_000, 'backlog' => 4096, 'php' => '8.2.36', 'ports' => '32768-60999'],
    ['window' => 54.0, 'tls_version' => 'TLSv1.3', 'tls_cipher' => 'TLS_AES_256_GCM_SHA384'],
);
$outcomes = array_map(static fn (string $text): \Tusk\Bench\Outcome => Threshold::parse($text, Mode::WsEcho)->check($result), $variant === 'stall' ? ['p99 < 20ms', 'rate > 1.9k'] : []);
file_put_contents($file, Html::write($result->with($outcomes)));
