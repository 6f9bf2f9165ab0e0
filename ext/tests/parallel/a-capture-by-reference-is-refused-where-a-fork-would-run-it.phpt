--TEST--
A closure that captures by reference is refused whatever else it captures, in whatever order, and wherever it stands: one that only a fork can run (an object that cannot be serialized, code of no file) changed a copy, without a word, and the caller's own in Sync
--EXTENSIONS--
tusk
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Parallel\{Pool, Sync};

$queue = new SplPriorityQueue();
$count = 0;
$jobs = [
    'the object first' => function () use ($queue, &$count) { $count++; },
    'the reference first' => function () use (&$count, $queue) { $count++; },
    'the object by reference' => function () use (&$queue) { $queue->insert(1, 1); },
    'code of no file' => eval('return function () use (&$count) { $count++; };'),
    'within another one' => (function () use (&$count) { $inner = function () use (&$count) { $count++; }; return function () use ($inner) { $inner(); }; })(),
    'within others, behind the object' => (function () use (&$count, $queue) { $inner = function () use (&$count) { $count++; }; $list = [[fn () => $inner()]]; return function () use ($queue, $list) { $list[0][0](); }; })(),
    'an argument, behind the object' => (function () use (&$count, $queue) { return [function () use ($queue) {}, [function () use (&$count) { $count++; }]]; })(),
    'what an object knows is its own' => (function () use (&$count) { $held = new class extends SplPriorityQueue { public Closure $does; }; $held->does = function () use (&$count) { return 'done'; }; return function () use ($held) { return ($held->does)(); }; })(),
    'a static of its own is none' => function () use ($queue) { static $calls = 0; return ++$calls + count($queue); },
];
foreach (['Pool' => new Pool(workers: 1), 'Sync' => new Sync()] as $name => $where) {
    foreach ($jobs as $case => $job) {
        echo "$name, $case: ";
        attempt(function () use ($where, $job): void {
            echo json_encode($where->submit([$job])[0]->await()), ' ';
        });
    }
}
var_dump($count, count($queue));
?>
--EXPECTF--
Pool, the object first: Tusk\Parallel\CannotTravel: $closure: the closure captures $count by reference: what a worker changes stays there; capture the value, and return the new one (task: closure of %sa-capture-by-reference-is-refused-where-a-fork-would-run-it.php:8)
Pool, the reference first: Tusk\Parallel\CannotTravel: $closure: the closure captures $count by reference: what a worker changes stays there; capture the value, and return the new one (task: closure of %sa-capture-by-reference-is-refused-where-a-fork-would-run-it.php:9)
Pool, the object by reference: Tusk\Parallel\CannotTravel: $closure: the closure captures $queue by reference: what a worker changes stays there; capture the value, and return the new one (task: closure of %sa-capture-by-reference-is-refused-where-a-fork-would-run-it.php:10)
Pool, code of no file: Tusk\Parallel\CannotTravel: $closure: the closure captures $count by reference: what a worker changes stays there; capture the value, and return the new one (task: closure of %sa-capture-by-reference-is-refused-where-a-fork-would-run-it.php(11) : eval()'d code:1)
Pool, within another one: Tusk\Parallel\CannotTravel: $closure['inner']: the closure captures $count by reference: what a worker changes stays there; capture the value, and return the new one (task: closure of %sa-capture-by-reference-is-refused-where-a-fork-would-run-it.php:12)
Pool, within others, behind the object: Tusk\Parallel\CannotTravel: $closure['list'][0][0]['inner']: the closure captures $count by reference: what a worker changes stays there; capture the value, and return the new one (task: closure of %sa-capture-by-reference-is-refused-where-a-fork-would-run-it.php:13)
Pool, an argument, behind the object: Tusk\Parallel\CannotTravel: $args[0][0]: the closure captures $count by reference: what a worker changes stays there; capture the value, and return the new one (task: closure of %sa-capture-by-reference-is-refused-where-a-fork-would-run-it.php:14)
Pool, what an object knows is its own: "done" nothing thrown
Pool, a static of its own is none: 1 nothing thrown
Sync, the object first: Tusk\Parallel\CannotTravel: $closure: the closure captures $count by reference: what a worker changes stays there; capture the value, and return the new one (task: closure of %sa-capture-by-reference-is-refused-where-a-fork-would-run-it.php:8)
Sync, the reference first: Tusk\Parallel\CannotTravel: $closure: the closure captures $count by reference: what a worker changes stays there; capture the value, and return the new one (task: closure of %sa-capture-by-reference-is-refused-where-a-fork-would-run-it.php:9)
Sync, the object by reference: Tusk\Parallel\CannotTravel: $closure: the closure captures $queue by reference: what a worker changes stays there; capture the value, and return the new one (task: closure of %sa-capture-by-reference-is-refused-where-a-fork-would-run-it.php:10)
Sync, code of no file: Tusk\Parallel\CannotTravel: $closure: the closure captures $count by reference: what a worker changes stays there; capture the value, and return the new one (task: closure of %sa-capture-by-reference-is-refused-where-a-fork-would-run-it.php(11) : eval()'d code:1)
Sync, within another one: Tusk\Parallel\CannotTravel: $closure['inner']: the closure captures $count by reference: what a worker changes stays there; capture the value, and return the new one (task: closure of %sa-capture-by-reference-is-refused-where-a-fork-would-run-it.php:12)
Sync, within others, behind the object: Tusk\Parallel\CannotTravel: $closure['list'][0][0]['inner']: the closure captures $count by reference: what a worker changes stays there; capture the value, and return the new one (task: closure of %sa-capture-by-reference-is-refused-where-a-fork-would-run-it.php:13)
Sync, an argument, behind the object: Tusk\Parallel\CannotTravel: $args[0][0]: the closure captures $count by reference: what a worker changes stays there; capture the value, and return the new one (task: closure of %sa-capture-by-reference-is-refused-where-a-fork-would-run-it.php:14)
Sync, what an object knows is its own: "done" nothing thrown
Sync, a static of its own is none: 1 nothing thrown
int(0)
int(0)
