--TEST--
The client's first offer that is in the list is chosen; bad and repeated names are ValueErrors
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, Server};

attempt(fn () => (new Server())->subprotocols('a b'));
attempt(fn () => (new Server())->subprotocols(''));
attempt(fn () => (new Server())->subprotocols('a', 'b', 'a'));
$server = new Server();
$server->listen('127.0.0.1', 0);
$server->subprotocols('chat.v1', 'chat.v2');
$server->onOpen(function (Connection $c) {
    var_dump($c->subprotocol);
});
talk($server, function (int $port): void {
    foreach (['chat.v2, chat.v1', 'other, chat.v1', 'other', null] as $offer) {
        $peer = Peer::open($port, '/', $offer === null ? [] : ['Sec-WebSocket-Protocol' => $offer]);
        echo $peer->status(), ' ', preg_match('/Sec-WebSocket-Protocol: (\S+)/i', $peer->head, $m) ? $m[1] : 'none', "\n";
    }
});
?>
--EXPECT--
ValueError: Tusk\WebSocket\Server::subprotocols(): Argument #1 must be a token (RFC 6455, 4.1), "a b" given
ValueError: Tusk\WebSocket\Server::subprotocols(): Argument #1 must be a token (RFC 6455, 4.1), "" given
ValueError: Tusk\WebSocket\Server::subprotocols(): Argument #3 must not repeat another one, "a" given
string(7) "chat.v2"
101 chat.v2
string(7) "chat.v1"
101 chat.v1
NULL
101 none
NULL
101 none
