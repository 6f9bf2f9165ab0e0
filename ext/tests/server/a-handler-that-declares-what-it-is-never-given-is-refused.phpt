--TEST--
A handler whose parameter has a type that is never given is refused where it is given; every type that can hold what comes is taken
--FILE--
<?php
namespace App;

require __DIR__ . '/../peer.inc';
use Tusk\{Proxy, Server, Timer};
use Tusk\Http\Response;
use Tusk\Proxy\{Access, Lookup};
use Tusk\Sse\EventStream;
use Tusk\Testing\Loopback;
use Tusk\WebSocket\{Connection, MessageType};

interface Marked {}
final class Handlers
{
    public function self(self $own): void {}
    public static function show(\Tusk\Http\Request $r): Response { return Response::text("shown $r->path"); }
    public function bound(): \Closure { return fn (self $own) => 1; }
    public function __invoke(string $id): void {}
    public function __call(string $name, array $given): Response { return Response::text($name); }
}
final class Nowhere implements Proxy\Resolver
{
    public function resolve(Lookup $lookup): Proxy\Route { throw new Proxy\Refused(); }
}
$server = new Server();
$refused = fn (\Closure ...$all) => array_map(attempt(...), $all);
ob_start(fn (string $said): string => strtr($said, [
    'App\Handlers $own' => 'self $own', // from 8.5 on the compiler has put the name in its place
    ' iterable $r declared' => ' Traversable|array $r declared', // before 8.2
]));
echo "-- refused\n";
$refused(
    fn () => $server->get('/users/{id}', fn (string $id) => 1),
    fn () => $server->post('/', fn (Request $r) => 1),
    fn () => $server->get('/', fn (\Psr\Http\Message\ServerRequestInterface $r) => 1),
    fn () => $server->get('/', fn (Connection $r) => 1),
    fn () => $server->get('/', fn (array $r) => 1),
    fn () => $server->get('/', fn (int|string|null $r) => 1),
    fn () => $server->get('/', fn (Missing|Marked $r) => 1),
    fn () => $server->get('/', fn (\Countable&\Traversable $r) => 1),
    fn () => $server->get('/', fn (iterable $r) => 1),
    fn () => $server->get('/', (new Handlers())->self(...)),
    fn () => $server->get('/', (new Handlers())->bound()),
    fn () => $server->get('/', (new Handlers())(...)),
    fn () => $server->fallback(fn (EventStream $r) => 1),
    fn () => $server->websocket('/', fn (string $m, Connection $c) => 1),
    fn () => $server->websocket('/', fn (Connection $c, array $m) => 1),
    fn () => $server->websocket('/', fn (Connection $c, string $m, string $type) => 1),
    fn () => $server->websocket('/', fn (Connection $c, string ...$rest) => 1),
    fn () => $server->websocket('/', open: fn (\Tusk\Http\Request $r) => 1),
    fn () => $server->websocket('/', close: fn (Connection $c, string $reason, array $code) => 1),
    fn () => $server->websocket('/', authorize: fn (Connection $c) => 1),
    fn () => $server->events('/', fn (Connection $c) => 1),
    fn () => $server->events('/', fn ($s) => 1, close: fn (Connection $c) => 1),
    fn () => $server->onError(fn (string $message, array $trace) => 1),
    fn () => $server->onError(fn (\Tusk\Http\Request $r) => 1),
    fn () => $server->onListen(fn (int $port) => 1),
    fn () => $server->onStart(fn (\Tusk\WebSocket\Server $s) => 1),
    fn () => Timer::repeat(1, fn (Server $s) => 1),
);
$native = new \Tusk\WebSocket\Server();
$refused(
    fn () => $native->onHandshake(fn (\Tusk\Http\Request $r) => 1),
    fn () => $native->onOpen(fn (Connection $c, $request) => 1),
    fn () => $native->onMessage(fn (Connection $c, \stdClass $m) => 1),
    fn () => $native->onClose(fn (Connection $c, int $code) => 1),
    fn () => $native->onError(fn (Connection $c) => 1),
    fn () => $native->onStart(fn (Server $s) => 1),
);
$proxy = new Proxy\Http(new Nowhere());
$refused(
    fn () => $proxy->onListen(fn (Server $s) => 1),
    fn () => $proxy->onStart(fn (Proxy\Tcp $s) => 1),
    fn () => $proxy->onError(fn (Lookup $l) => 1),
    fn () => $proxy->onAccess(fn (Lookup $l) => 1),
);

