--TEST--
A pool is its maker's alone: a fork of the process is told so, makes one of its own, and nothing that it does with what it has of this one is felt here
--EXTENSIONS--
pcntl
--FILE--
<?php
use Tusk\Parallel\Pool;

$pool = new Pool(workers: 1, max: 1);
echo $pool->run(fn () => 1), "\n";
$pid = pcntl_fork();
if ($pid === 0) {
    try {
        $pool->run(fn () => 2);
    } catch (Tusk\Exception $e) {
        echo $e->getMessage(), "\n";
    }
    $own = new Pool(workers: 1);
    echo $own->run(fn () => 3), "\n";
    $own->close();
    pcntl_exec('/bin/true');
}
pcntl_waitpid($pid, $status);
echo $pool->run(fn () => 4), "\n";

$go = __DIR__ . '/a-pool-is-its-makers-alone.go';
$until = function () use ($go) {
    for (clearstatcache(); !file_exists($go); clearstatcache()) {
        usleep(1000);
    }
    return 'went';
};
$runs = $pool->task($until);
while ($runs->state()->name !== 'Running') {
    usleep(1000);
}
$waits = $pool->task($until);
foreach ([
    'await' => fn () => $runs->await(),
    'await some time' => fn () => $runs->await(0.01),
    'error' => fn () => $waits->error(),
    'state' => fn () => $runs->state()->name . $waits->state()->name,
    'stats of a task' => fn () => $runs->stats()['attempts'],
    'cancel' => fn () => [$runs->cancel(), $waits->cancel()],
    'wait' => fn () => $pool->wait([$runs, $waits], 0.01),
    'stats' => fn () => $pool->stats()['submitted'],
    'expect' => fn () => $pool->expect(2),
    'reload' => fn () => $pool->reload(),
    'close' => fn () => $pool->close(),
] as $what => $do) {
    $pid = pcntl_fork();
    if ($pid === 0) {
        try {
            $came = json_encode($do());
            echo $what, ' ', $came, "\n";
        } catch (Throwable $e) {
            echo $what, ' ', get_class($e), ' ', strtok($e->getMessage(), ':'), "\n";
        }
        exit;
    }
    pcntl_waitpid($pid, $status);
}
touch($go);
echo $runs->await(), ' ', $waits->await(), ' ', $pool->stats()['died'], "\n";
?>
--CLEAN--
<?php
@unlink(__DIR__ . '/a-pool-is-its-makers-alone.go');
?>
--EXPECT--
1
The pool belongs to the process that made it: this one is its fork, and makes a pool of its own
3
4
await Tusk\Exception The pool belongs to the process that made it
await some time Tusk\Exception The pool belongs to the process that made it
error Tusk\Exception The pool belongs to the process that made it
state "RunningQueued"
stats of a task 1
cancel [false,false]
wait Tusk\Exception The pool belongs to the process that made it
stats 4
expect null
reload LogicException Only the process that made a pool reloads it
close null
went went 0
