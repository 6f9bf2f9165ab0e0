--TEST--
Where no place is free: a deadline ends the wait for one, and by OnFull::Run the caller runs the task at once
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{OnFull, Pool, Task};

$go = __DIR__ . '/where-no-place-is-free.go';
$until = function () use ($go) {
    for (clearstatcache(); !file_exists($go); clearstatcache()) {
        usleep(1000);
    }
    return 'went';
};
$tell = fn (Task $task): string => $task->state()->name . ' ' . ($task->error() === null ? json_encode($task->await()) : $task->error()->getMessage());

$waits = new Pool(workers: 1, max: 1, queue: 1);
$first = $waits->task($until);
$late = $waits->submit(['a' => 'getmypid', 'b' => 'getmypid'], deadline: 0.05);
echo 'first ', $first->state()->name === 'Done' ? 'Done' : 'goes on', "\n";
foreach ($late as $key => $task) {
    echo "$key ", $tell($task), "\n";
}
var_dump($waits->stats()['late']);

$live = new class { public int $v = 5; };
$fork = fn () => $until() . $live->v; // six run at once
$forks = new Pool(workers: 1, max: 1);
$six = $forks->submit(array_fill(0, 6, $fork));
echo 'seventh fork ', $tell($forks->submit([$fork], deadline: 0.05)[0]), "\n";

$runs = new Pool(workers: 1, max: 1, queue: 1, onFull: OnFull::Run);
$second = $runs->task($until);
$here = $runs->submit([function () { echo 'heard'; return getmypid(); }, fn () => throw new DomainException('thrown here')]);
var_dump($here[0]->output(), $here[0]->state()->name, $here[0]->await() === getmypid(), $here[1]->state()->name, $here[1]->error()->getMessage());

touch($go);
echo $first->await(), ' ', $second->await(), ' ', implode(' ', array_map(fn ($task) => $task->await(), $six)), "\n";
?>
--CLEAN--
<?php
@unlink(__DIR__ . '/where-no-place-is-free.go');
?>
--EXPECTF--
first goes on
a Failed The deadline passed before the task began (task: $jobs['a'], getmypid())
b Failed The deadline passed before the task began (task: $jobs['b'], getmypid())
int(2)
seventh fork Failed The deadline passed before the task began (task: closure of %swhere-no-place-is-free-deadlines-hold-and-the-caller-runs-at-once.php:23)
string(5) "heard"
string(4) "Done"
bool(true)
string(6) "Failed"
string(11) "thrown here"
went went went5 went5 went5 went5 went5 went5
