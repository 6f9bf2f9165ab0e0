--TEST--
exit() in a handler closes that connection with 1011, is logged with what to write in its place, and the server goes on; so is that of a timer
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
    if ($m === 'timer') {
        Tusk\Timer::defer(fn () => exit(7));
    }
    $c->send($m);
});
talk($server, function (int $port): void {
    $a = Peer::open($port);
    $b = Peer::open($port);
    $a->send('exit');
    echo $a->text(), "\n";
    foreach (['on', 'timer', 'still on'] as $text) {
        $b->send($text);
        echo $b->text(), "\n";
    }
});
echo preg_replace(['/^\[.*?\] /m', '/^.* held the loop .*\n/m'], '', file_get_contents($log));
unlink($log);
?>
--EXPECTF--
(close 1011 )
on
timer
still on
Tusk: a handler called exit(): its request or connection fails, the server goes on. Write return (in HTTP of a Response) or throw; $server->stop() ends the server: %sexit-in-a-handler-closes-that-connection-only.php:%d
Tusk: a handler called exit(): it ends, the server goes on. Write return or throw; $server->stop() ends the server: %sexit-in-a-handler-closes-that-connection-only.php:%d
