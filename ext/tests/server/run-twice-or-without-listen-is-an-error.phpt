--TEST--
run() without listen(), twice, or from inside is an Error; settings are closed while it runs
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Deflate, Server};

attempt(fn () => (new Server())->run());
$server = new Server();
$server->listen('127.0.0.1', 0);
talk($server, function () use ($server) {
    attempt(fn () => $server->run());
    attempt(fn () => $server->listen('127.0.0.1', 0));
    attempt(fn () => $server->subprotocols('x'));
    attempt(fn () => $server->deflate(new Deflate()));
    attempt(fn () => $server->onHandshake(fn () => null));
    var_dump($server->port > 0, $server->getDriver());
});
attempt(fn () => $server->run());
?>
--EXPECT--
Error: The server listens nowhere: call listen() before run()
Error: The server runs already
Error: Listeners cannot be changed once the server runs
Error: Subprotocols cannot be changed once the server runs
Error: permessage-deflate cannot be changed once the server runs
Error: onHandshake cannot be changed once the server runs
bool(true)
string(5) "epoll"
Error: A server runs only once
