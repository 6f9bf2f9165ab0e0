--TEST--
An exception or exit() in any handler, at once or after a wait, costs its own connection or request; everybody else is served on
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};
use Tusk\Http\{Request, Response};
use Tusk\Sse\EventStream;
use Tusk\WebSocket\Connection;

/** In the handler that is meant: the fault that is meant. */
function strike(string $handler): void
{
    global $meant;
    if ($handler === $meant['handler']) {
        $meant['handler'] = 'done';
        if ($meant['waits']) {
            Timer::sleep(0.001);
        }
        match ($meant['fault']) { 'throw' => throw new DomainException($handler), 'error' => strlen(), 'exit' => exit(3) };
    }
}

final class Falls
{
    public function __destruct()
    {
        strike('destructor');
    }
}

$meant = ['handler' => 'none'];
$errors = [];
$server = new Server('127.0.0.1:0');
$server->onError(function (Throwable $e) use (&$errors): void { $errors[] = get_class($e); strike('onError'); });
$server->websocket('/ws', authorize: function () { strike('authorize'); return true; },
    open: function (Connection $c): void { $c->state = new Falls(); strike('open'); },
    message: function (Connection $c, string $m): void { strike('message'); $c->send($m); },
    close: fn () => strike('close'));
$server->websocket('/foreach', open: function (Connection $c): void {
    foreach ($c as $m) {
        strike('foreach');
        $c->send($m);
    }
});
$server->events('/events', authorize: function () { strike('authorize of events'); return true; },
    open: function (EventStream $s): void { $s->send('first'); strike('open of events'); },
    close: fn () => strike('close of events'));
$server->get('/', function (Request $r): Response { strike('request'); return Response::text('alive'); });
$server->get('/stream', fn () => Response::stream((function () { yield 'some'; strike('stream'); yield 'thing'; })()));
$server->get('/timer', function (): Response {
    $times = 0;
    Timer::defer(fn () => strike('timer, deferred'));
    Timer::delay(0.001, fn () => strike('timer, delayed'));
    $id = Timer::repeat(0.001, function () use (&$times): void { $times++; strike('timer, repeated'); });
    until(function () use (&$times): bool { return $times >= 3; }, 'the timer to go on');
    Timer::cancel($id);
    return Response::text('timers ran');
});

$ws = function (int $port): string {
    $peer = Peer::open($port, '/ws');
    if ($peer->status() !== 101) {
        return (string) $peer->status();
    }
    $peer->send('hello');
    $text = $peer->text();
    $peer->goodbye();
    return $text;
};
/** An event stream: to its end, or until its first event came. */
$sse = fn (bool $toTheEnd) => function (int $port) use ($toTheEnd): string {
    $peer = new Peer($port);
    $peer->write("GET /events HTTP/1.1\r\nHost: h\r\n\r\n");
    $status = substr($peer->readHead(), 9, 3);
    if ($status !== '200') {
        return $status;
    }
    while (($toTheEnd || !str_contains($peer->in, 'first')) && $peer->fill());
    return feof($peer->stream) ? 'ended' : 'left by the client';
};
$get = fn (string $path) => function (int $port) use ($path): string {
    $answer = http($port, "GET $path HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    [$head, $body] = explode("\r\n\r\n", $answer, 2) + ['', ''];
    return substr($head, 9, 3) . ' ' . json_encode(preg_match('/chunked/', $head) ? $body : strtok($body, "\n"));
};
$handlers = ['authorize' => $ws, 'open' => $ws, 'message' => $ws, 'close' => $ws, 'destructor' => $ws,
    'foreach' => function (int $port): string {
        $peer = Peer::open($port, '/foreach');
        $peer->send('hello');
        $text = $peer->text();
        $peer->goodbye();
        return $text;
    },
    'authorize of events' => $sse(true), 'open of events' => $sse(true), 'close of events' => $sse(false), 'request' => $get('/'), 'stream' => $get('/stream'),
    'timer, deferred' => $get('/timer'), 'timer, delayed' => $get('/timer'), 'timer, repeated' => $get('/timer')];
talk($server, function (int $port) use ($server, $handlers, &$meant, &$errors, $get): void {
    $bystander = Peer::open($port, '/ws');
    foreach ($handlers as $handler => $client) {
        foreach (['throw', 'error', 'exit'] as $fault) {
            $seen = [];
            foreach ([false, true] as $waits) {
                $meant = ['handler' => $handler, 'fault' => $fault, 'waits' => $waits];
                $errors = [];
                $result = $client($port, $server);
                until(function () use ($server, &$meant): bool {
                    $stats = $server->stats();
                    return $meant['handler'] === 'done' && $stats['connections_open'] === 1 && $stats['parked_handlers'] === 0;
                }, "$handler $fault to be over");
                $seen[] = $result . ($errors === [] ? '' : ', ' . implode(' ', $errors));
                $bystander->send('on');
                if ($bystander->text() !== 'on' || $get('/')($port) !== '200 "alive"') {
                    echo "$handler, $fault: somebody else was harmed\n";
                }
            }
            echo "$handler, $fault: ", implode(' | after a wait: ', array_unique($seen)), "\n";
        }
    }
});
?>
--EXPECT--
authorize, throw: 500, DomainException
authorize, error: 500, ArgumentCountError
authorize, exit: 500
open, throw: (close 1011 ), DomainException
open, error: (close 1011 ), ArgumentCountError
open, exit: (close 1011 )
message, throw: (close 1011 ), DomainException
message, error: (close 1011 ), ArgumentCountError
message, exit: (close 1011 )
close, throw: hello, DomainException
close, error: hello, ArgumentCountError
close, exit: hello
destructor, throw: hello, DomainException
destructor, error: hello, ArgumentCountError
destructor, exit: hello
foreach, throw: (close 1011 ), DomainException
foreach, error: (close 1011 ), ArgumentCountError
foreach, exit: (close 1011 )
authorize of events, throw: 500, DomainException
authorize of events, error: 500, ArgumentCountError
authorize of events, exit: 500
open of events, throw: ended, DomainException
open of events, error: ended, ArgumentCountError
open of events, exit: ended
close of events, throw: left by the client, DomainException
close of events, error: left by the client, ArgumentCountError
close of events, exit: left by the client
request, throw: 500 "500 Internal Server Error", DomainException
request, error: 500 "500 Internal Server Error", ArgumentCountError
request, exit: 500 "500 Internal Server Error"
stream, throw: 200 "4\r\nsome\r\n", DomainException
stream, error: 200 "4\r\nsome\r\n", ArgumentCountError
stream, exit: 200 "4\r\nsome\r\n"
timer, deferred, throw: 200 "timers ran", DomainException
timer, deferred, error: 200 "timers ran", ArgumentCountError
timer, deferred, exit: 200 "timers ran"
timer, delayed, throw: 200 "timers ran", DomainException
timer, delayed, error: 200 "timers ran", ArgumentCountError
timer, delayed, exit: 200 "timers ran"
timer, repeated, throw: 200 "timers ran", DomainException
timer, repeated, error: 200 "timers ran", ArgumentCountError
timer, repeated, exit: 200 "timers ran"
