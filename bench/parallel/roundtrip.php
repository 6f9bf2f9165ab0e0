<?php

// SPDX-License-Identifier: MIT
// Round trips of an empty task, 100 KB of rows, a pool of eleven, a replaced worker, memory of a worker; beside a floor in C, a fork per task, Swoole's
// coroutines and ext-parallel where they are loaded, and amphp/parallel where its folder is given (or its autoload file by TUSK_PEER_AMPHP_PARALLEL). Interleaved rounds in one run; medians with least and
// most, then the ratios to the targets W1 and W3.
// php [-d extension=swoole] -d extension=build/ext/modules/tusk.so bench/parallel/roundtrip.php [ROUNDS [FOLDER-WITH-amphp/parallel]]

declare(strict_types=1);

use Tusk\Parallel\Pool;

require __DIR__ . '/memory.php';

final class Work
{
    public static function nothing(): void {}

    /** @return list<array<string, int|string|bool>> about 100 KB as JSON */
    public static function rows(): array
    {
        static $rows = null;
        return $rows ??= array_map(fn (int $i): array => ['id' => $i, 'name' => "user number $i", 'mail' => "user$i@example.org", 'age' => $i % 90, 'ok' => true], range(1, 1250));
    }
}

/** @param Closure(): void $once */
function each_us(int $times, Closure $once): float
{
    $began = hrtime(true);
    for ($i = 0; $i < $times; $i++) {
        $once();
    }
    return (hrtime(true) - $began) / $times / 1000;
}

/** Each after both sides have slept for a while; the median, as one wait for a busy core is a thousand of these. */
function each_idle_us(int $times, Closure $once): float
{
    $took = [];
    for ($i = 0; $i < $times; $i++) {
        usleep(300);
        $began = hrtime(true);
        $once();
        $took[] = hrtime(true) - $began;
    }
    sort($took);
    return $took[intdiv($times, 2)] / 1000;
}

function ready_us(int $workers): float
{
    $began = hrtime(true);
    $pool = new Pool(workers: $workers, max: $workers);
    while ($pool->stats()['workers'] < $workers) {
        usleep(100);
    }
    $pool->run('Work::nothing');
    $us = (hrtime(true) - $began) / 1000;
    $pool->close();
    return $us;
}

function replaced_us(Pool $pool): float
{
    $pid = $pool->run('getmypid');
    $began = hrtime(true);
    posix_kill($pid, 9);
    $pool->submit(['Work::nothing'], retry: 5)[0]->await();
    return (hrtime(true) - $began) / 1000;
}

$rounds = (int) ($argv[1] ?? 9);
$autoload = isset($argv[2]) ? "$argv[2]/vendor/autoload.php" : (getenv('TUSK_PEER_AMPHP_PARALLEL') ?: null);
$floor = tempnam(sys_get_temp_dir(), 'tusk-floor');
passthru('cc -std=gnu11 -O2 -o ' . escapeshellarg($floor) . ' ' . escapeshellarg(__DIR__ . '/floor.c'), $failed);
$pool = new Pool(workers: 1, max: 1, tasksPerWorker: 0);
each_us(2000, fn () => $pool->run('Work::nothing'));
$batch = array_fill(0, 100, 'Work::nothing');

