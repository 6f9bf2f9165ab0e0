--TEST--
A handler that holds the loop too long is named in the log with its milliseconds, one that waits is not
--SKIPIF--
<?php if ((int) getenv('TUSK_SLOW') >= 10) die('skip every handler is slow under valgrind'); ?>
--INI--
log_errors=1
display_errors=0
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, Server};

ini_set('error_log', $log = __DIR__ . '/slow-handler.log');
@unlink($log);
$server = new Server();
$server->listen('127.0.0.1', 0);
$server->onMessage(function (Connection $c, string $m) {
    $m === 'block' ? usleep(150000) : Tusk\Timer::sleep(0.15);
    $c->send($m);
});
talk($server, function (int $port) use ($server): void {
    $a = Peer::open($port);
    foreach (['park', 'block'] as $m) {
        $a->send($m);
        echo $a->text(), "\n";
    }
    echo $server->stats()['slow_handlers'] > 0 ? "counted\n" : "not counted\n";
});
echo preg_replace(['/^\[.*?\] /m', '/ (1[4-9]\d|[2-9]\d\d|\d{4,}) /', '~/\S*/~'], ['', ' MS ', ''], file_get_contents($log));
unlink($log);
?>
--EXPECT--
park
block
counted
Tusk: a handler held the loop for MS ms: slow-handler-is-named-in-the-log.php:9
