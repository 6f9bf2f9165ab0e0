--TEST--
A pool is its maker's alone: a fork of the process is told so, and makes one of its own
--EXTENSIONS--
pcntl
--FILE--
<?php
use Tusk\Parallel\Pool;

$pool = new Pool(workers: 1);
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
?>
--EXPECT--
1
The pool belongs to the process that made it: this one is its fork, and makes a pool of its own
3
4
