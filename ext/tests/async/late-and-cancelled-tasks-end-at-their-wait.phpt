--TEST--
A task that is late or cancelled gets the exception at its wait, and at every later one
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Async, Cancelled, DeadlineExceeded, Task};
use Tusk\Timer;

$slow = (float) (getenv('TUSK_SLOW') ?: 1);
$engine = new Async(concurrency: 2);
$show = fn (Task $t) => printf("%s %s: %s\n", get_class($t->error()), $t->state()->name, $t->error()->getMessage());

$said = []; // two are late in the same moment, in whatever order
[$late, $catches, $computes, $waits] = $engine->submit([
    function () use (&$said) { try { Timer::sleep(100); } finally { $said[0] = "finally\n"; } },
    function () use (&$said) {
        foreach ([1, 2] as $i) {
            try {
                Timer::sleep(100);
            } catch (DeadlineExceeded $e) {
                $said[$i] = "wait $i: {$e->getMessage()}\n";
            }
        }
        Timer::sleep(0);
    },
    function () use ($slow) { usleep((int) (450_000 * $slow)); return 'too late'; },
    'time',
], 0.3 * $slow);
$ends = array_map(fn (Task $task) => $task->error(), [$late, $catches, $computes, $waits]);
ksort($said);
echo implode($said);
foreach ([$late, $catches, $computes, $waits] as $task) {
    $show($task);
}
$show($engine->submit(['time'], 0.0)[0]);

$log = [];
[$runs, $asks, $queued] = $engine->submit([
    function () { try { Timer::sleep(100); } finally { echo "let go\n"; } },
    function () { try { Timer::sleep(100); } catch (Cancelled) { return Task::stopping() ? 'heeded' : 'no'; } },
    fn () => 'never',
]);
var_dump($engine->wait([$runs], 0.001));
var_dump($queued->cancel(), $runs->cancel(), $runs->cancel(), $asks->cancel());
$show($queued);
$show($runs);
var_dump($asks->await(), $asks->state()->name, $asks->cancel(), Task::stopping());

[$self] = $engine->submit([function () use (&$self) { $self->cancel(); echo "goes on\n"; Timer::sleep(1); }]);
$show($self);

[$deep] = $engine->submit([function () {
    $fiber = new Fiber(function () { try { Timer::sleep(100); } finally { echo "fiber inside\n"; } });
    $fiber->start();
}]);
$engine->wait([$deep], 0.001);
$deep->cancel();
$show($deep);

$held = $engine->submit([function () { try { Timer::sleep(100); } finally { echo "closed\n"; } }, fn () => 1]);
$engine->wait([$held[0]], 0.001);
$engine->close();
$show($held[0]);
try {
    $engine->submit(['time']);
} catch (Tusk\Exception $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECTF--
finally
wait 1: The deadline passed while the task ran
wait 2: The deadline passed while the task ran
Tusk\Parallel\DeadlineExceeded Failed: The deadline passed while the task ran
Tusk\Parallel\DeadlineExceeded Failed: The deadline passed while the task ran
Tusk\Parallel\DeadlineExceeded Failed: The deadline passed before the task began (task: $jobs[2], closure of %slate-and-cancelled-tasks-end-at-their-wait.php:22)
Tusk\Parallel\DeadlineExceeded Failed: The deadline passed before the task began (task: $jobs[3], time())
Tusk\Parallel\DeadlineExceeded Failed: The deadline passed before the task began (task: time())
NULL
let go
bool(true)
bool(true)
bool(false)
bool(true)
Tusk\Parallel\Cancelled Cancelled: The task was cancelled before it began (task: $jobs[2], closure of %slate-and-cancelled-tasks-end-at-their-wait.php:37)
Tusk\Parallel\Cancelled Cancelled: The task was cancelled while it ran
string(6) "heeded"
string(4) "Done"
bool(false)
bool(false)
goes on
Tusk\Parallel\Cancelled Cancelled: The task was cancelled while it ran
fiber inside
Tusk\Parallel\Cancelled Cancelled: The task was cancelled while it ran
closed
Tusk\Parallel\Cancelled Cancelled: The task was cancelled while it ran
The pool is closed
