--TEST--
A task that ends all output buffers loses its own output and nobody else's; the peak of memory is each task's own
--EXTENSIONS--
tusk
--SKIPIF--
<?php
if (getenv('USE_ZEND_ALLOC') === '0') { die('skip no peak of memory without the Zend allocator'); }
if (PHP_VERSION_ID < 80200) { die('skip PHP before 8.2 cannot begin a peak anew'); }
?>
--FILE--
<?php
use Tusk\Parallel\{Pool, Sync};

$pool = new Pool(workers: 1, max: 1);
$flushes = function () {
    while (ob_get_level() > 0) {
        ob_end_clean();
    }
    return 'flushed';
};
$echoes = function () { echo 'heard'; return ob_get_level(); };
foreach ([$flushes, $echoes, $echoes] as $job) {
    $task = $pool->task($job);
    echo json_encode([$task->await(), $task->output()]), "\n";
}
ob_start();
echo 'the caller\'s';
$task = (new Sync())->submit([function () { echo 'lost'; ob_end_clean(); return 'ended'; }])[0];
$result = $task->await();
echo ' own';
$callers = ob_get_clean();
echo json_encode([$result, $task->output(), $callers]), "\n";

$large = $pool->task(fn () => strlen(str_repeat('x', 20 << 20)));
$small = $pool->task(fn () => 1);
$large->await();
$small->await();
var_dump($large->stats()['memory'] > 20 << 20, $small->stats()['memory'] < 20 << 20);
?>
--EXPECT--
["flushed",""]
[1,"heard"]
[1,"heard"]
["ended","","the caller's own"]
bool(true)
bool(true)
