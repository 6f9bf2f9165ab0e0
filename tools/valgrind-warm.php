<?php

// SPDX-License-Identifier: MIT
// What most tests do, done once by tools/valgrind-door.php before it forks: valgrind's translation of that code goes to every child, and takes
// longer than the code. Nothing else stays: the module ends its part of the request and begins another, as PHP does between two.
declare(strict_types=1);

namespace Tusk\Warm;

use FFI;
use Tusk\Http\{Client, Request, Response};
use Tusk\Proxy\{Lookup, Resolver, Route, Tcp, Validation};
use Tusk\Sse\EventStream;
use Tusk\{Server, Timer};
use Tusk\WebSocket\Connection;

// The tests' own client, under other names.
eval('namespace Tusk\Warm; ?>' . str_replace('RuntimeException', '\RuntimeException', (string) file_get_contents(dirname(__DIR__) . '/ext/tests/peer.inc')));

(static function (): void {
    $play = static function (Server|Tcp $server, \Closure $client): void {
        $failed = null;
        $server->onStart(static function () use ($server, $client, &$failed): void {
            try {
                $client($server->port);
            } catch (\Throwable $failed) {
            }
            $server->stop();
            $server->stop();
        });
        $server->run();
        $failed === null || throw $failed;
    };

    $server = new Server('127.0.0.1:0');
    $server->websocket(
        '/rooms/{room}',
        subprotocols: ['v1'],
        authorize: static fn (Request $r) => $r->query('as') ?? 'ann',
        open: static fn (Connection $c) => $c->subscribe($c->params['room']),
        message: static fn (Connection $c, string $m) => $c->send($m),
    );
    $server->events('/rooms/{room}/events', static fn (EventStream $s) => $s->subscribe($s->params['room'], since: $s->lastEventId));
    $server->get('/', static fn (Request $r) => Response::text("$r->target {$r->header('x-a')} {$r->cookie('b')}"));
    $server->post('/', static fn (Request $r) => Response::json(json_decode($r->body, true)));
    $server->get('/throws', static fn () => throw new \Exception('to onError'));
    $server->onError(static fn (\Throwable $e) => $e->getMessage());
    $play($server, static function (int $port) use ($server): void {
        $peer = Peer::open($port, '/rooms/a?as=bob', ['X-A' => 'b']);
        foreach (['a', str_repeat('b', 70000)] as $text) {
            $peer->send($text);
            $peer->text();
        }
        (new Peer($port))->write("GARBAGE\r\n\r\n");
        http($port, "GET /throws HTTP/1.1\r\nHost: a\r\nConnection: close\r\nCookie: b=c\r\n\r\n");
        http($port, "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 7\r\n\r\n{\"a\":1}");
        $client = new \Tusk\WebSocket\Client("ws://127.0.0.1:$port/rooms/a", timeout: 60);
        $client->send('a');
        $client->receive(60);
        $client->close();
        (new Client())->get("http://127.0.0.1:$port/");
        $events = new \Tusk\Sse\Client("http://127.0.0.1:$port/rooms/a/events");
        until(static fn () => $events->state() === \Tusk\Sse\Client::OPEN);
        $server->publish('a', 'b');
        $events->receive(60);
        $events->close();
        $peer->goodbye();
    });

    $backend = stream_socket_server('tcp://127.0.0.1:0') ?: throw new \Exception('no backend');
    $resolver = new class (Route::to((string) stream_socket_get_name($backend, false))) implements Resolver {
        public function __construct(private Route $route) {}

        public function resolve(Lookup $lookup): Route
        {
            return $this->route;
        }
    };
    $proxy = new Tcp($resolver, '127.0.0.1:0', validation: Validation::publicOnly()->allow('127.0.0.0/8'));
    $play($proxy, static function (int $port) use ($backend): void {
        $peer = new Peer($port);
        $peer->write("a\n");
        Timer::sleep(0.01);
        fclose(stream_socket_accept($backend, 20) ?: throw new \Exception('no client'));
        $peer->readAll();
    });
})();
gc_collect_cycles();

(static function (): void {
    $php = FFI::cdef('typedef struct { unsigned short size; unsigned int api; unsigned char debug; unsigned char zts; const void *ini; const void *deps;
        const char *name; const void *functions; int (*up)(int, int); int (*down)(int, int); int (*begin)(int, int); int (*end)(int, int);
        void (*info)(void *); const char *version; size_t globals_size; void *globals; void (*ctor)(void *); void (*dtor)(void *);
        int (*ended)(void); } module; module *get_module(void);', (string) getenv('TUSK_DOOR_MODULE'));
    $module = $php->get_module();
    ($module->end)(1, 0);
    ($module->ended)();
    ($module->begin)(1, 0);
})();
