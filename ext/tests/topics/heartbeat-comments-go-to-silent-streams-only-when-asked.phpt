--TEST--
heartbeatMs writes comments to an event stream that is silent; 0 writes none
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Server, Timer};
use Tusk\Sse\EventStream;

function stream(Limits $limits, callable $client): void
{
    $server = new Server('127.0.0.1:0', limits: $limits);
    $server->events('/', fn (EventStream $s) => $s->subscribe('t'));
    talk($server, function (int $port) use ($server, $client): void {
        $peer = new Peer($port);
        $peer->write("GET / HTTP/1.0\r\nHost: h\r\n\r\n");
        $peer->readHead();
        echo $peer->readBody(3) === ":\n\n" ? "opened, then " : "no comment at the start: ";
        until(fn () => $server->subscribers('t') === 1);
        $client($peer, $server);
    });
}
stream(new Limits(heartbeatMs: 5), function (Peer $peer): void {
    until(function () use ($peer) { $peer->fill(); return substr_count($peer->in, ":\n\n") >= 3; });
    echo strlen(str_replace(":\n\n", '', $peer->in)), " bytes that are no comment\n";
});
stream(new Limits(heartbeatMs: 0), function (Peer $peer, Server $server): void {
    Timer::sleep(0.1);
    $server->publish('t', 'first', id: 'i');
    until(function () use ($peer) { $peer->fill(); return str_contains($peer->in, "\n\n"); });
    echo $peer->in;
});
?>
--EXPECT--
opened, then 0 bytes that are no comment
opened, then id: i
data: first

