--TEST--
A child that a handler forks ends with that handler and leaves the server and its connections alone
--SKIPIF--
<?php if (getenv('SKIP_ASAN')) die('skip ASan warns of _exit() on a fiber\'s stack');
if (!function_exists('pcntl_fork')) die('skip pcntl is missing');
if ((int) getenv('TUSK_SLOW') >= 10) die('skip a child that ends by itself is a leak to valgrind');
?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Timer;
use Tusk\WebSocket\{Connection, Server};

ini_set('error_log', '/dev/null');
ini_set('display_errors', '0'); // the child's fatal error
$server = new Server();
$server->listen('127.0.0.1', 0);
$server->onMessage(function (Connection $c, string $m) use ($server) {
    $pid = pcntl_fork();
    if ($pid === 0) {
        match ($m) {
            'exit' => exit(7),
            'sleep' => Timer::sleep(0.01) ?? exit(8),
            'throw' => throw new Exception('in the child'),
            'return' => null,
            'fatal' => eval('class None implements Countable {}'),
            'stop' => $server->stop() ?? exit(9),
        };
        return;
    }
    pcntl_waitpid($pid, $status);
    $c->send("$m: " . (pcntl_wifexited($status) ? pcntl_wexitstatus($status) : 'killed'));
});
$server->onClose(function (Connection $c) { echo "closed\n"; });
talk($server, function (int $port): void {
    $a = Peer::open($port);
    foreach (['exit', 'sleep', 'throw', 'return', 'fatal', 'stop', 'exit'] as $m) {
        $a->send($m);
        echo $a->text(), "\n";
    }
    $b = Peer::open($port); // the parent still listens
    $b->send('exit');
    echo $b->text(), "\n";
    $a->goodbye();
    $b->goodbye();
    Timer::sleep(0.01);
});
?>
--EXPECT--
exit: 7
sleep: 8
throw: 255
return: 255
fatal: 255
stop: 9
exit: 7
exit: 7
closed
closed
