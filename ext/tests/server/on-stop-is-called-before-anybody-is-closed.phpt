--TEST--
onStop() is called once before a drain: what it says arrives before the close, what waits beside the server can end, its exception stops nothing
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Server, Timer};
use Tusk\WebSocket\Connection;

$ended = false;
$play = function (int $port) use (&$ended): void {
    $peer = Peer::open($port);
    $peer->send('stop');
    echo $peer->text(), ', ', $peer->text(), "\n";
    $peer->goodbye(1001);
    until(function () use (&$ended): bool { return $ended; }); // who stops again ends all waits
};
$server = new Server('127.0.0.1:0', limits: new Limits(drainMs: 600_000));
$server->websocket('/', open: fn (Connection $c) => $c->subscribe('news'), message: function (Connection $c) use ($server): void {
    $server->stop();
    $c->send('the handler goes on');
});
$stopping = false;
Timer::delay(0, function () use (&$stopping, &$ended): void {
    while (!$stopping) {
        Timer::sleep(0.01);
    }
    echo "what waited has ended\n";
    $ended = true;
});
$server->onStop(function (Server $s) use (&$stopping): void {
    $stopping = true;
    $s->publish('news', 'goodbye');
    throw new DomainException('not in the way');
});
$server->onError(fn (Throwable $e) => print("onError: {$e->getMessage()}\n"));
talk($server, $play);
?>
--EXPECT--
onError: not in the way
the handler goes on, goodbye
what waited has ended
