--TEST--
The general server: bad addresses, routes and workers are ValueErrors, misuse is a LogicException
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Server;

attempt(fn () => new Server('nonsense'));
attempt(fn () => new Server('127.0.0.1:99999'));
attempt(fn () => new Server([5]));
attempt(fn () => new Server('127.0.0.1:0', workers: 0));
attempt(fn () => (new Server())->run());
$server = new Server('127.0.0.1:0');
attempt(fn () => $server->get('no-slash', fn () => 1));
attempt(fn () => $server->get('/{a}/{a}', fn () => 1));
attempt(fn () => $server->get('/{a*}/b', fn () => 1));
attempt(fn () => $server->get('/{id:\d+}', fn () => 1)); // what other routers understand
attempt(fn () => $server->get('/{id?}', fn () => 1));
attempt(fn () => $server->get('/users/:id/posts', fn () => 1));
attempt(fn () => $server->websocket('/*'));
attempt(fn () => $server->events('/{list}/news?page=1', fn () => 1)); // a path alone is looked at
$server->get('/v1/notes:batch', fn () => 1);
$server->get('/x', fn () => 1);
attempt(fn () => $server->get('/x', fn () => 1));
attempt(fn () => $server->files('/f', '/does/not/exist'));
attempt(fn () => $server->files(__DIR__, '/')); // the two in the wrong order would serve the whole machine
attempt(fn () => $server->files('/f', '/tmp/..'));
attempt(fn () => $server->websocket('/w', subprotocols: ['a b']));
attempt(fn () => $server->websocket('/w', subprotocols: ['a', 'a']));
attempt(fn () => new Tusk\Tls('/no/cert.pem', '/no/key.pem'));
attempt(fn () => clone $server);
attempt(fn () => Tusk\Timer::delay(-1, fn () => 1));
attempt(fn () => Tusk\Timer::sleep(NAN));
talk($server, function () use ($server) {
    attempt(fn () => $server->run());
    attempt(fn () => $server->get('/y', fn () => 1));
    attempt(fn () => $server->listen('127.0.0.1:0'));
});
attempt(fn () => $server->run());
?>
--EXPECTF--
ValueError: Tusk\Server::__construct(): Argument #1 ($listen) must be an address such as "127.0.0.1:8080", "[::1]:8080", "*:8080" or "unix:/run/app.sock", "nonsense" given
ValueError: Tusk\Server::__construct(): Argument #1 ($listen) must be an address such as "127.0.0.1:8080", "[::1]:8080", "*:8080" or "unix:/run/app.sock", "127.0.0.1:99999" given
TypeError: Tusk\Server::__construct(): Argument #1 ($listen) must be a list of strings, int found
ValueError: Tusk\Server::__construct(): Argument #4 ($workers) must be between 1 and 64, 0 given
LogicException: The server listens nowhere: give an address or call listen() before run()
ValueError: Tusk\Server::get(): Argument #1 ($path) must be a path such as "/rooms/{room}" (names of letters, digits, "_" and "-", each once, {rest*} last; check values in the handler), "no-slash" given
ValueError: Tusk\Server::get(): Argument #1 ($path) must be a path such as "/rooms/{room}" (names of letters, digits, "_" and "-", each once, {rest*} last; check values in the handler), "/{a}/{a}" given
ValueError: Tusk\Server::get(): Argument #1 ($path) must be a path such as "/rooms/{room}" (names of letters, digits, "_" and "-", each once, {rest*} last; check values in the handler), "/{a*}/b" given
ValueError: Tusk\Server::get(): Argument #1 ($path) must be a path such as "/rooms/{room}" (names of letters, digits, "_" and "-", each once, {rest*} last; check values in the handler), "/{id:\d+}" given
ValueError: Tusk\Server::get(): Argument #1 ($path) must be a path such as "/rooms/{room}" (names of letters, digits, "_" and "-", each once, {rest*} last; check values in the handler), "/{id?}" given
ValueError: Tusk\Server::get(): Argument #1 ($path) must be a path such as "/rooms/{room}": ":id" is written "{id}" here, "/users/:id/posts" given
ValueError: Tusk\Server::websocket(): Argument #1 ($path) must be a path such as "/rooms/{room}": "*" is written "{rest*}" here, "/*" given
ValueError: Tusk\Server::events(): Argument #1 ($path) must be a path such as "/rooms/{room}", without a query: $request->query() has that, "/{list}/news?page=1" given
LogicException: There is a GET route for "/x" already
ValueError: Tusk\Server::files(): Argument #2 ($directory) must be a folder that can be read, "/does/not/exist" given
ValueError: Tusk\Server::files(): Argument #2 ($directory) must be a folder of what everybody may read, not the root of the file system; the path of the URL comes first, the folder second
ValueError: Tusk\Server::files(): Argument #2 ($directory) must be a folder of what everybody may read, not the root of the file system; the path of the URL comes first, the folder second
ValueError: Tusk\Server::websocket(): Argument #6 ($subprotocols) must be a list of tokens (RFC 6455, 4.1), "a b" found
ValueError: Tusk\Server::websocket(): Argument #6 ($subprotocols) must not repeat "a"
ValueError: Tusk\Tls: %s/no/%s
Error: Trying to clone an uncloneable object of class Tusk\Server
ValueError: Tusk\Timer::delay(): Argument #1 ($seconds) must be between 0 and 1e9 seconds, -1 given
ValueError: Tusk\Timer::sleep(): Argument #1 ($seconds) must be between 0 and 1e9 seconds, NAN given
LogicException: The server runs already
LogicException: Routes cannot be added once the server runs
LogicException: Listeners cannot be added once the server runs
LogicException: A server runs only once
