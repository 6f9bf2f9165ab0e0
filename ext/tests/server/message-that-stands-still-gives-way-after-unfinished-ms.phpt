--TEST--
Past unfinishedBytes one message may go on; when it stands still for unfinishedMs it is closed and the others are read
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Server, Timer};
use Tusk\WebSocket\{Connection, MessageType, Protocol};

const SIZE = 256 << 10;
function crowd(int $ms, callable $then): void
{
    $server = new Server('127.0.0.1:0', limits: new Limits(messageBytes: SIZE, unfinishedBytes: SIZE, unfinishedMs: $ms));
    $server->websocket('/', message: fn (Connection $c, string $data) => $c->send(strlen($data) . ' bytes came'));
    talk($server, function (int $port) use ($server, $then): void {
        $frame = Protocol::encode(str_repeat('x', SIZE), MessageType::Binary, true);
        $still = [Peer::open($port), Peer::open($port)];
        foreach ($still as $peer) { // together more than unfinishedBytes, and neither says more
            $peer->write(substr($frame, 0, (int) (SIZE * 0.75)));
        }
        $whole = Peer::open($port);
        $whole->write(substr($frame, 0, SIZE >> 1));
        // On a busy machine one may have given way by then.
        until(fn () => $server->stats()['unfinished_paused'] >= 2 || $server->stats()['unfinished_closed'] >= 1, 'two of them to be held up');
        $then($server, $whole, substr($frame, SIZE >> 1));
    });
}
crowd((int) (300 * slow()), function (Server $server, Peer $whole, string $rest): void {
    $whole->write($rest);
    echo $whole->text(), "\n";
    until(fn () => $server->stats()['unfinished_closed'] >= 1, 'one to be closed');
    echo "one gave way\n";
});
crowd(3_600_000, function (Server $server, Peer $whole, string $rest): void {
    fwrite($whole->stream, $rest);
    Timer::sleep(0.2);
    echo json_encode(array_intersect_key($server->stats(), ['unfinished_closed' => 0, 'messages_in' => 0])), "\n";
});
?>
--EXPECT--
262144 bytes came
one gave way
{"messages_in":0,"unfinished_closed":0}
