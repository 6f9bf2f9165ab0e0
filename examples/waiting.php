<?php

// Handlers that wait without holding anybody up: php examples/waiting.php 8080

declare(strict_types=1);

require __DIR__ . '/load.php';

use Tusk\{Limits, Server, Timer};
use Tusk\Http\{Request, Response};
use Tusk\WebSocket\Connection;

$server = new Server(listen: "127.0.0.1:$argv[1]", limits: new Limits(parkedHandlers: 500, slowHandlerMs: 250));
$server->get('/slow', function (Request $r): Response {
    Timer::sleep(0.2); // two hundred of these at once take 0.2 s together
    return Response::text("rested\n");
});
$server->get('/fast', fn (): Response => Response::text("at once\n"));
$server->websocket('/quiz', open: function (Connection $c): void {
    $c->send('What is six times seven?');
    foreach ($c as $answer) {
        Timer::sleep(0.05); // thinking; the next answer waits its turn
        if ($answer === '42') {
            $c->close(1000, 'right');
            return;
        }
        $c->send('no');
    }
});
$server->get('/stats', fn (): Response => Response::json($server->stats()['parked_handlers']));
$server->onListen(fn (Server $s) => print("One waits, the other does not: curl http://127.0.0.1:$s->port/slow & curl http://127.0.0.1:$s->port/fast\n"));
exit($server->run());
