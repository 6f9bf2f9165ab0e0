<?php

declare(strict_types=1);

// nginx in front, with the very block that docs/guide/deployment.md shows.

namespace Tusk\E2e;

use function Tusk\Tests\free_port;

return static function (Suite $s): void {
    $s->test('nginx: HTTP, WebSocket and SSE through the configuration of the guide', static function (): void {
        $guide = (string) file_get_contents(dirname(__DIR__, 3) . '/docs/guide/deployment.md');
        expect(preg_match('/<!-- nginx -->\s*```nginx\n(.*?)```/s', $guide, $block) === 1, 'the guide shows no block');
        $here = new Script(<<<'PHP'
            $server = new Server('127.0.0.1:0', trustedProxies: ['127.0.0.1']);
            $server->onStart($started);
            $server->get('/who', fn (Request $r) => Response::text("who=$r->remoteAddress;"));
            $server->get('/host', fn (Request $r) => Response::text("host={$r->header('host')};"));
            $server->websocket('/ws', message: fn (Connection $c, string $m, MessageType $t) => $c->send("$c->remoteAddress $m", $t));
            $server->events('/events', fn (EventStream $e) => $e->subscribe('news'));
            $server->post('/publish', fn (Request $r) => Response::text((string) $server->publish('news', $r->body)));
            $server->get('/stats', fn () => Response::json($server->stats()));
            exit($server->run());
            PHP);
        $port = free_port();
        $pair = Certificates::of('example.org');
        $site = str_replace(
            ['127.0.0.1:8080', 'listen 443 ssl', '/etc/nginx/cert.pem', '/etc/nginx/key.pem'],
            ["127.0.0.1:$here->port", "listen 127.0.0.1:$port ssl", "$pair.pem", "$pair.key"],
            $block[1],
        );
        $nginx = nginx($site, $port);
        $peer = static fn (): Peer => new Peer("ssl://127.0.0.1:$port", ['cafile' => Certificates::ca() . '.pem', 'peer_name' => 'example.org']);
        $web = $peer();
        for ($i = 0; $i < 3; $i++) { /* kept connections on both sides */
            $web->write("GET /who HTTP/1.1\r\nHost: example.org\r\nX-Forwarded-For: 203.0.113.$i\r\n\r\n");
            $web->until("who=203.0.113.$i;");
        }
        $web->write("GET /host HTTP/1.1\r\nHost: example.org:$port\r\n\r\n");
        $web->until("host=example.org:$port;"); /* what Origin is compared with */
        $ws = $peer()->upgrade('/ws', "X-Forwarded-For: 203.0.113.77\r\n");
        $ws->send('hello');
        $ws->expectText('203.0.113.77 hello');
        $large = str_repeat('x', 1 << 20);
        $ws->send($large);
        $ws->expectText("203.0.113.77 $large");
        $events = $peer();
        $events->write("GET /events HTTP/1.1\r\nHost: example.org\r\nAccept: text/event-stream\r\n\r\n");
        contains($events->until("\r\n\r\n"), 'text/event-stream');
        $web->write("POST /publish HTTP/1.1\r\nHost: example.org\r\nContent-Length: 5\r\n\r\nfresh");
        $events->until('data: fresh'); /* nothing comes behind it: what holds events back would hold it for good */
        $ws->write(Peer::frame("\x03\xe8", 8));
        $ws->expectClose(1000);
        $events->close();
        await(static fn (): bool => ($now = $here->stats())['streams_open'] === 0 && $now['websockets_open'] === 0, 'the ends of clients reach us');
        unset($nginx);
    });
};
