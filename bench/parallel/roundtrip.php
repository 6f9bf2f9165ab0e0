<?php

// SPDX-License-Identifier: MIT
// Round trips of an empty task, 100 KB of rows, a pool of eleven, a replaced worker; beside a floor in C, a fork per task, and amphp/parallel where
// its folder is given. Interleaved rounds in one run; medians with least and most.
// php -d extension=build/ext/modules/tusk.so bench/parallel/roundtrip.php [ROUNDS [FOLDER-WITH-amphp/parallel]]

declare(strict_types=1);

use Tusk\Parallel\Pool;

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

$rounds = (int) ($argv[1] ?? 9);
$folder = $argv[2] ?? null;
$floor = tempnam(sys_get_temp_dir(), 'tusk-floor');
passthru('cc -std=gnu11 -O2 -o ' . escapeshellarg($floor) . ' ' . escapeshellarg(__DIR__ . '/floor.c'), $failed);
$amphp = null;
if ($folder !== null) {
    require "$folder/vendor/autoload.php";

    $file = sys_get_temp_dir() . '/TuskEmptyTask.php';
    file_put_contents($file, '<?php final class TuskEmptyTask implements Amp\Parallel\Worker\Task {
        public function run(Amp\Sync\Channel $channel, Amp\Cancellation $cancellation): mixed { return null; } }');
    require $file;
    $amphp = new Amp\Parallel\Worker\ContextWorkerPool(1, new Amp\Parallel\Worker\ContextWorkerFactory($file));
}
$pool = new Pool(workers: 1, max: 1, tasksPerWorker: 0);
$warm = each_us(2000, fn () => $pool->run('Work::nothing'));
$figures = [];
$note = function (string $name, float $us) use (&$figures): void {
    $figures[$name][] = $us;
};
$worker = fn (): int => $pool->run('getmypid');
for ($round = 0; $round < $rounds; $round++) {
    if ($failed === 0) {
        $note('floor in C, spinning', (float) shell_exec("$floor spin 20000"));
        $note('floor in C, futex', (float) shell_exec("$floor futex 5000"));
    }
    $note('pool: empty task', each_us(10000, fn () => $pool->run('Work::nothing')));
    $note('pool: empty task, both asleep before', (function () use ($pool): float {
        $sum = 0;
        for ($i = 0; $i < 50; $i++) {
            usleep(300);
            $began = hrtime(true);
            $pool->run('Work::nothing');
            $sum += hrtime(true) - $began;
        }
        return $sum / 50 / 1000;
    })());
    $batch = array_fill(0, 100, 'Work::nothing');
    $note('pool: one of a batch of 100', each_us(100, function () use ($pool, $batch): void {
        foreach ($pool->submit($batch) as $task) {
            $task->await();
        }
    }) / 100);
    $note('pool: 100 KB of rows', each_us(100, fn () => $pool->run('Work::rows')));
    $note('the same rows by serialize and back', each_us(20, fn () => unserialize(serialize(Work::rows()))));
    if (function_exists('pcntl_fork')) {
        $note('a fork per empty task', each_us(20, function (): void {
            $pid = pcntl_fork();
            $pid === 0 ? posix_kill(getmypid(), 9) : pcntl_waitpid($pid, $status);
        }));
    }
    if ($amphp !== null) {
        $note('amphp/parallel: empty task', each_us(200, fn () => $amphp->submit(new TuskEmptyTask())->await()));
    }
    $began = hrtime(true);
    $eleven = new Pool(workers: 11, max: 11);
    while ($eleven->stats()['workers'] < 11) {
        usleep(100);
    }
    $eleven->run('Work::nothing');
    $note('a pool of eleven is ready', (hrtime(true) - $began) / 1000);
    $eleven->close();
    $pid = $worker();
    $began = hrtime(true);
    posix_kill($pid, 9);
    $pool->submit(['Work::nothing'], retry: 5)[0]->await();
    $note('a killed worker is replaced and has run a task', (hrtime(true) - $began) / 1000);
}
unlink($floor);
if ($folder !== null) {
    unlink($file);
}
printf("%-50s %10s %10s %10s  (microseconds, %d rounds, load %.1f)\n", '', 'median', 'least', 'most', $rounds, sys_getloadavg()[0]);
foreach ($figures as $name => $values) {
    sort($values);
    printf("%-50s %10.2f %10.2f %10.2f\n", $name, $values[intdiv(count($values), 2)], $values[0], end($values));
}
