--TEST--
Nested tasks do not deadlock; a bootstrap that throws says so; a full queue; closures by fork of the caller; reload
--EXTENSIONS--
tusk
posix
--FILE--
<?php
use Tusk\Parallel\{OnFull, Pool, Sync};

final class Tree
{
    public static function count(int $depth): int
    {
        if ($depth === 0) {
            return 1;
        }
        $sum = 0;
        foreach (Pool::current()->submit([[self::class, 'count', $depth - 1], [self::class, 'count', $depth - 1], [self::class, 'count', $depth - 1]]) as $task) {
            $sum += $task->await();
        }
        return $sum;
    }
}
foreach ([1, 2] as $workers) {
    $pool = new Pool(workers: $workers, max: $workers);
    var_dump($pool->run([Tree::class, 'count', 4]));
}
var_dump(Pool::current());

foreach (['throws' => function () { throw new RuntimeException('no database'); }, 'exits' => function () { exit(1); }] as $bootstrap) {
    $broken = new Pool(workers: 1, bootstrap: $bootstrap);
    for ($i = 0; $i < 2; $i++) {
        try {
            $broken->run('phpversion');
        } catch (Tusk\Parallel\BootstrapFailed $e) {
            echo $e->getMessage(), "\n";
        }
    }
}
$ready = new Pool(workers: 1, bootstrap: function () { echo 'unheard'; define('BOOTED', 5); });
var_dump($ready->run(fn () => BOOTED), defined('BOOTED'));

$slow = function () { usleep(20000); return getmypid(); };
$refuses = new Pool(workers: 1, max: 1, queue: 2, onFull: OnFull::Refuse);
try {
    $refuses->submit([$slow, $slow, $slow]);
} catch (Tusk\Parallel\QueueFull $e) {
    echo $e->getMessage(), "\n";
}
$runs = new Pool(workers: 1, max: 1, queue: 2, onFull: OnFull::Run);
$pids = array_map(fn ($task) => $task->await(), $runs->submit([$slow, $slow, $slow]));
var_dump($pids[2] === getmypid(), $pids[0] !== getmypid());
$waits = new Pool(workers: 1, max: 1, queue: 2);
var_dump(count(array_unique(array_map(fn ($task) => $task->await(), $waits->submit(array_fill(0, 10, $slow))))));

$unserializable = new class { public int $v = 5; };
$pool = new Pool(workers: 1);
var_dump($pool->run(fn () => $unserializable->v), $pool->stats()['guests'], $pool->run(fn ($x) => $x + 1, 1), $pool->stats()['guests']);
$holder = new class { public $file; public int $v = 6; };
$holder->file = fopen(__FILE__, 'r');
try {
    $pool->run(fn () => $holder->v);
} catch (Tusk\Parallel\CannotTravel $e) {
    echo $e->getMessage(), "\n";
}
$before = $pool->run('getmypid');
$pool->reload();
var_dump($before !== $pool->run('getmypid'));
$pool->close();
try {
    $pool->run('getmypid');
} catch (Tusk\Exception $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECTF--
int(81)
int(81)
NULL
The bootstrap failed: RuntimeException: no database
The bootstrap failed: RuntimeException: no database
The bootstrap failed: exit() was called
The bootstrap failed: exit() was called
int(5)
bool(false)
The queue of the pool is full (tasks)
bool(true)
bool(true)
int(1)
int(5)
int(1)
int(2)
int(1)
$closure['holder']->file: resource (stream): what is open stays in its process; open it where it is used (task: closure of %snested-tasks-bootstrap-queue-and-forks-of-the-caller.php:56)
bool(true)
The pool is closed
