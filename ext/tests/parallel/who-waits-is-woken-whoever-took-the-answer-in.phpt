--TEST--
Several fibers wait for tasks of one pool: each is woken when its own has ended, also when it was another one that took the answer in
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Async, Pool};
use Tusk\Timer;

$pool = new Pool(workers: 2, max: 2);
$pool->run('strlen', 'x');
$fibers = new Async();
foreach (['task', 'run', 'submit and wait', 'stats', 'cancel another'] as $how) {
    $mark = tempnam(sys_get_temp_dir(), 'tusk');
    unlink($mark);
    [$waits, $takes] = $fibers->submit([
        fn () => $pool->run(function () use ($mark) { usleep(5000); touch($mark); return 'woken'; }),
        function () use ($pool, $mark, $how): void {
            for ($end = hrtime(true) + 10_000_000_000; !file_exists($mark) && hrtime(true) < $end;) { // the loop stands still meanwhile
                usleep(1000);
                clearstatcache();
            }
            usleep(20_000);
            match ($how) {
                'task' => $pool->task('strlen', 'abc')->await(),
                'run' => $pool->run('strlen', 'abc'),
                'submit and wait' => $pool->wait($pool->submit(['a' => ['strlen', 'abc']])),
                'stats' => $pool->stats(),
                'cancel another' => $pool->task(fn () => sleep(100))->cancel(),
            };
        },
    ]);
    $takes->await();
    echo "$how: ", $fibers->wait([$waits], 10.0) === null ? 'still waits' : $waits->await(), "\n";
    @unlink($mark);
}
?>
--EXPECT--
task: woken
run: woken
submit and wait: woken
stats: woken
cancel another: woken
