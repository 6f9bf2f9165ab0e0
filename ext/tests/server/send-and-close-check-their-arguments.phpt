--TEST--
send() and close() check their arguments; sending on a closed connection is an Error
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, MessageType, Server};

$server = new Server();
$server->listen('127.0.0.1', 0);
$server->onMessage(function (Connection $c) use (&$kept) {
    $kept = $c;
    attempt(fn () => $c->send('x', MessageType::Continuation));
    attempt(fn () => $c->send(str_repeat('p', 126), MessageType::Ping));
    attempt(fn () => $c->send("\xff"));
    attempt(fn () => $c->close(999));
    attempt(fn () => $c->close(1005));
    attempt(fn () => $c->close(5000));
    attempt(fn () => $c->close(1000, str_repeat('r', 124)));
    attempt(fn () => $c->close(1000, "\xc0"));
    attempt(fn () => $c->id = 'x');
    attempt(fn () => clone $c);
    attempt(fn () => serialize($c));
    $c->send("\xff", MessageType::Binary);
    $c->send('ping', MessageType::Ping);
    var_dump($c->isOpen());
    $c->close(4000, 'bye');
    $c->close(4001, 'twice');
    var_dump($c->isOpen());
    attempt(fn () => $c->send('late'));
});
$server->onClose(function (Connection $c) use (&$kept) {
    var_dump($c === $kept, $c->isOpen());
});
talk($server, function (int $port) use (&$kept, $server): void {
    $peer = Peer::open($port);
    $peer->send('go');
    echo bin2hex($peer->text()), "\n", $peer->receive()->type->name, "\n", $peer->text(), "\n";
    $peer->goodbye(4000);
    until(fn () => $server->stats()['websockets_open'] === 0);
    attempt(fn () => $kept->send('later'));
    echo strlen($kept->id), ' ', $kept->remoteAddress, "\n";
});
?>
--EXPECT--
ValueError: Tusk\WebSocket\Connection::send(): Argument #2 ($type) must not be MessageType::Continuation: whole messages are sent
ValueError: Tusk\WebSocket\Connection::send(): Argument #1 ($data) must be at most 125 bytes for a control frame, 126 given
ValueError: Tusk\WebSocket\Connection::send(): Argument #1 ($data) must be valid UTF-8 for a text message
ValueError: Tusk\WebSocket\Connection::close(): Argument #1 ($code) must be a valid close code (1000-1003, 1007-1014 or 3000-4999), 999 given
ValueError: Tusk\WebSocket\Connection::close(): Argument #1 ($code) must be a valid close code (1000-1003, 1007-1014 or 3000-4999), 1005 given
ValueError: Tusk\WebSocket\Connection::close(): Argument #1 ($code) must be a valid close code (1000-1003, 1007-1014 or 3000-4999), 5000 given
ValueError: Tusk\WebSocket\Connection::close(): Argument #2 ($reason) must be at most 123 bytes, 124 given
ValueError: Tusk\WebSocket\Connection::close(): Argument #2 ($reason) must be valid UTF-8
Error: Cannot modify readonly property Tusk\WebSocket\Connection::$id
Error: Trying to clone an uncloneable object of class Tusk\WebSocket\Connection
Exception: Serialization of 'Tusk\WebSocket\Connection' is not allowed
bool(true)
bool(false)
Error: Cannot send on a closed connection
ff
Ping
(close 4000 bye)
bool(true)
bool(false)
Error: Cannot send on a closed connection
16 127.0.0.1
