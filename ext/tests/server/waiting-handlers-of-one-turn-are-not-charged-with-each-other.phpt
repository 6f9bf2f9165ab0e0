--TEST--
Handlers that each work a little and then wait, many in one turn, are not charged with each other's time
--SKIPIF--
<?php if ((int) getenv('TUSK_SLOW') >= 10) die('skip every handler is slow under valgrind'); ?>
--INI--
log_errors=1
display_errors=0
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, Server};

ini_set('error_log', $log = __DIR__ . '/waiting-handlers.log');
@unlink($log);
$server = new Server();
$server->listen('127.0.0.1', 0);
$long = 0; // as they took it themselves: a busy machine makes short ones long
$server->onMessage(function (Connection $c, string $m) use (&$long) {
    $started = hrtime(true);
    usleep($m === 'long' ? 200000 : 25000);
    $long += (int) (hrtime(true) - $started > 60e6);
    Tusk\Timer::sleep(0);
    $c->send($m);
});
talk($server, function (int $port): void {
    $peers = [];
    for ($i = 0; $i < 9; $i++) {
        $peers[] = Peer::open($port);
    }
    // While the first handler works, the other messages arrive: they are one turn of 8 x 25 ms.
    foreach ($peers as $i => $peer) {
        $peer->send($i === 0 ? 'long' : 'short');
    }
    echo implode(' ', array_map(fn (Peer $peer) => $peer->text(), $peers)), "\n";
});
$named = substr_count(file_get_contents($log), 'held the loop');
var_dump($named >= 1, $named <= $long);
unlink($log);
?>
--EXPECT--
long short short short short short short short short
bool(true)
bool(true)
