<?php

declare(strict_types=1);

// What stays open through the HTTP proxy: WebSockets, event streams, uploads; over TLS on both sides.

namespace Tusk\E2e;

use function Tusk\Tests\free_port;

return static function (Suite $s): void {
    foreach (['Copy', 'Splice', 'Uring'] as $engine) {
        $s->test("proxy: WebSockets to nginx through the HTTP proxy, relayed by the engine $engine", static function () use ($engine): void {
            $server = new Script(<<<'PHP'
                $server = new Server('127.0.0.1:0');
                $server->onStart($started);
                $server->websocket('/ws', message: fn (Connection $c, string $m, MessageType $t) => $c->send("echo $m", $t));
                exit($server->run());
                PHP);
            $port = free_port(); // passes everything on, upgrades too, as nginx's documentation shows
            $nginx = nginx("map \$http_upgrade \$connection_upgrade { default upgrade; '' close; }\nserver { listen 127.0.0.1:$port; location / {\n"
                . "proxy_pass http://127.0.0.1:$server->port; proxy_http_version 1.1; proxy_set_header Upgrade \$http_upgrade; proxy_set_header Connection \$connection_upgrade; } }", $port);
            $proxy = proxy(
                "new HttpProxy(\$resolver, '127.0.0.1:0', validation: \$validation, engine: Engine::$engine);\n"
                    . '$proxy->onAccess(function (Access $a): void { echo "$a->status $a->engine $a->path $a->bytesUp $a->bytesDown $a->end;\n"; })',
                "'127.0.0.1:$port'",
            );
            $ws = (new Peer("tcp://127.0.0.1:$proxy->port"))->upgrade('/ws');
            $ws->send('hello');
            $ws->expectText('echo hello');
            $large = str_repeat('x', 3 << 20);
            $ws->send($large);
            $ws->expectText("echo $large");
            $ws->write(Peer::frame(pack('n', 1000), 8));
            $ws->expectClose(1000);
            expect($ws->rest() === '', 'the end after the Close frame');
            $ws->close();
            await(static fn (): bool => preg_match('~^101 (\w+) /ws (\d+) (\d+) done;$~m', $proxy->log(), $m) === 1 && (int) $m[2] > 3 << 20 && (int) $m[3] > 3 << 20
                && ($m[1] === strtolower($engine) || ($engine === 'Uring' && $m[1] === 'copy')), 'one record, with what went through: ' . substr($proxy->log(), -300));
            expect($proxy->stop() === 0, 'exit code');
            unset($nginx);
        });
    }

    $s->test('proxy: WebSocket and SSE of a Tusk server through the HTTP proxy, with TLS on both sides', static function (): void {
        $pair = Certificates::of('example.org');
        $ca = Certificates::ca() . '.pem';
        $server = new Script(<<<PHP
            \$server = new Server('127.0.0.1:0', tls: new Tls('$pair.pem', '$pair.key'), trustedProxies: ['127.0.0.1']);
            PHP . <<<'PHP'

            $server->onStart($started);
            $server->get('/who', fn (Request $r) => Response::text('who=' . $r->header('x-forwarded-for') . ' ' . $r->header('x-forwarded-proto') . ' ' . $r->header('x-forwarded-host') . ';'));
            $server->websocket('/ws', message: fn (Connection $c, string $m, MessageType $t) => $c->send("echo $m", $t));
            $server->events('/events', fn (EventStream $e) => $e->subscribe('news'));
            $server->post('/publish', fn (Request $r) => Response::text((string) $server->publish('news', $r->body)));
            exit($server->run());
            PHP);
        $proxy = proxy(
            "new HttpProxy(\$resolver, '127.0.0.1:0', validation: \$validation, tls: new Tls('$pair.pem', '$pair.key'), "
                . "upstream: new UpstreamTls(ca: '$ca', name: 'example.org'))",
            "\$lookup->serverName === 'example.org' ? '127.0.0.1:$server->port' : null",
        );
        $peer = static fn (): Peer => new Peer("ssl://127.0.0.1:$proxy->port", ['cafile' => $ca, 'peer_name' => 'example.org']);
        $web = $peer();
        for ($i = 0; $i < 3; $i++) {
            $web->write("GET /who HTTP/1.1\r\nHost: example.org\r\nX-Forwarded-For: 203.0.113.$i\r\n\r\n");
            $web->until('who=127.0.0.1 https example.org;');
        }
        $ws = $peer()->upgrade('/ws');
        $ws->send('hello');
        $ws->expectText('echo hello');
        $large = str_repeat('x', 1 << 20);
        $ws->send($large);
        $ws->expectText("echo $large");
        $sse = $peer();
        $sse->write("GET /events HTTP/1.1\r\nHost: example.org\r\nAccept: text/event-stream\r\n\r\n");
        $sse->until("\r\n\r\n");
        foreach (['first', 'second'] as $news) {
            $web->write("POST /publish HTTP/1.1\r\nHost: example.org\r\nContent-Length: " . strlen($news) . "\r\n\r\n$news");
            $web->until("\r\n\r\n");
            $sse->until("data: $news\n"); /* at once, not when the stream ends */
        }
        $ws->write(Peer::frame(pack('n', 1000), 8));
        $ws->expectClose(1000);
        expect($ws->rest() === '', 'the end after the Close frame');
        $web->close();
        $proxy->signal(SIGTERM);
        await(static fn (): bool => @stream_socket_client("tcp://127.0.0.1:$proxy->port") === false, 'it accepts no more');
        $web = new Peer("ssl://127.0.0.1:$server->port", ['cafile' => $ca, 'peer_name' => 'example.org']);
        $web->write("POST /publish HTTP/1.1\r\nHost: example.org\r\nContent-Length: 4\r\n\r\nlast");
        $sse->until("data: last\n"); /* streams go on while it drains, */
        expect($proxy->stop() === 0, 'exit code'); /* and end at a second signal */
    });

    $s->test('proxy: curl uploads through the HTTP proxy, refused early and taken whole', static function (): void {
        needs('curl');
        $server = new Script(<<<'PHP'
            $server = new Server('127.0.0.1:0', limits: new Limits(bodyBytes: 8 << 20));
            $server->onStart($started);
            $server->put('/up', fn (Request $r) => Response::text(md5($r->body) . "\n"));
            exit($server->run());
            PHP);
        $proxy = proxy("new HttpProxy(\$resolver, '127.0.0.1:0', validation: \$validation)", "'127.0.0.1:$server->port'");
        $folder = folder();
        $url = "http://127.0.0.1:$proxy->port/up";
        file_put_contents("$folder/up", random_bytes(5 << 20));
        [$status, $text] = command("curl -s -T $folder/up $url");
        expect([$status, trim($text)] === [0, md5_file("$folder/up")], "with a length: $text");
        [$status, $text] = command("curl -s -H 'Transfer-Encoding: chunked' -H 'Expect:' -T $folder/up $url");
        expect([$status, trim($text)] === [0, md5_file("$folder/up")], "in chunks: $text");
        [$status, $text] = command("curl -s -H 'Expect: 100-continue' -T $folder/up $url");
        expect([$status, trim($text)] === [0, md5_file("$folder/up")], "after 100 (Continue): $text");
        file_put_contents("$folder/more", str_repeat('x', 20 << 20));
        [$status, $text] = command("curl -s -o /dev/null -w '%{http_code}' -H 'Expect:' -T $folder/more $url");
        expect($text === '413', "an early answer: $text");
        expect($proxy->stop() === 0, 'exit code');
    });
};
