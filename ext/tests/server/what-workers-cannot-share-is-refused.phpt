--TEST--
What workers could not share is refused before they are forked: a number that is none, something published, open connections; a Loopback runs in one process
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\Response;
use Tusk\Server;
use Tusk\Testing\Loopback;

foreach ([0, 65, -1] as $workers) {
    attempt(fn () => new Server('127.0.0.1:0', workers: $workers));
}
$published = new Server('127.0.0.1:0', workers: 2);
$published->publish('t', 'early');
attempt(fn () => $published->run());

$looped = new Server('127.0.0.1:0', workers: 2);
$looped->get('/', fn () => Response::text("worker " . json_encode($looped->worker()) . "\n"));
$loop = new Loopback($looped);
echo $loop->request('GET', '/')->body;
unset($loop);
attempt(fn () => $looped->run());

$other = new Server('127.0.0.1:0');
$other->websocket('/');
$connected = new Server('127.0.0.1:0', workers: 2);
$connected->get('/', fn () => Response::text(''));
talk($other, function (int $port) use ($connected): void {
    attempt(fn () => $connected->run());
});
?>
--EXPECT--
ValueError: Tusk\Server::__construct(): Argument #4 ($workers) must be between 1 and 64, 0 given
ValueError: Tusk\Server::__construct(): Argument #4 ($workers) must be between 1 and 64, 65 given
ValueError: Tusk\Server::__construct(): Argument #4 ($workers) must be between 1 and 64, -1 given
LogicException: With workers nothing can be published before run(): publish in onStart
worker null
LogicException: With workers nothing can be served before run(): a Loopback wants its own server
LogicException: Another server runs in this process already
