--TEST--
Messages and events that nobody receives wait in order, a megabyte or 256 of them; then the client reads no further until some are taken
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Server, Timer};
use Tusk\Sse\EventStream;
use Tusk\WebSocket\{Connection, MessageType};

const PART = 65536;
/** More than the client takes, and the kernel on both sides: as it was set up. */
function large(): int
{
    $kernel = 0;
    foreach (['tcp_rmem' => 6 << 20, 'tcp_wmem' => 4 << 20] as $name => $usual) {
        $kernel += max($usual, (int) (preg_split('~\s+~', (string) @file_get_contents("/proc/sys/net/ipv4/$name"))[2] ?? 0));
    }
    return intdiv($kernel + (5 << 20), PART);
}
$server = new Server('127.0.0.1:0', limits: new Limits(queuedBytes: 128 << 20, closeMs: 600_000));
$server->websocket('/large', open: function (Connection $c): void {
    for ($i = 0; $i < large(); $i++) {
        $c->send(str_pad((string) $i, PART), MessageType::Binary);
    }
    $c->close(4001, 'that was all');
});
$server->websocket('/many', message: function (Connection $c, string $count): void {
    for ($i = 0; $i < $count; $i++) {
        $c->send("$i");
    }
});
$server->events('/events', function (EventStream $s): void {
    for ($i = 0; $i < 1000; $i++) {
        $s->send("data $i", 'kind', "id $i");
    }
    $s->close();
});
talk($server, function (int $port) use ($server): void {
    $client = new Tusk\WebSocket\Client("ws://127.0.0.1:$port/large");
    until(fn () => $server->stats()['queued_bytes'] > 0, 'the sender to be held up');
    var_dump($server->stats()['queued_bytes'] > 0);
    $next = 0;
    foreach ($client as $type => $data) {
        if ($type !== MessageType::Binary || strlen($data) !== PART || (int) $data !== $next++) {
            echo "not in order\n";
        }
    }
    echo $next === large() ? 'all' : $next, " large ones, then $client->closeCode $client->closeReason\n";
    var_dump($client->receive(), $client->isOpen());

    $client = new Tusk\WebSocket\Client("ws://127.0.0.1:$port/many");
    foreach ([255, 256, 257, 3000] as $count) {
        $client->send("$count");
        $client->receive();
        Timer::sleep(0.01); // what may come, comes
        for ($i = 1; $i < $count && $client->receive(20) === "$i"; $i++);
        echo $i === $count ? " $i" : " $i of $count";
    }
    $client->send('5000');
    $client->receive();
    $client->close(4002); // what waits is given up, and the Close finds its way
    echo "\n$client->closeCode\n";
    attempt(function () use ($client) { foreach ($client as &$data) {} });

    $events = new Tusk\Sse\Client("http://127.0.0.1:$port/events");
    $first = $events->receive(20);
    Timer::sleep(0.01);
    $i = 0;
    foreach ($events as $n => $event) {
        if ($n !== $i || $event->data !== 'data ' . ++$i || $event->lastEventId !== "id $i") {
            echo "not in order: $event->data\n";
        }
        if ($i === 999) {
            break;
        }
    }
    echo "$first->type $first->data $first->lastEventId, then $i more, ", $events->lastEventId(), "\n";
    $events->close();
    var_dump($events->receive(), $events->state());
});
?>
--EXPECT--
bool(true)
all large ones, then 4001 that was all
NULL
bool(false)
 255 256 257 3000
4002
Error: An iterator cannot be used with foreach by reference
kind data 0 id 0, then 999 more, id 999
NULL
int(2)
