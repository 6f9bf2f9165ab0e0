--TEST--
A message's handler declares its parameters as it likes: what fits is given, what never does is refused, what does not each time is a TypeError then
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\{Request, Response};
use Tusk\Server as GeneralServer;
use Tusk\Testing\Loopback;
use Tusk\WebSocket\{Connection, MessageType, Server};
use Tusk\WebSocket\Connection as Other;

function says(int $line, array $all): string
{
    return $line . ' ' . implode(' ', array_map(fn ($one) => $one instanceof MessageType ? $one->name : get_debug_type($one), $all));
}
final class Held
{
    public function take(Connection $c, string $m, MessageType $t): void { $c->send(says(9, func_get_args())); }
    public static function all(Connection $c, string|array $m, ?MessageType $t): void { $c->send(says(10, func_get_args())); }
}
$handlers = [
    fn (Connection $c, string $m, MessageType $t) => $c->send(says(1, func_get_args())),
    fn (Other $c, ?string $m, ?MessageType $t) => $c->send(says(2, func_get_args())),
    fn (object $c, mixed $m, $t) => $c->send(says(3, func_get_args())),
    fn ($c, $m, $t) => $c->send(says(4, func_get_args())),
    fn ($c, string $m) => $c->send(says(5, func_get_args())),
    fn (Connection|Held $c, string|int $m, MessageType|string $t = 'none') => $c->send(says(6, func_get_args())),
    fn (Connection $c, iterable|string $m, \UnitEnum $t, int $more = 7) => $c->send(says($more, [$c, $m, $t, $more])),
    function (Connection $c, string $m = 'none', MessageType $t = MessageType::Ping, ?array &...$rest) { $c->send(says(8, func_get_args())); },
    (new Held())->take(...),
    Held::all(...),
    fn (\Countable&\Traversable $c) => print("never\n"),
    fn (Connection $c, int $m) => $c->send("$m is an int"),
    fn (Connection $c, string $m, string $t) => print("never\n"),
    fn (Connection $c, string $m, MessageType $t, int $missing) => print("never\n"),
];
foreach ($handlers as $handler) {
    $server = new Server();
    $server->onError(fn (Throwable $e) => print(get_class($e) . "\n"));
    try {
        $server->onMessage($handler);
    } catch (Error $e) {
        echo get_class($e), " at once\n";
        continue;
    }
    $loop = new Loopback($server);
    foreach (['x', '12'] as $text) {
        $client = $loop->connect('/');
        $client->send($text);
        echo $client->receive() ?? (string) $client->closeCode(), "\n";
    }
}
$server = new GeneralServer();
foreach (['/a' => fn (Request $r) => Response::text("a $r->target"), '/b' => fn (?Request $r = null) => Response::text("b $r->target"),
    '/c' => fn () => Response::text('c'), '/e' => fn (object ...$r) => Response::text('e ' . count($r))] as $path => $handler) {
    $server->get($path, $handler);
}
$server->onError(fn (Throwable $e) => print(get_class($e) . "\n"));
$loop = new Loopback($server);
foreach (['/a', '/b', '/c', '/e'] as $path) {
    $answer = $loop->request('GET', $path);
    echo $answer->status, ' ', $answer->body, "\n";
}
?>
--EXPECT--
1 Tusk\WebSocket\Connection string Text
1 Tusk\WebSocket\Connection string Text
2 Tusk\WebSocket\Connection string Text
2 Tusk\WebSocket\Connection string Text
3 Tusk\WebSocket\Connection string Text
3 Tusk\WebSocket\Connection string Text
4 Tusk\WebSocket\Connection string Text
4 Tusk\WebSocket\Connection string Text
5 Tusk\WebSocket\Connection string Text
5 Tusk\WebSocket\Connection string Text
6 Tusk\WebSocket\Connection string Text
6 Tusk\WebSocket\Connection string Text
7 Tusk\WebSocket\Connection string Text int
7 Tusk\WebSocket\Connection string Text int
8 Tusk\WebSocket\Connection string Text
8 Tusk\WebSocket\Connection string Text
9 Tusk\WebSocket\Connection string Text
9 Tusk\WebSocket\Connection string Text
10 Tusk\WebSocket\Connection string Text
10 Tusk\WebSocket\Connection string Text
TypeError at once
TypeError
1011
12 is an int
TypeError at once
ValueError at once
200 a /a
200 b /b
200 c
200 e 1
