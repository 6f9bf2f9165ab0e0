--TEST--
What cannot be a handler is refused when it is given, not when somebody comes; the text tells what to write
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};

function named() {}
final class Controller
{
    public function show($request) { return Tusk\Http\Response::text('shown'); }
    public function __invoke() {}
}
$server = new Server('127.0.0.1:0');
attempt(fn () => new Server('127.0.0.1', 8080));
attempt(fn () => new Server('127.0.0.1', '8080'));
attempt(fn () => new Tusk\WebSocket\Server('127.0.0.1:8080'));
attempt(fn () => new Tusk\Http\Response('a body'));
attempt(fn () => new Tusk\Http\Response([]));
attempt(fn () => $server->listen('127.0.0.1', 8080));
attempt(fn () => new Server(8080));
attempt(fn () => new Server('127.0.0.1:0', 'cert.pem'));
attempt(fn () => $server->get('/', 'named'));
attempt(fn () => $server->get('/', [new Controller(), 'show']));
attempt(fn () => $server->get('/', new Controller()));
attempt(fn () => $server->get('/', null));
attempt(fn () => $server->websocket('/', ['message' => fn () => 1]));
attempt(fn () => $server->onError('named'));
attempt(fn () => $server->get('/users/{id}', fn ($request, $id) => 1));
attempt(fn () => $server->fallback(fn ($request, $next) => 1));
attempt(fn () => $server->websocket('/', fn ($server, $connection, $text, $type) => 1));
attempt(fn () => $server->websocket('/', open: fn ($connection, $request) => 1));
attempt(fn () => $server->websocket('/', close: fn ($a, $b, $c, $d) => 1));
attempt(fn () => $server->websocket('/', authorize: fn ($a, $b) => 1));
attempt(fn () => $server->events('/', fn ($stream, $request) => 1));
attempt(fn () => $server->events('/', function ($stream) { yield 'data'; }));
attempt(fn () => $server->get('/', function ($request) { yield 'data'; }));
attempt(fn () => Timer::repeat(1, fn ($id, $n) => 1));
attempt(fn () => Timer::defer('named'));

// What is less, or may be left out, fits.
$server->get('/less', fn () => Tusk\Http\Response::text('less'));
$server->get('/more', fn ($request, $more = 1, ...$rest) => Tusk\Http\Response::text("$more"));
$server->get('/method', (new Controller())->show(...));
$server->websocket('/w', null, fn () => 1, null, null);
$loop = new Tusk\Testing\Loopback($server);
foreach (['/less', '/more', '/method'] as $path) {
    echo $loop->request('GET', $path)->body, "\n";
}
?>
--EXPECT--
TypeError: Tusk\Server::__construct(): Argument #2 ($tls) must be of type ?Tusk\Tls, int given: the port is part of the address, "127.0.0.1:8080"
TypeError: Tusk\Server::__construct(): Argument #2 ($tls) must be of type ?Tusk\Tls, string given: the port is part of the address, "127.0.0.1:8080"
TypeError: Tusk\WebSocket\Server::__construct(): Argument #1 ($options) must be of type Tusk\WebSocket\ServerOptions|array, string given: where to listen is said by listen('127.0.0.1', 8080)
TypeError: Tusk\Http\Response::__construct(): Argument #1 ($status) must be of type int, string given: Response::text(), html() and json() make one of a body
TypeError: Tusk\Http\Response::__construct(): Argument #1 ($status) must be of type int, array given
TypeError: Tusk\Server::listen(): Argument #2 ($tls) must be of type ?Tusk\Tls, int given: the port is part of the address, "127.0.0.1:8080"
TypeError: Tusk\Server::__construct(): Argument #1 ($listen) must be of type array|string, int given: an address is "127.0.0.1:8080"
TypeError: Tusk\Server::__construct(): Argument #2 ($tls) must be of type ?Tusk\Tls, string given
TypeError: Tusk\Server::get(): Argument #2 ($handler) must be of type Closure, string given: name(...) makes one of a function, $object->method(...) of a method
TypeError: Tusk\Server::get(): Argument #2 ($handler) must be of type Closure, array given: name(...) makes one of a function, $object->method(...) of a method
TypeError: Tusk\Server::get(): Argument #2 ($handler) must be of type Closure, Controller given: name(...) makes one of a function, $object->method(...) of a method
TypeError: Tusk\Server::get(): Argument #2 ($handler) must be of type Closure, null given
TypeError: Tusk\Server::websocket(): Argument #2 ($message) must be of type ?Closure, array given: name(...) makes one of a function, $object->method(...) of a method
TypeError: Tusk\Server::onError(): Argument #1 ($handler) must be of type Closure, string given: name(...) makes one of a function, $object->method(...) of a method
ValueError: Tusk\Server::get(): Argument #2 ($handler) must require at most 1 parameter (the Request, whose $params has the path's names), 2 required
ValueError: Tusk\Server::fallback(): Argument #1 ($handler) must require at most 1 parameter (the Request, whose $params has the path's names), 2 required
ValueError: Tusk\Server::websocket(): Argument #2 ($message) must require at most 3 parameters (the Connection, the text, its MessageType), 4 required
ValueError: Tusk\Server::websocket(): Argument #3 ($open) must require at most 1 parameter (the Connection), 2 required
ValueError: Tusk\Server::websocket(): Argument #4 ($close) must require at most 3 parameters (the Connection, the code, the reason), 4 required
ValueError: Tusk\Server::websocket(): Argument #5 ($authorize) must require at most 1 parameter (the Request, whose $params has the path's names), 2 required
ValueError: Tusk\Server::events(): Argument #2 ($open) must require at most 1 parameter (the EventStream), 2 required
ValueError: Tusk\Server::events(): Argument #2 ($open) must not use yield: its code would never run
ValueError: Tusk\Server::get(): Argument #2 ($handler) must not use yield: its code would never run
ValueError: Tusk\Timer::repeat(): Argument #2 ($callback) must require at most 1 parameter (the timer's id), 2 required
TypeError: Tusk\Timer::defer(): Argument #1 ($callback) must be of type Closure, string given: name(...) makes one of a function, $object->method(...) of a method
less
1
shown
