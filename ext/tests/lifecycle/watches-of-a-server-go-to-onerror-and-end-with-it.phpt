--TEST--
Watches run while a server does: what they throw goes to onError, exit() costs nobody else, and workers are refused while a stream is watched
--EXTENSIONS--
posix
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Timer, Wait, Watch};

$pair = fn () => stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$server = new Tusk\Server('127.0.0.1:0');
$server->onError(fn (Throwable $e) => print('error ' . $e->getMessage() . "\n"));
[$a, $b] = $pair();
[$c, $d] = $pair();
$log = [];
fwrite($b, 'x');
Watch::onReadable($a, function (string $id) use (&$log) { // made before run(): it waits for it
    Watch::cancel($id);
    $log[] = Wait::parks() ? 'parks' : 'blocks';
    Timer::sleep(0.005);
    throw new Exception('in a watch');
});
talk($server, function () use (&$log, $c, $d): void {
    until(function () use (&$log) { return $log !== []; });
    Watch::onWritable($c, function (string $id) use (&$log): void {
        Watch::cancel($id);
        $log[] = 'exits';
        exit(1);
    });
    $signal = Watch::onSignal(12, function () use (&$log) { $log[] = 'signal'; });
    until(function () use (&$log) { return count($log) === 2; });
    posix_kill(getmypid(), 12);
    until(function () use (&$log) { return count($log) === 3; });
    Watch::cancel($signal);
    Timer::sleep(0.01);
    Watch::onReadable($d, fn () => 1); // left
});
echo implode(' ', $log), "\n";
try {
    (new Tusk\Server('127.0.0.1:0', workers: 2))->run();
} catch (Throwable $e) {
    echo get_class($e), "\n";
}
?>
--EXPECT--
error in a watch
parks exits signal
Tusk\Exception
