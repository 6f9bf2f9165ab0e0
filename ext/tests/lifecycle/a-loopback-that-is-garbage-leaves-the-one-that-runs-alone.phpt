--TEST--
A server that its own handlers hold is garbage once its Loopback is let go; where the collector finds it inside a handler of another one, its connections are closed and the other one goes on
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};
use Tusk\Testing\Loopback;
use Tusk\WebSocket\Connection;

/** As a test case has it, whose handlers use the server. */
function served(string $class, ?Closure $open = null, bool $waits = false): array
{
    $server = new $class();
    $close = fn () => print("closed of {$server->stats()['websockets_total']}\n"); // the cycle
    $message = function (Connection $c, string $text) use ($waits): void {
        $waits && Timer::sleep(100);
        $c->send($text);
    };
    if ($server instanceof Server) {
        $server->websocket('/', $message, $open, $close);
    } else {
        $server->onMessage($message);
        $server->onClose($close);
    }
    return [$server, new Loopback($server)];
}

foreach ([Server::class => false, Tusk\WebSocket\Server::class => false, 'one of whose handlers waits' => true] as $what => $waits) {
    [$server, $loopback] = served($waits ? Server::class : $what, waits: $waits);
    $client = $loopback->connect('/');
    if ($waits) {
        $held = [$loopback, $client];
        $held[] = &$held; // the collector finds them with a handler that waits
        $client->send('wait');
    }
    $gone = WeakReference::create($server);
    unset($server, $loopback, $client, $held);
    echo $what, ': ', $gone->get() === null ? 'gone' : 'there', "\n";

    [, $other] = served(Server::class, function () use ($gone): void {
        gc_collect_cycles(); // or ten thousand objects
    });
    $clients = [$other->connect('/'), $other->connect('/')];
    $clients[0]->send('goes on');
    echo $clients[0]->receive(), "\n";
    $other->settle();
    gc_collect_cycles();
    echo $gone->get() === null ? 'gone' : 'there', "\n";
    unset($other, $clients);
    gc_collect_cycles();
}
?>
--EXPECT--
Tusk\Server: there
closed of 1
goes on
gone
Tusk\WebSocket\Server: there
closed of 1
goes on
gone
one of whose handlers waits: there
closed of 1
goes on
gone
