--TEST--
Watch: streams, sockets, descriptors and signals call back; disabled, cancelled, closed and buffered ones are told apart
--EXTENSIONS--
tusk
sockets
posix
--FILE--
<?php
use Tusk\{Condition, Timer, Wait, Watch};
use Tusk\Parallel\Async;

$pair = fn () => stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
/** Turns the loop until that is true. */
function turn(Closure $until): void
{
    $changed = new Condition();
    $timer = Timer::repeat(0.001, fn () => $until() && $changed->notify());
    $changed->wait(20.0) || print("too late\n");
    Timer::cancel($timer);
}
/** Some turns of it. */
function turns(): void
{
    (new Condition())->wait(0.02);
}

// again and again, until it was read
[$a, $b] = $pair();
$calls = 0;
$id = Watch::onReadable($a, function (string $own) use (&$id, &$calls, $a) {
    if (++$calls === 3) {
        echo $own === $id ? 'its id, ' : 'another id, ', fread($a, 9), "\n";
    }
});
turns();
var_dump($calls);
fwrite($b, "hello");
turn(function () use (&$calls, &$before) { return $calls === 3; });
turns();
var_dump($calls);

// disabled: nothing comes, and enabled again what came meanwhile
Watch::disable($id);
Watch::disable($id);
fwrite($b, "later");
turns();
var_dump($calls);
Watch::enable($id);
Watch::enable($id);
turn(function () use (&$calls, &$before) { return $calls > 3; });
var_dump(fread($a, 9));

// the peer's end, while it is disabled: nobody is told, and the loop is not kept busy
Watch::disable($id);
fclose($b);
turns();
$before = $calls;
$was = getrusage();
(new Condition())->wait(0.3);
$is = getrusage();
var_dump($calls === $before, $is['ru_utime.tv_usec'] + $is['ru_stime.tv_usec'] + 1e6 * ($is['ru_utime.tv_sec'] + $is['ru_stime.tv_sec'] - $was['ru_utime.tv_sec'] - $was['ru_stime.tv_sec']) - $was['ru_utime.tv_usec'] - $was['ru_stime.tv_usec'] < 150000 * (getenv('TUSK_SLOW') ?: 1));
Watch::enable($id);
turn(function () use (&$calls, &$before) { return $calls > $before; });
Watch::cancel($id);
Watch::cancel($id);
Watch::disable($id);
try {
    Watch::enable($id);
} catch (ValueError $e) {
    echo $e->getMessage(), "\n";
}

// two of one stream and its other side, which writes
[$a, $b] = $pair();
$log = [];
foreach (['one', 'two'] as $name) {
    Watch::onReadable($a, function (string $id) use (&$log, $name) {
        $log[] = $name;
        Watch::cancel($id);
    });
}
Watch::onWritable($b, function (string $id) use (&$log, $b) {
    $log[] = 'writes';
    fwrite($b, "x\ny\n");
    Watch::cancel($id);
});
turn(function () use (&$log) { return count($log) === 3; });
sort($log); // who comes first in one turn is nobody's promise
echo implode(', ', $log), "\n";

// what PHP has buffered counts: read line by line
$lines = [];
$id = Watch::onReadable($a, function () use (&$lines, $a) { $lines[] = trim(fgets($a)); });
turn(function () use (&$lines) { return count($lines) === 2; });
turns();
echo implode(', ', $lines), "\n";
Watch::cancel($id);
fwrite($b, "x\ny\n");
fgets($a);
$id = Watch::onReadable($a, function () use (&$lines, $a) { $lines[] = trim(fgets($a)); });
turn(function () use (&$lines) { return count($lines) === 3; });
Watch::cancel($id);

// a file and what epoll refuses are always ready
foreach ([fopen(__FILE__, 'r'), fopen('/dev/null', 'r')] as $file) {
    $calls = 0;
    $id = Watch::onReadable($file, function () use (&$calls) { $calls++; });
    turn(function () use (&$calls) { return $calls > 3; });
    Watch::cancel($id);
}

// closed: its watch ends, and whoever gets its number is not taken for it
[$a, $b] = $pair();
$calls = 0;
$id = Watch::onReadable($a, function () use (&$calls) { $calls++; });
fclose($a);
$other = $pair();
fwrite($other[1], 'x');
turn(function () use ($id) {
    try {
        Watch::enable($id);
        return false;
    } catch (ValueError) {
        return true;
    }
});
var_dump($calls);

