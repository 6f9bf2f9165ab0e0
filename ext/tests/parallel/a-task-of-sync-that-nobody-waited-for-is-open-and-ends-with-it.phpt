--TEST--
A task of Sync that nobody has waited for is counted as open, and cancelled when it is let go or Sync is closed, as a pool's and an Async's is; one that closes what runs it goes on
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Async, Engine, Pool, Sync};

$tell = function (string $when, Engine $engine): void {
    $stats = $engine->stats();
    echo $when, ': ', json_encode(array_intersect_key($stats, ['open' => 0, 'submitted' => 0, 'done' => 0, 'cancelled' => 0])), "\n";
};
$slow = fn () => usleep(100_000);
foreach ([new Sync(), new Async(), new Pool(workers: 1, max: 1)] as $engine) {
    [$first, $second] = $engine->submit([$slow, $slow]);
    $tell($engine::class, $engine);
    $engine->close();
    echo $second->state()->name, ' ', get_class($second->error()), ', ', $first->state()->name, ' ', get_class($first->error()), "\n";
    $tell('closed', $engine);
}

$live = new class extends SplPriorityQueue {}; // does not travel
$sync = new Sync();
$tasks = $sync->submit(['dropped' => fn (): int => 1, 'kept' => fn (): string => 'kept', 'live' => fn () => $live, 'last' => fn (): int => 1]);
unset($tasks['dropped']);
$tell('one is let go', $sync);
echo $tasks['kept']->await(), "\n";
unset($tasks);
$tell('all', $sync);

[$closes, $other] = $sync->submit([function () use ($sync): string { $sync->close(); return 'it goes on'; }, fn (): int => 1]);
echo $closes->await(), ', ', $other->error()->getMessage(), "\n";
$tell('closed by a task', $sync);

$sync = new Sync();
$circle = new stdClass();
$circle->tasks = $sync->submit([fn () => $circle, fn () => $live]);
$circle->sync = $sync;
unset($circle, $sync);
gc_collect_cycles();
echo "a circle goes\n";
?>
--EXPECTF--
Tusk\Parallel\Sync: {"open":2,"submitted":2,"done":0,"cancelled":0}
Cancelled Tusk\Parallel\Cancelled, Cancelled Tusk\Parallel\Cancelled
closed: {"open":0,"submitted":2,"done":0,"cancelled":2}
Tusk\Parallel\Async: {"open":2,"submitted":2,"done":0,"cancelled":0}
Cancelled Tusk\Parallel\Cancelled, Cancelled Tusk\Parallel\Cancelled
closed: {"open":0,"submitted":2,"done":0,"cancelled":2}
Tusk\Parallel\Pool: {"open":2,"submitted":2,"done":0,"cancelled":0}
Cancelled Tusk\Parallel\Cancelled, Cancelled Tusk\Parallel\Cancelled
closed: {"open":0,"submitted":2,"done":0,"cancelled":2}
one is let go: {"open":3,"submitted":4,"done":0,"cancelled":1}
kept
all: {"open":0,"submitted":4,"done":1,"cancelled":3}
it goes on, The pool was closed (task: $jobs[1], closure of %sa-task-of-sync-that-nobody-waited-for-is-open-and-ends-with-it.php:26)
closed by a task: {"open":0,"submitted":6,"done":2,"cancelled":4}
a circle goes
