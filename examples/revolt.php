<?php

// amphp in a Tusk server: php examples/revolt.php 8080. It needs Composer's revolt/event-loop and amphp/socket (or any other library of amphp), which a
// checkout has in php/vendor.

declare(strict_types=1);

require __DIR__ . '/load.php';
require dirname(__DIR__) . '/php/vendor/autoload.php';

use Amp\{ByteStream, CancelledException, Socket, TimeoutCancellation};
use Revolt\EventLoop;
use Tusk\Bridge\Revolt\Driver;
use Tusk\Http\Response;
use Tusk\Server;

use function Amp\{async, delay};
use function Amp\Future\await;

EventLoop::setDriver(new Driver()); // before anything of amphp is used

$server = new Server(listen: "127.0.0.1:$argv[1]");
$server->get('/fast', fn (): Response => Response::text("at once\n"));
$server->get('/both', function () use ($server): Response {
    $bodies = await([ // side by side; others are served meanwhile
        async(fetch(...), $server->port, '/fast'),
        async(function (): string {
            delay(0.2);

            return "rested\n";
        }),
    ]);

    return Response::text(implode('', $bodies));
});
$server->get('/late', function (): Response {
    try {
        async(fn () => delay(60))->await(new TimeoutCancellation(0.1));
    } catch (CancelledException) {
        return Response::text("that took too long\n", 504);
    }

    return Response::text("in time\n");
});

function fetch(int $port, string $path): string
{
    $socket = Socket\connect("tcp://127.0.0.1:$port");
    $socket->write("GET $path HTTP/1.0\r\n\r\n");

    return explode("\r\n\r\n", ByteStream\buffer($socket), 2)[1];
}

$server->onListen(fn (Server $s) => print("amphp answers: curl http://127.0.0.1:$s->port/both\n"));
exit($server->run());
