--TEST--
A stream of a Loopback that the server ends is closed by its client, as by a browser: its close handler is called, and what was sent can still be received
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Server;
use Tusk\Sse\EventStream;
use Tusk\Testing\Loopback;

$server = new Server();
$server->events('/{how}', function (EventStream $stream) use ($server): mixed {
    $stream->subscribe('news');
    $stream->send('last words');
    match ($stream->params['how']) {
        'close' => $stream->close(),
        'throw' => throw new DomainException('fails'),
        default => null,
    };
    return $stream->params['how'] !== 'false';
}, fn (EventStream $stream) => print("closed\n"));
$loopback = new Loopback($server);
foreach (['close', 'throw', 'false'] as $how) {
    $stream = $loopback->events("/$how");
    $loopback->settle();
    var_dump($stream->receive()?->data, $stream->receive(), $stream->isOpen());
    $stream->close();
    echo $how, ': ', $server->subscribers('news'), ' subscribe, ', $server->stats()['connections_open'], " are open\n";
}
?>
--EXPECT--
closed
string(10) "last words"
NULL
bool(false)
close: 0 subscribe, 0 are open
closed
string(10) "last words"
NULL
bool(false)
throw: 0 subscribe, 0 are open
closed
string(10) "last words"
NULL
bool(false)
false: 0 subscribe, 0 are open
