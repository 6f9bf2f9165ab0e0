--TEST--
A child that a handler forks is ended by SIGTERM, SIGINT and SIGHUP as any process; a handler of its own is called
--SKIPIF--
<?php if (getenv('SKIP_ASAN')) die('skip ASan warns of _exit() on a fiber\'s stack');
if (!function_exists('pcntl_fork') || !function_exists('posix_kill')) die('skip pcntl or posix is missing');
if ((int) getenv('TUSK_SLOW') >= 10) die('skip a child that ends by itself is a leak to valgrind');
?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Timer;
use Tusk\WebSocket\{Connection, Server};

ini_set('error_log', '/dev/null');
$server = new Server();
$server->listen('127.0.0.1', 0);
$server->onMessage(function (Connection $c, string $m) {
    [$signal, $own] = explode(' ', $m);
    [$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $pid = pcntl_fork();
    if ($pid === 0) {
        if ($own === 'own') {
            pcntl_async_signals(true);
            pcntl_signal((int) $signal, fn () => exit(5));
        }
        fwrite($there, '!');
        for ($i = 0; $i < 600; $i++) {
            usleep(100_000);
        }
        exit(1);
    }
    fread($here, 1);
    posix_kill($pid, (int) $signal);
    pcntl_waitpid($pid, $status);
    $c->send(pcntl_wifsignaled($status) ? 'ended by ' . pcntl_wtermsig($status) : 'exit ' . pcntl_wexitstatus($status));
});
talk($server, function (int $port): void {
    $a = Peer::open($port);
    foreach ([SIGTERM, SIGINT, SIGHUP] as $signal) {
        $a->send("$signal default");
        echo $a->text(), "\n";
    }
    $a->send(SIGTERM . ' own');
    echo $a->text(), "\n";
    $a->goodbye();
    Timer::sleep(0.01);
});
?>
--EXPECT--
ended by 15
ended by 2
ended by 1
exit 5
