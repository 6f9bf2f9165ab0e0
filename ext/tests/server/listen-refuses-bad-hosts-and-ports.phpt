--TEST--
listen() refuses hosts with NUL and ports out of range; bad hosts are told by run()
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\Server;

attempt(fn () => (new Server())->listen("127.0.0.1\0", 1));
attempt(fn () => (new Server())->listen('', 1));
attempt(fn () => (new Server())->listen('127.0.0.1', -1));
attempt(fn () => (new Server())->listen('127.0.0.1', 65536));
attempt(function () {
    $server = new Server();
    $server->listen('300.1.2.3', 0);
    $server->run();
});
attempt(function () {
    $server = new Server();
    $server->listen('no-such-host.invalid', 0);
    $server->run();
});
$server = new Server();
$server->listen('localhost', 0);
talk($server, fn (int $port) => print("localhost listens\n"));
$busy = stream_socket_server('tcp://127.0.0.1:0');
$port = (int) substr(strrchr(stream_socket_get_name($busy, false), ':'), 1);
attempt(function () use ($port) {
    $server = new Server();
    $server->listen('127.0.0.1', $port);
    try {
        $server->run();
    } catch (Tusk\Exception $e) {
        throw new Exception(str_replace((string) $port, 'PORT', $e->getMessage()));
    }
});
?>
--EXPECTF--
ValueError: Tusk\WebSocket\Server::listen(): Argument #1 ($host) must not contain any null bytes
ValueError: Tusk\WebSocket\Server::listen(): Argument #1 ($host) must not be empty ("0.0.0.0" listens on every address)
ValueError: Tusk\WebSocket\Server::listen(): Argument #2 ($port) must be between 0 and 65535, -1 given
ValueError: Tusk\WebSocket\Server::listen(): Argument #2 ($port) must be between 0 and 65535, 65536 given
Tusk\Exception: Cannot listen on 300.1.2.3:0: no such host; give an address such as 127.0.0.1, or a name that this machine can look up
Tusk\Exception: Cannot listen on no-such-host.invalid:0: no such host; give an address such as 127.0.0.1, or a name that this machine can look up
localhost listens
Exception: %sPORT%s