echo "-- taken\n";
spl_autoload_register(function (string $class): void {
    if ($class === 'App\Failure') {
        eval('namespace App; class Failure extends \DomainException {}');
    } elseif ($class === 'App\Broken') {
        throw new \DomainException('the autoloader failed');
    }
});
attempt(fn () => $server->get('/', fn (Broken $r) => 1));
$paths = [];
foreach ([
    fn (\Tusk\Http\Request $r) => Response::text('the class'),
    fn (\tusk\HTTP\request $r) => Response::text('in small letters'),
    fn (?\Tusk\Http\Request $r) => Response::text('nullable'),
    fn (string|\Tusk\Http\Request $r) => Response::text('union'),
    fn (Missing|\Tusk\Http\Request|null $r) => Response::text('union with what is not there'),
    fn (object $r) => Response::text('object'),
    fn (mixed $r) => Response::text('mixed'),
    fn ($r) => Response::text('nothing'),
    fn (\Tusk\Http\Request ...$r) => Response::text('variadic'),
    fn (?\Tusk\Http\Request $r = null, int $more = 1, string ...$rest) => Response::text('and more'),
    Handlers::show(...),
    (new Handlers())->anything(...),
    (function (\Tusk\Http\Request $r) { return Response::text('bound to ' . $this::class); })->bindTo(new Handlers(), Handlers::class),
] as $i => $handler) {
    $server->get($paths[] = "/$i", $handler);
}
$ws = [
    fn (Connection $c, string $m, MessageType $t) => $c->send('exact'),
    fn (\Traversable $c, string|array $m, \UnitEnum $t) => $c->send('interfaces'),
    fn (\IteratorAggregate&\Traversable $c, int $m, \BackedEnum|\UnitEnum $t) => $c->send('intersection, number'),
    fn (iterable $c, callable|string|null $m) => $c->send('iterable'),
    fn (object|string ...$all) => $all[0]->send('variadic'),
];
foreach ($ws as $i => $handler) {
    $server->websocket("/ws/$i", $handler, close: fn (Connection $c, int|string $code, string $reason) => 1);
}
$server->events('/events', fn (object $s) => $s->send('event'), close: fn (EventStream $s) => 1, authorize: fn (\Tusk\Http\Request $r) => true);
foreach ([fn (\Throwable $e) => 1, fn (\DomainException $e, ?\Tusk\Http\Request $r) => 1, fn (Marked|\Error $e) => 1, fn (Failure $e) => 1, fn (\JsonSerializable $e) => 1,
    fn (string $text, ?Missing $r) => 1, error_log(...), fn (\Throwable $e, \Tusk\Http\Request $r) => 1] as $handler) {
    $server->onError($handler);
    $native->onError(fn (\Exception $e) => 1);
}
$server->onStart(fn (Server $s) => 1);
$native->onHandshake(fn (\Tusk\WebSocket\Request $r) => 1);
$native->onStart(strlen(...));
$proxy->onStart(fn (Proxy\Http $p) => 1);
$proxy->onError(fn (\Throwable $e, ?\Tusk\Http\Request $r) => 1);
$proxy->onAccess(fn (Access $a) => 1);
$loop = new Loopback($server);
foreach ($paths as $path) {
    echo $loop->request('GET', $path)->body, "\n";
}
foreach (array_keys($ws) as $i) {
    $client = $loop->connect("/ws/$i");
    $client->send('12');
    echo $client->receive(), "\n";
}
?>
--EXPECT--
-- refused
TypeError: Tusk\Server::get(): Argument #2 ($handler) must take Tusk\Http\Request as its first parameter (the Request, whose $params has the path's names), string $id declared
TypeError: Tusk\Server::post(): Argument #2 ($handler) must take Tusk\Http\Request as its first parameter (the Request, whose $params has the path's names), App\Request $r declared: is "use Tusk\Http\Request;" missing?
TypeError: Tusk\Server::get(): Argument #2 ($handler) must take Tusk\Http\Request as its first parameter (the Request, whose $params has the path's names), Psr\Http\Message\ServerRequestInterface $r declared
TypeError: Tusk\Server::get(): Argument #2 ($handler) must take Tusk\Http\Request as its first parameter (the Request, whose $params has the path's names), Tusk\WebSocket\Connection $r declared
TypeError: Tusk\Server::get(): Argument #2 ($handler) must take Tusk\Http\Request as its first parameter (the Request, whose $params has the path's names), array $r declared
TypeError: Tusk\Server::get(): Argument #2 ($handler) must take Tusk\Http\Request as its first parameter (the Request, whose $params has the path's names), string|int|null $r declared
TypeError: Tusk\Server::get(): Argument #2 ($handler) must take Tusk\Http\Request as its first parameter (the Request, whose $params has the path's names), App\Missing|App\Marked $r declared
TypeError: Tusk\Server::get(): Argument #2 ($handler) must take Tusk\Http\Request as its first parameter (the Request, whose $params has the path's names), Countable&Traversable $r declared
TypeError: Tusk\Server::get(): Argument #2 ($handler) must take Tusk\Http\Request as its first parameter (the Request, whose $params has the path's names), Traversable|array $r declared
TypeError: Tusk\Server::get(): Argument #2 ($handler) must take Tusk\Http\Request as its first parameter (the Request, whose $params has the path's names), self $own declared
TypeError: Tusk\Server::get(): Argument #2 ($handler) must take Tusk\Http\Request as its first parameter (the Request, whose $params has the path's names), self $own declared
TypeError: Tusk\Server::get(): Argument #2 ($handler) must take Tusk\Http\Request as its first parameter (the Request, whose $params has the path's names), string $id declared
TypeError: Tusk\Server::fallback(): Argument #1 ($handler) must take Tusk\Http\Request as its first parameter (the Request, whose $params has the path's names), Tusk\Sse\EventStream $r declared
TypeError: Tusk\Server::websocket(): Argument #2 ($message) must take Tusk\WebSocket\Connection as its first parameter (the Connection, the text, its MessageType), string $m declared
TypeError: Tusk\Server::websocket(): Argument #2 ($message) must take string as its second parameter (the Connection, the text, its MessageType), array $m declared
TypeError: Tusk\Server::websocket(): Argument #2 ($message) must take Tusk\WebSocket\MessageType as its third parameter (the Connection, the text, its MessageType), string $type declared
TypeError: Tusk\Server::websocket(): Argument #2 ($message) must take Tusk\WebSocket\MessageType as its third parameter (the Connection, the text, its MessageType), string ...$rest declared
TypeError: Tusk\Server::websocket(): Argument #3 ($open) must take Tusk\WebSocket\Connection as its first parameter (the Connection), Tusk\Http\Request $r declared
TypeError: Tusk\Server::websocket(): Argument #4 ($close) must take string as its third parameter (the Connection, the code, the reason), array $code declared
TypeError: Tusk\Server::websocket(): Argument #5 ($authorize) must take Tusk\Http\Request as its first parameter (the Request, whose $params has the path's names), Tusk\WebSocket\Connection $c declared
TypeError: Tusk\Server::events(): Argument #2 ($open) must take Tusk\Sse\EventStream as its first parameter (the EventStream), Tusk\WebSocket\Connection $c declared
TypeError: Tusk\Server::events(): Argument #3 ($close) must take Tusk\Sse\EventStream as its first parameter (the EventStream), Tusk\WebSocket\Connection $c declared
TypeError: Tusk\Server::onError(): Argument #1 ($handler) must take Tusk\Http\Request or null as its second parameter (the Throwable, the Request or null), array $trace declared
TypeError: Tusk\Server::onError(): Argument #1 ($handler) must take Throwable as its first parameter (the Throwable, the Request or null), Tusk\Http\Request $r declared
TypeError: Tusk\Server::onListen(): Argument #1 ($handler) must take Tusk\Server as its first parameter (the Server), int $port declared
TypeError: Tusk\Server::onStart(): Argument #1 ($handler) must take Tusk\Server as its first parameter (the Server), Tusk\WebSocket\Server $s declared
TypeError: Tusk\Timer::repeat(): Argument #2 ($callback) must take string as its first parameter (the timer's id), Tusk\Server $s declared
TypeError: Tusk\WebSocket\Server::onHandshake(): Argument #1 ($callback) must take Tusk\WebSocket\Request as its first parameter (the Request), Tusk\Http\Request $r declared
ValueError: Tusk\WebSocket\Server::onOpen(): Argument #1 ($callback) must require at most 1 parameter (the Connection), 2 required
TypeError: Tusk\WebSocket\Server::onMessage(): Argument #1 ($callback) must take string as its second parameter (the Connection, the text, its MessageType), stdClass $m declared
ValueError: Tusk\WebSocket\Server::onClose(): Argument #1 ($callback) must require at most 1 parameter (the Connection), 2 required
TypeError: Tusk\WebSocket\Server::onError(): Argument #1 ($callback) must take Throwable as its first parameter (the Throwable), Tusk\WebSocket\Connection $c declared
TypeError: Tusk\WebSocket\Server::onStart(): Argument #1 ($callback) must take Tusk\WebSocket\Server as its first parameter (the Server), Tusk\Server $s declared
TypeError: Tusk\Proxy\Http::onListen(): Argument #1 ($handler) must take Tusk\Proxy\Http as its first parameter (the proxy), Tusk\Server $s declared
TypeError: Tusk\Proxy\Http::onStart(): Argument #1 ($handler) must take Tusk\Proxy\Http as its first parameter (the proxy), Tusk\Proxy\Tcp $s declared
TypeError: Tusk\Proxy\Http::onError(): Argument #1 ($handler) must take Throwable as its first parameter (the Throwable, null), Tusk\Proxy\Lookup $l declared
TypeError: Tusk\Proxy\Http::onAccess(): Argument #1 ($handler) must take Tusk\Proxy\Access as its first parameter (the Access), Tusk\Proxy\Lookup $l declared
-- taken
DomainException: the autoloader failed
the class
in small letters
nullable
union
union with what is not there
object
mixed
nothing
variadic
and more
shown /10
anything
bound to App\Handlers
exact
interfaces
intersection, number
iterable
variadic
