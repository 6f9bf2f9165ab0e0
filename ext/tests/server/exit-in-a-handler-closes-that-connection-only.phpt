--TEST--
exit() in a handler closes that connection with 1011, is logged, and the server goes on
--INI--
log_errors=1
display_errors=0
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, Server};

ini_set('error_log', $log = __DIR__ . '/exit-in-a-handler.log');
@unlink($log);
$server = new Server();
$server->listen('127.0.0.1', 0);
$server->onMessage(function (Connection $c, string $m) {
    if ($m === 'exit') {
        exit(7);
    }
    $c->send($m);
});
talk($server, function (int $port): void {
    $a = Peer::open($port);
    $b = Peer::open($port);
    $a->send('exit');
    echo $a->text(), "\n";
    $b->send('on');
    echo $b->text(), "\n";
});
echo preg_replace(['/^\[.*?\] /m', '/^.* held the loop .*\n/m'], '', file_get_contents($log));
unlink($log);
?>
--EXPECTF--
(close 1011 )
on
Tusk: a handler called exit(), its connection is closed, the server goes on: %sexit-in-a-handler-closes-that-connection-only.php:%d
