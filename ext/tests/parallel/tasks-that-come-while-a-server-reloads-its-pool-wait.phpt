--TEST--
What handlers submit while another one reloads the pool waits for the new template, and its deadline goes on; a pool that is closed meanwhile stays closed
--EXTENSIONS--
tusk
--SKIPIF--
<?php
if (getenv('SKIP_ASAN')) die('skip ASan warns of _exit() on a fiber\'s stack');
if ((int) getenv('TUSK_SLOW') >= 10) die('skip what a template has of the handler that forked it is lost, says valgrind');
?>
--FILE--
<?php
use Tusk\{Server, Timer};
use Tusk\Parallel\Pool;

$go = __DIR__ . '/tasks-that-come-while-a-server-reloads.go';
$until = function () use ($go): string {
    for (clearstatcache(); !file_exists($go); clearstatcache()) {
        usleep(1000);
    }
    return 'went';
};
$told = [];
$tell = function (string $what, Closure $do) use (&$told): void {
    try {
        $came = $do();
    } catch (Tusk\Exception $e) {
        $came = get_class($e) . ': ' . $e->getMessage();
    }
    $told[] = "$what: $came";
};
function serve(Closure $do): void
{
    $server = new Server(listen: '127.0.0.1:0');
    Timer::defer(function () use ($do, $server): void {
        $do();
        $server->stop();
    });
    $server->run();
    sort($GLOBALS['told']);
    echo implode("\n", $GLOBALS['told']), "\n";
    $GLOBALS['told'] = [];
}
foreach ([1, 4] as $queue) {
    @unlink($go);
    $pool = new Pool(workers: 1, max: 1, queue: $queue);
    $templates = $pool->run('getmypid');
    serve(function () use ($pool, $until, $go, $tell, $templates): void {
        $first = $pool->task($until);
        $open = 4;
        $all = new Tusk\Condition();
        $jobs = [
            'reload' => fn () => $pool->reload() ?? 'done',
            'during' => fn () => $pool->run('getmypid') === $templates ? 'the old one' : 'the new one',
            'late' => fn () => $pool->submit(['getmypid'], deadline: 0.05)[0]->await(),
            'batch' => fn () => implode(' ', array_map(fn ($task) => $task->await(), $pool->submit([['abs', -1], ['abs', -2], ['abs', -3]]))),
        ];
        foreach ($jobs as $what => $job) {
            Timer::defer(function () use ($tell, $what, $job, &$open, $all): void {
                $what === 'batch' && Timer::sleep(0.001);
                $tell($what, $job);
                --$open === 0 && $all->notify();
            });
        }
        Timer::sleep(0.2);
        touch($go);
        $open > 0 && $all->wait(10.0);
        $tell('first', fn () => $first->await());
    });
}
unlink($go);
$pool = new Pool(workers: 1, max: 1);
serve(function () use ($pool, $until, $go, $tell): void {
    $first = $pool->task($until);
    Timer::defer(fn () => $tell('reload', fn () => $pool->reload() ?? 'done'));
    Timer::sleep(0.05);
    $pool->close();
    Timer::sleep(0.05);
    $tell('first', fn () => $first->await());
    $tell('then', fn () => $pool->run('getmypid'));
});
?>
--CLEAN--
<?php
@unlink(__DIR__ . '/tasks-that-come-while-a-server-reloads.go');
?>
--EXPECTF--
batch: 1 2 3
during: the new one
first: went
late: Tusk\Parallel\DeadlineExceeded: The deadline passed before the task began (task: getmypid())
reload: done
batch: 1 2 3
during: the new one
first: went
late: Tusk\Parallel\DeadlineExceeded: The deadline passed before the task began (task: getmypid())
reload: done
first: Tusk\Parallel\Cancelled: The pool was closed (task: closure of %stasks-that-come-while-a-server-reloads-its-pool-wait.php:6)
reload: Tusk\Exception: The pool is closed
then: Tusk\Exception: The pool is closed
