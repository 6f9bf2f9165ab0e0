--TEST--
Wait: streams, sockets and descriptors wake who waits for them; time, closing and rubbish are told
--EXTENSIONS--
tusk
sockets
pcntl
--FILE--
<?php
use Tusk\{Timer, Wait};
use Tusk\Parallel\{Async, Cancelled};

$engine = new Async();
$all = function (array $jobs) use ($engine): array {
    $tasks = $engine->submit($jobs);
    return array_map(fn ($t) => $t->error() === null ? $t->await() : get_class($t->error()) . ': ' . $t->error()->getMessage(), $tasks);
};
$pair = fn () => stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);

// two readers of one stream and a writer, side by side
[$a, $b] = $pair();
$log = [];
$all([
    function () use ($a, &$log) { $log[] = Wait::readable($a) ? 'first reads' : 'no'; },
    function () use ($a, &$log) { $log[] = Wait::readable($a, 100.0) ? 'second reads' : 'no'; },
    function () use ($a, $b, &$log) { $log[] = Wait::writable($a) ? 'writable' : 'no'; fwrite($b, "x\ny\n"); },
]);
sort($log);
echo implode(', ', $log), "\n";
// what PHP has buffered counts
echo fgets($a);
var_dump(Wait::readable($a, 0.0));
echo fgets($a);
var_dump(Wait::readable($a, 0.0), Wait::readable($a, 0.001), Wait::writable($a));
// an end is readable, also of one who waits
echo json_encode($all([fn () => Wait::readable($a) && fread($a, 1) === '' && feof($a), function () use ($b) { Timer::sleep(0.001); fclose($b); }])), "\n";
fclose($a);

// time, in a task
[$a, $b] = $pair();
echo json_encode($all([fn () => Wait::readable($a, 0.01), fn () => Wait::readable($a, 0.0)])), "\n";
// closed by another task while it is waited for; its number is used again
$result = $all([fn () => Wait::readable($a), function () use ($a, $pair, &$again) { Timer::sleep(0.001); fclose($a); $again = $pair(); }, function () use (&$again) { Timer::sleep(0.01); return Wait::readable($again[0], 0.01); }]);
echo json_encode($result), "\n";
try {
    Wait::readable($a);
} catch (TypeError $e) {
    echo $e->getMessage(), "\n";
}
// sockets of ext/sockets, numbers, files
socket_create_pair(AF_UNIX, SOCK_STREAM, 0, $sockets);
echo json_encode($all([fn () => Wait::readable($sockets[0]) && socket_read($sockets[0], 9) === 'hello', fn () => socket_write($sockets[1], 'hello')])), "\n";
$file = fopen(__FILE__, 'r');
echo json_encode($all([fn () => Wait::readable($file), fn () => Wait::writable(STDERR), fn () => Wait::readable(fopen('/dev/null', 'r'))])), "\n";
[$c, $b] = $pair();
$find = function () use ($b): int {
    $inode = fstat($b)['ino'];
    foreach (scandir('/proc/self/fd') as $fd) {
        if (@readlink("/proc/self/fd/$fd") === "socket:[$inode]") {
            return (int) $fd;
        }
    }
    return -1;
};
$number = $find();
echo json_encode($all([fn () => Wait::readable($number) && fread($b, 9) === 'number', fn () => fwrite($c, 'number')])), "\n";
echo json_encode($all([fn () => Wait::readable($number), function () use ($b) { Timer::sleep(0.001); fclose($b); }])[0]), "\n";
foreach ([[-1], [$number], ['x'], [null], [fopen('php://memory', 'r')], [STDIN, -1.0], [STDIN, NAN], [new stdClass()]] as $arguments) {
    try {
        Wait::readable(...$arguments);
        echo "taken\n";
    } catch (ValueError | TypeError $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
}
// cancelled: nothing stays behind
[$a, $b] = $pair();
[$task] = $engine->submit([fn () => Wait::readable($a)]);
$before = count(scandir('/proc/self/fd'));
$engine->wait([$task], 0.001);
$task->cancel();
var_dump($task->error() instanceof Cancelled, count(scandir('/proc/self/fd')) === $before);
// many at once
$pairs = array_map($pair, range(1, 100));
$sum = 0;
$jobs = [];
foreach ($pairs as $i => [$left, $right]) {
    $jobs[] = function () use ($left, &$sum) { Wait::readable($left); $sum += (int) fread($left, 9); };
}
foreach ($pairs as $i => [$left, $right]) {
    $jobs[] = fn () => fwrite($right, (string) $i);
}
$all($jobs);
echo $sum, "\n";
?>
--EXPECT--
first reads, second reads, writable
x
bool(true)
y
bool(false)
bool(false)
bool(true)
[true,null]
[false,false]
["Tusk\\Exception: The stream was closed while it was waited for",null,false]
Tusk\Wait::readable(): supplied resource is not a valid stream resource
[true,5]
[true,true,true]
[true,6]
"Tusk\\Exception: The stream was closed while it was waited for"
ValueError: Tusk\Wait::readable(): Argument #1 ($stream) must be an open descriptor
ValueError: Tusk\Wait::readable(): Argument #1 ($stream) must be an open descriptor
TypeError: Tusk\Wait::readable(): Argument #1 ($stream) must be a stream, a Socket or a descriptor's number, string given
TypeError: Tusk\Wait::readable(): Argument #1 ($stream) must be a stream, a Socket or a descriptor's number, null given
ValueError: Tusk\Wait::readable(): Argument #1 ($stream) has no descriptor that could be waited for
ValueError: Tusk\Wait::readable(): Argument #2 ($timeout) must be between 0 and 1e9 seconds, -1 given
ValueError: Tusk\Wait::readable(): Argument #2 ($timeout) must be between 0 and 1e9 seconds, NAN given
TypeError: Tusk\Wait::readable(): Argument #1 ($stream) must be a stream, a Socket or a descriptor's number, stdClass given
bool(true)
bool(true)
4950