/** @var array<string, Closure(): float> $what */
$what = [];
$absent = [];
if ($failed === 0) {
    $what['floor in C: spinning'] = fn () => (float) shell_exec("$floor spin 20000");
    $what['floor in C: futex'] = fn () => (float) shell_exec("$floor futex 5000");
    $what['floor in C: futex, both asleep before'] = fn () => (float) shell_exec("$floor idle 100");
} else {
    $absent[] = 'the floor in C: there is no cc (apt install gcc)';
}
$what['pool: empty task'] = fn () => each_us(10000, fn () => $pool->run('Work::nothing'));
$what['pool: empty task, both asleep before'] = fn () => each_idle_us(100, fn () => $pool->run('Work::nothing'));
$what['pool: one of a batch of 100'] = fn () => each_us(100, function () use ($pool, $batch): void {
    foreach ($pool->submit($batch) as $task) {
        $task->await();
    }
}) / 100;
$what['pool: 100 KB of rows'] = fn () => each_us(100, fn () => $pool->run('Work::rows'));
$what['the same rows by serialize and back'] = fn () => each_us(20, fn () => unserialize(serialize(Work::rows())));
if ($autoload !== null && !is_file($autoload)) {
    fwrite(STDERR, "roundtrip: there is no $autoload\n");
    exit(2);
}
if ($autoload !== null) {
    require $autoload;

    $file = sys_get_temp_dir() . '/TuskEmptyTask.php';
    file_put_contents($file, '<?php final class TuskEmptyTask implements Amp\Parallel\Worker\Task {
        public function run(Amp\Sync\Channel $channel, Amp\Cancellation $cancellation): mixed { return null; } }');
    require $file;
    $amphp = new Amp\Parallel\Worker\ContextWorkerPool(1, new Amp\Parallel\Worker\ContextWorkerFactory($file));
    $what['amphp/parallel: empty task'] = fn () => each_us(200, fn () => $amphp->submit(new TuskEmptyTask())->await());
} else {
    $absent[] = 'amphp/parallel: composer require --working-dir=FOLDER amphp/parallel:^2, and FOLDER as the second argument';
}
if (function_exists('pcntl_fork')) {
    $what['a fork per empty task'] = fn () => each_us(20, function (): void {
        $pid = pcntl_fork();
        $pid === 0 ? posix_kill(getmypid(), 9) : pcntl_waitpid($pid, $status);
    });
} else {
    $absent[] = 'a fork per task: the extension pcntl is not loaded (-d extension=pcntl)';
}
if (extension_loaded('swoole') || extension_loaded('openswoole')) { // no process: what a coroutine costs that could wait
    $what['Swoole: empty coroutine and channel'] = function (): float {
        $us = 0.0;
        Swoole\Coroutine\run(function () use (&$us): void {
            $channel = new Swoole\Coroutine\Channel(1);
            $us = each_us(10000, function () use ($channel): void {
                Swoole\Coroutine::create(fn () => $channel->push(null));
                $channel->pop();
            });
        });
        return $us;
    };
} else {
    $absent[] = 'Swoole: the extension is not loaded (pecl install swoole, and php -d extension=swoole)';
}
if (extension_loaded('parallel')) {
    $runtime = new parallel\Runtime();
    $what['ext-parallel: empty task'] = fn () => each_us(1000, fn () => $runtime->run(static fn () => null)->value());
} else {
    $absent[] = 'ext-parallel: the extension is not loaded (with a thread-safe PHP: pecl install parallel)';
}
$what['a pool of eleven is ready'] = fn () => ready_us(11);
$what['a killed worker is replaced and has run a task'] = fn () => replaced_us($pool);
$what['memory of its own of a warm worker, KiB'] = fn () => private_kib($pool->run('getmypid'));

$figures = [];
for ($round = 0; $round < $rounds; $round++) {
    foreach ($what as $name => $measure) {
        $figures[$name][] = $measure();
    }
}
unlink($floor);
if ($autoload !== null) {
    unlink($file);
}
printf("%-50s %10s %10s %10s  (microseconds, %d rounds, load %.1f)\n", '', 'median', 'least', 'most', $rounds, sys_getloadavg()[0]);
$median = [];
foreach ($figures as $name => $values) {
    sort($values);
    $median[$name] = $values[intdiv(count($values), 2)];
    printf("%-50s %10.2f %10.2f %10.2f\n", $name, $median[$name], $values[0], end($values));
}
foreach ($absent as $why) {
    echo "absent: $why\n";
}
echo "\n";
$idle = $median['floor in C: futex, both asleep before'] ?? null;
$amp = $median['amphp/parallel: empty task'] ?? null;
$targets = [
    ['W1 empty task, spinning, at most 1.2 us', $median['pool: empty task'], 1.2],
    ['W1 empty task, idle, at most 1.3 x futex in C', $median['pool: empty task, both asleep before'], $idle === null ? null : 1.3 * $idle],
    ['W1 100 KB of rows, at most 250 us', $median['pool: 100 KB of rows'], 250.0],
    ['W1 empty task, at most a tenth of amphp/parallel', $median['pool: empty task'], $amp === null ? null : $amp / 10],
    ['W3 a pool of eleven, at most 15 ms', $median['a pool of eleven is ready'], 15000.0],
    ['W3 a crashed worker, at most 3 ms', $median['a killed worker is replaced and has run a task'], 3000.0],
];
foreach ($targets as [$name, $is, $target]) {
    echo str_pad($name, 51), $target === null ? "       absent\n" : sprintf("%6.2f of the target: %s\n", $is / $target, $is <= $target ? 'reached' : 'missed');
}
