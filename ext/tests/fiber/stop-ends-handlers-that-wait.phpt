--TEST--
Handlers that still wait when the server stops get an exception; finally blocks run; the cap refuses
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Server, Timer};
use Tusk\WebSocket\Connection;

$server = new Server('127.0.0.1:0', limits: new Limits(drainMs: 100, parkedHandlers: 3));
$server->onError(fn (Throwable $e) => print(get_class($e) . ': ' . $e->getMessage() . "\n"));
$server->websocket('/', message: function (Connection $c, string $m) {
    try {
        Timer::sleep(60);
    } finally {
        echo "finally\n";
    }
});
Timer::delay(0, function () { try { Timer::sleep(60); } catch (Tusk\Exception $e) { echo "caught\n"; } });
talk($server, function (int $port) use ($server): void {
    $a = Peer::open($port);
    $a->send('x');
    until(fn () => $server->stats()['parked_handlers'] === 2);
    $b = Peer::open($port);
    $b->send('x');
    echo substr($b->text(), 0, 11), "\n";
    echo $server->stats()['parked_refused'] > 0 ? "counted\n" : "not counted\n";
});
echo "ended\n";
?>
--EXPECTF--
finally
Tusk\Exception: Overload: %d handlers wait already (Limits::$parkedHandlers)
(close 1011
counted
%A
ended
