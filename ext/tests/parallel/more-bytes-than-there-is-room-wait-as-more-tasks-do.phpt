--TEST--
Requests of more bytes than there is room for wait for it, are refused or run by the caller as onFull: says; what never fits is told, and results that nobody asks for make room for others
--EXTENSIONS--
tusk
--SKIPIF--
<?php if ((int) getenv('TUSK_SLOW') >= 10) { die('skip a gigabyte of texts'); } ?>
--INI--
memory_limit=1G
--FILE--
<?php
use Tusk\Parallel\{CannotTravel, OnFull, Pool, QueueFull, Task};

$go = __DIR__ . '/more-bytes-than-there-is-room.go';
$until = function (string $text, int $tag) use ($go): string {
    for (clearstatcache(); !file_exists($go); clearstatcache()) {
        usleep(1000);
    }
    return "$tag:" . (strlen($text) >> 20);
};
$text = str_repeat('x', 100 << 20);
$tell = fn (array $tasks): string => implode(' ', array_map(fn (Task $task): string => $task->await(), $tasks));
touch($go);
$waits = new Pool(workers: 1, max: 1, memory: '512M');
echo 'Wait ', $tell($waits->submit(array_map(fn (int $i): array => [$until, $text, $i], range(1, 5)))), "\n";
unlink($go);

$late = $waits->submit([[$until, $text, 1], [$until, $text, 2], 'late' => [$until, $text, 3]], deadline: 0.2)['late'];
echo 'Wait ', get_class($late->error()), ' ', $late->error()->getMessage(), "\n";

$refuses = new Pool(workers: 1, max: 1, memory: '512M', onFull: OnFull::Refuse);
$two = $refuses->submit([[$until, $text, 1], [$until, $text, 2]]);
try {
    $refuses->task($until, $text, 3);
} catch (QueueFull $e) {
    echo 'Refuse ', $e->getMessage(), ', small: ';
}
$small = $refuses->task($until, 'small', 4);
touch($go);
echo $tell([...$two, $small]), "\n";
unlink($go);

$runs = new Pool(workers: 1, max: 1, memory: '512M', onFull: OnFull::Run);
$two = $runs->submit([[$until, $text, 1], [$until, $text, 2]]);
$here = $runs->task(fn (string $text): int => strlen($text) >> 20, $text);
echo 'Run ', $here->state()->name, ' ', $here->await(), ' ', $runs->stats()['run_here'], ' ';
touch($go);
echo $tell($two), "\n";
try {
    $waits->task('strlen', str_repeat('x', 260 << 20));
} catch (CannotTravel $e) {
    echo strtok($e->getMessage(), ','), "\n";
}

$pool = new Pool(workers: 1, max: 1, memory: '1G');
$large = fn (int $mb): string => str_repeat('x', $mb << 20);
for ($i = 0; $i < 6; $i++) { // more than there is room for, and nobody asks for one
    $pool->task($large, 60);
    $pool->task('touch', $go);
    for (@unlink($go), clearstatcache(); !file_exists($go); clearstatcache()) {
        usleep(1000);
    }
}
echo 'dropped: ', $pool->stats()['failed'], " failed\n";
foreach ([[$large, 260], fn () => print(str_repeat('x', 260 << 20))] as $job) {
    try {
        $pool->submit([$job])[0]->await();
    } catch (CannotTravel $e) {
        echo strtok($e->getMessage(), ','), "\n";
    }
}
?>
--CLEAN--
<?php
@unlink(__DIR__ . '/more-bytes-than-there-is-room.go');
?>
--EXPECTF--
Wait 1:100 2:100 3:100 4:100 5:100
Wait Tusk\Parallel\DeadlineExceeded The deadline passed before the task began (task: $jobs['late'], closure of %smore-bytes-than-there-is-room-wait-as-more-tasks-do.php:5)
Refuse The queue of the pool is full (bytes), small: 1:100 2:100 4:0
Run Done 100 1 1:100 2:100
$job: more than the 255 MiB that are left for values under way: give fewer or smaller ones at once
dropped: 0 failed
$result: more than the 255 MiB that are left for values under way: give fewer or smaller ones at once
$output: more than the 255 MiB that are left for values under way: give fewer or smaller ones at once
