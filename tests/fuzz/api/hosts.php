<?php

declare(strict_types=1);

// Servers and proxies of the API fuzzer, and who asks them: over loopback for a moment, or in memory.

use Tusk\Http\Request;
use Tusk\Http\Response;
use Tusk\Limits;
use Tusk\Proxy;
use Tusk\Server;
use Tusk\Testing\Loopback;
use Tusk\Timer;

/** A server or a proxy with clients, for a moment. */
function serve(): void
{
    $workers = chance(8) ? 2 : 1;
    $host = match (mt_rand(0, 5)) {
        0, 1 => proxy($workers),
        2 => plain(),
        3, 4, 5 => server('127.0.0.1:0', $workers),
    };
    Rig::say('serve ' . $host::class . " with $workers");
    $host->onStart(function () use ($host): void {
        if (!$host instanceof Tusk\WebSocket\Server) {
            Rig::$port = $host->port;
        }
        for ($left = mt_rand(1, 3); $left > 0; $left--) {
            Timer::defer(request(...));
        }
        ends($host);
    });
    run($host);
}

/** With a route of each kind. */
function server(string|array $listen, int $workers = 1): Server
{
    $limits = new Limits(drainMs: 20, closeMs: 20, keepAliveMs: 50, heartbeatMs: $listen === [] ? 0 : 1, queuedBytes: pick([1000, 100000])); // in memory it would never be quiet
    $server = new Server($listen, limits: $limits, workers: $workers, trustedProxies: ['127.0.0.1'], proxyProtocol: chance(8));
    foreach (['get', 'post', 'put', 'patch', 'delete', 'options'] as $method) {
        $server->$method('/', answering());
        $server->$method('/{a}/{b*}', answering());
    }
    $server->websocket('/ws', closure(), closure(), closure(), chance(2) ? authorizing() : null, ['chat'], chance(5) ? ['http://a'] : null, chance(3) ? new Tusk\WebSocket\Deflate() : null);
    $server->websocket('/topics', said(...), opened(...), closure());
    $server->events('/events', chance(2) ? closure() : opened(...), closure(), chance(2) ? authorizing() : null);
    $server->files('/files', __DIR__);
    if (chance(2)) {
        $server->fallback(chance(3) ? fn (Request $request) => Response::json($server->allowed($request), 405) : answering(), methods: chance(2));
    }
    told_of_both_ends($server);
    return $server;
}

/** The small server of WebSocket alone. */
function plain(): Tusk\WebSocket\Server
{
    $server = new Tusk\WebSocket\Server();
    foreach (['onHandshake', 'onOpen', 'onMessage', 'onClose', 'onError'] as $on) {
        $server->$on(chance(4) ? fn () => throw new Tusk\WebSocket\HandshakeException() : closure());
    }
    $server->listen('127.0.0.1', 0);
    return $server;
}

function proxy(int $workers): object
{
    $class = pick([Proxy\Tcp::class, Proxy\Http::class, Proxy\Smtp::class]);
    $given = ['validation' => Proxy\Validation::none(), 'limits' => new Proxy\Limits(drainMs: 20), 'workers' => $workers];
    $host = new $class(new Resolver(), '127.0.0.1:0', ...$given, trustedProxies: ['127.0.0.1'], proxyProtocol: chance(6));
    $host->onAccess(closure());
    told_of_both_ends($host);
    return $host;
}

function told_of_both_ends(object $host): void
{
    $host->onListen(closure());
    $host->onStop(closure());
    $host->onError(chance(2) ? closure() : fn () => Response::text('sorry', 500));
}

/** Of a request. */
function answering(): Closure
{
    return match (mt_rand(0, 3)) {
        0 => closure(),
        1 => function (Request $request) {
            Rig::keep($request);
            array_map(Rig::keep(...), $request->files());
            act();
            [$request->form('a'), $request->file('f')?->contents(), $request->queryValues('b')];
            return ofClass(Response::class);
        },
        2 => fn () => Response::stream(chunks(), length: pick([null, 0, 1, 70000])),
        3 => fn (Request $request) => Response::json($request->json()),
    };
}

function chunks(): Generator
{
    for ($left = mt_rand(0, 4); $left > 0; $left--) {
        match (mt_rand(0, 3)) {
            0 => act(),
            1 => Timer::sleep(0.001),
            2, 3 => null,
        };
        yield chance(6) ? any(1) : text();
    }
    if (chance(6)) {
        throw new Meant('in chunks');
    }
}

