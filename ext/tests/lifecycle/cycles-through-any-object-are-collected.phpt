--TEST--
Cycles through servers, connections, iterators, responses and loopbacks are collected; what a live session holds is not
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};
use Tusk\Http\{Request, Response};
use Tusk\Testing\Loopback;
use Tusk\WebSocket\Connection;

final class Node
{
    public array $held = [];

    public function hold(mixed ...$values): static
    {
        array_push($this->held, ...$values);
        return $this;
    }
}

/** Makes what $make says, lets go of it, and tells whether the collector finds it. */
function cycle(string $name, callable $make): void
{
    $weak = WeakReference::create($make(new Node()));
    gc_collect_cycles();
    echo $name, ': ', $weak->get() === null ? 'collected' : 'still there', "\n";
}

function server(mixed ...$held): Server
{
    $server = new Server('127.0.0.1:0');
    $server->websocket('/', message: fn (Connection $c, string $m) => $held);
    return $server;
}

cycle('closure of a server', fn (Node $n) => $n->hold(server($n)));
cycle('closure of the compatible server', function (Node $n) {
    $server = new Tusk\WebSocket\Server();
    foreach (['onHandshake', 'onOpen', 'onMessage', 'onClose', 'onError', 'onStart'] as $on) {
        $server->$on(fn () => $n);
    }
    return $n->hold($server);
});
cycle('a streamed response', fn (Node $n) => $n->hold(Response::stream((fn () => yield $n)())));
cycle('a loopback', fn (Node $n) => $n->hold(new Loopback(server($n))));
cycle('a loopback\'s client', fn (Node $n) => $n->hold((new Loopback(server($n)))->connect('/')));
cycle('state of a connection whose server rests', function (Node $n) {
    $server = new Server('127.0.0.1:0');
    $server->websocket('/', open: function (Connection $c) use ($n) { $c->state = $n; });
    $client = (new Loopback($server))->connect('/');
    return $n->hold($server, $client);
});
cycle('a timer that was cancelled', function (Node $n) {
    $id = Timer::delay(60, fn () => $n);
    Timer::cancel($id);
    return $n->hold($n);
});

$weak = [];
$server = new Server('127.0.0.1:0');
$server->websocket('/state', open: function (Connection $c) use (&$weak): void {
    $c->state = (new Node())->hold($c);
    $weak['state'] = WeakReference::create($c->state);
}, message: fn (Connection $c) => $c->send(get_debug_type($c->state)));
$server->websocket('/iterated', authorize: fn (Request $r) => new Node(), open: function (Connection $c) use (&$weak): void {
    $weak['iterated'] = WeakReference::create($c->identity->hold($c->getIterator(), $c));
    foreach ($c->identity->held[0] as $data) {
        $c->send("$data came");
    }
});
talk($server, function (int $port) use (&$weak): void {
    $state = Peer::open($port, '/state');
    $parked = Peer::open($port, '/iterated');
    until(fn () => count($weak) === 2);
    gc_collect_cycles();
    $state->send('?');
    $parked->send('one');
    echo $state->text(), ', ', $parked->text(), "\n";
    gc_collect_cycles();
    $state->send('?');
    $parked->send('two');
    echo $state->text(), ', ', $parked->text(), "\n";
    foreach ([$state, $parked] as $peer) {
        $peer->goodbye();
    }
    until(function () use (&$weak) {
        gc_collect_cycles();
        return array_filter($weak, fn ($w) => $w->get() !== null) === [];
    }, 'what the closed connections held');
    echo "after their end: collected\n";
});
?>
--EXPECT--
closure of a server: collected
closure of the compatible server: collected
a streamed response: collected
a loopback: collected
a loopback's client: collected
state of a connection whose server rests: collected
a timer that was cancelled: collected
Node, one came
Node, two came
after their end: collected