// a Socket, which nobody else holds
socket_create_pair(AF_UNIX, SOCK_STREAM, 0, $sockets);
$calls = 0;
$id = Watch::onReadable($sockets[0], function (string $id) use (&$calls) { $calls++; Watch::cancel($id); });
socket_write($sockets[1], 'x');
unset($sockets[0]);
turn(function () use (&$calls) { return $calls === 1; });

// one that waits in its callback, beside others
[$a, $b] = $pair();
fwrite($b, 'x');
$log = [];
Watch::onReadable($a, function (string $id) use (&$log, $a) {
    Watch::disable($id);
    fread($a, 9);
    $log[] = 'waits';
    Timer::sleep(0.01);
    $log[] = 'goes on';
    Watch::cancel($id);
});
Timer::delay(0.002, function () use (&$log) { $log[] = 'meanwhile'; });
turn(function () use (&$log) { return count($log) === 3; });
echo implode(', ', $log), "\n";

// signals, several watchers of one; a callback that throws
$log = [];
$first = Watch::onSignal(SIGUSR1, function () use (&$log) { $log[] = 'first'; });
$second = Watch::onSignal(SIGUSR1, function (string $id) use (&$log) { $log[] = 'second'; Watch::cancel($id); });
Watch::disable($first);
posix_kill(getmypid(), SIGUSR1);
turn(function () use (&$log) { return $log !== []; });
Watch::enable($first);
posix_kill(getmypid(), SIGUSR1);
turn(function () use (&$log) { return count($log) === 2; });
sort($log);
Watch::cancel($first);
echo implode(', ', $log), "\n";
foreach ([fn () => Watch::onSignal(SIGKILL, fn () => 1), fn () => Watch::onSignal(0, fn () => 1), fn () => Watch::onSignal(999, fn () => 1),
    fn () => Watch::onReadable(fopen('php://memory', 'r'), fn () => 1), fn () => Watch::onReadable(12345, fn () => 1),
    fn () => Watch::onReadable([], fn () => 1), fn () => Watch::onWritable($other[0], 'strlen'), fn () => Watch::onWritable($other[0], fn (int $a, int $b) => 1)] as $bad) {
    try {
        echo $bad(), "\n";
    } catch (Throwable $e) {
        echo $e::class, ': ', $e->getMessage(), "\n";
    }
}

// a disabled one is nothing to wait for
$id = Watch::onReadable($other[0], fn () => 1);
Watch::disable($id);
try {
    (new Condition())->wait();
} catch (LogicException $e) {
    echo $e->getMessage(), "\n";
}
// whether a wait parks
var_dump(Wait::parks());
$task = (new Async())->submit([fn () => Wait::parks()])[0];
var_dump($task->await());
$cycle = new stdClass();
$cycle->id = Watch::onReadable($other[0], fn () => $cycle); // left for the end
?>
--EXPECT--
int(0)
its id, hello
int(3)
int(3)
string(5) "later"
bool(true)
bool(true)
Tusk\Watch::enable(): Argument #1 ($id) is no watch's id, or that of one that is gone
one, two, writes
x, y
int(0)
waits, meanwhile, goes on
first, second
Tusk\Exception: Cannot watch for signal 9: argument out of range
ValueError: Tusk\Watch::onSignal(): Argument #1 ($signal) must be a signal's number, 0 given
Tusk\Exception: Cannot watch for signal 999: argument out of range
ValueError: Tusk\Watch::onReadable(): Argument #1 ($stream) has no descriptor that could be waited for
ValueError: Tusk\Watch::onReadable(): Argument #1 ($stream) must be an open descriptor
TypeError: Tusk\Watch::onReadable(): Argument #1 ($stream) must be a stream, a Socket or a descriptor's number, array given
TypeError: Tusk\Watch::onWritable(): Argument #2 ($callback) must be of type Closure, string given: name(...) makes one of a function, $object->method(...) of a method
ValueError: Tusk\Watch::onWritable(): Argument #2 ($callback) must require at most 1 parameter (the watch's id), 2 required
Everybody waits, and for nothing that could come
bool(false)
bool(true)