function authorizing(): Closure
{
    $answer = pick([false, null, 'someone', new Text(), Response::text('no', 403), Response::stream(chunks())]);
    return chance(3) ? closure() : fn () => $answer;
}

/** Of what may subscribe. */
function opened(object $peer): mixed
{
    Rig::keep($peer);
    for ($left = mt_rand(0, 3); $left > 0; $left--) {
        $peer->subscribe(pick(['a', 'b', text()]), chance(3) ? text() : null, pick(Tusk\Overflow::cases()));
    }
    act();
    return !chance(4);
}

/** It speaks to its topics, in the midst of which who subscribes may go. */
function said(Tusk\WebSocket\Connection $peer, string $said): void
{
    $peer->publish(pick(['a', 'b']), $said);
    match (mt_rand(0, 4)) {
        0 => $peer->unsubscribe('a'),
        1 => $peer->close(1000, $said),
        2 => $peer->terminate(),
        3 => $peer->send(str_repeat($said, 100)),
        4 => act(),
    };
    $peer->publish('b', text());
}

/** Asks whoever listens now. */
function request(): void
{
    $at = '127.0.0.1:' . Rig::$port;
    try {
        match (mt_rand(0, 2)) {
            0 => Rig::keep((new Tusk\Http\Client(0.1))->request(method(), "http://$at" . target(), ...form())),
            1 => Rig::keep($client = new Tusk\WebSocket\Client("ws://$at" . pick(['/ws', '/topics']), timeout: 0.1)) ?? $client->send('x') ?? $client->receive(0.01),
            2 => Rig::keep($client = new Tusk\Sse\Client("http://$at/events")) ?? $client->receive(0.01),
        };
    } catch (Throwable $thrown) {
        told($thrown);
    }
}

/** A server in memory, asked a few times. */
function loopback(): void
{
    Rig::say('loopback');
    $server = chance(4) ? plain() : server([]);
    $loopback = new Loopback($server);
    Rig::keep($loopback);
    for ($left = mt_rand(1, 6); $left > 0; $left--) {
        try {
            ask($loopback, $server);
        } catch (Throwable $thrown) {
            told($thrown);
        }
    }
}

function ask(Loopback $loopback, object $server): void
{
    $what = mt_rand(0, 6);
    Rig::say("ask, $what");
    match ($what) {
        0, 1 => Rig::keep($loopback->request(method(), target(), ...form())),
        2 => Rig::keep($peer = $loopback->connect(pick(['/ws', '/topics', '/']), chance(4) ? ['Origin' => 'http://b'] : [], chance(3) ? ['chat'] : [])) ?? $peer->send('x') ?? $peer->receive(),
        3 => Rig::keep($peer = $loopback->events('/events', [], chance(3) ? text() : null)) ?? $peer->receive(),
        4 => Rig::keep($loopback->raw(pick(['', "PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n"]) . method() . ' ' . pick(['/', '/ws', '/a/b']) . " HTTP/1.1\r\nHost: a\r\n\r\n" . text())),
        5 => $server->publish(pick(['a', 'b']), text()),
        6 => $loopback->settle(seconds()),
    };
}

function method(): string
{
    return pick(['GET', 'GET', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'BREW', text()]);
}

function target(): string
{
    return pick(['/', '/a/b', '/a/b/c?b=1&b=%00&x[]=2', '/?a', '/gone', '/ws', '/events', '/files/rig.php', '/files/..', text()]);
}

/** @return array{headers: array<mixed>, body: string} */
function form(): array
{
    return pick([
        ['headers' => [], 'body' => ''],
        ['headers' => several(1), 'body' => text()],
        ['headers' => ['Content-Type' => 'application/json'], 'body' => pick(['{"a":[1,{"b":null}]}', '[', '"' . text() . '"'])],
        ['headers' => ['Content-Type' => 'application/x-www-form-urlencoded'], 'body' => 'a=1&a=2&b[]=%ff'],
        ['headers' => ['Content-Type' => 'multipart/form-data; boundary=x'], 'body' => "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"n\"\r\n\r\n" . text() . "\r\n--x--\r\n"],
    ]);
}
