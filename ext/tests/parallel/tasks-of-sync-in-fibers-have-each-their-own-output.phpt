--TEST--
Tasks of Sync that wait side by side in fibers have each their own output, and nobody's goes elsewhere
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Async, Sync};
use Tusk\Timer;

$sync = new Sync();
$speak = function (string $name, float $first, float $second) {
    echo "$name begins,";
    Timer::sleep($first);
    ob_start();
    echo " $name goes on,";
    Timer::sleep($second);
    ob_end_flush();
    echo " $name ends";
    return ob_get_level();
};
$fiber = function (string $name, float $first, float $second) use ($sync, $speak): string {
    $task = $sync->submit([[$speak, $name, $first, $second]])[0];
    $level = $task->await();
    return "$level: {$task->output()}";
};
$tasks = (new Async())->submit([ // the first one begins first and ends last; then the other way round
    [$fiber, 'a', 0.01, 0.1],
    [$fiber, 'b', 0.03, 0.01],
    function () { Timer::sleep(0.02); echo "the fiber's own\n"; return ob_get_level(); },
    [$fiber, 'c', 0.001, 0.001],
]);
foreach ($tasks as $task) {
    var_dump($task->await());
}
ob_start();
echo 'around ';
[$nested] = $sync->submit([function () use ($sync) {
    echo 'outer ';
    [$inner] = $sync->submit([function () { echo 'inner'; Timer::sleep(0.001); return 1; }]);
    return $inner->await() . $inner->output();
}]);
$result = $nested->await();
echo 'the task';
$around = ob_get_clean();
var_dump($result, $nested->output(), $around, ob_get_level());
?>
--EXPECT--
the fiber's own
string(30) "1: a begins, a goes on, a ends"
string(30) "1: b begins, b goes on, b ends"
int(0)
string(30) "1: c begins, c goes on, c ends"
string(6) "1inner"
string(6) "outer "
string(15) "around the task"
int(0)
