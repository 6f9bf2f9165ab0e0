<?php

declare(strict_types=1);

// RFC 6455, section 4.1: what the client must send, and which answers it must not take.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    $s->client('6455.4.1/request', 'the request has all it must have, once', static function (Wire $wire, ClientRequest $request, int $port): void {
        $request->check($port);
        $request->session($wire, null)->closeWith(1000);
    });
    $s->client('6455.4.1/offer', 'an offer of permessage-deflate is well-formed', static function (Wire $wire, ClientRequest $request): void {
        Extensions::parse($request->header('sec-websocket-extensions') ?? '');
        $request->session($wire, null)->closeWith(1000);
    });
    /** @param \Closure(ClientRequest): string $answer */
    $takes = static fn (string $id, string $title, \Closure $answer, int $chop = 0): Script
        => $s->client("6455.4.1/$id", $title, static function (Wire $wire, ClientRequest $request) use ($answer, $chop): void {
            $wire->chop = $chop;
            $wire->write($answer($request));
            $session = new Session($wire, true);
            $session->send([text('hello')]);
            $session->expect(Frame::TEXT, 'hello');
            $session->closeWith(1000);
        });
    /** The client must fail the connection: it ends, and no frame comes but perhaps a Close. */
    $refuses = static fn (string $id, string $title, \Closure $answer): Script
        => $s->client("6455.4.1/$id", $title, static function (Wire $wire, ClientRequest $request) use ($answer): void {
            $session = new Session($wire, true);
            $wire->write($answer($request) . text('secret')->encode(false));
            Expect::that($wire->readToEnd(8.0), 'the client went on with it');
            if ($wire->in !== '') {
                Expect::same(Frame::CLOSE, $session->frame()->opcode, 'opcode of what the client sent');
            }
        });

    $takes('plain', 'the plain answer', static fn (ClientRequest $r): string => $r->answer());
    $takes('chopped', 'the answer byte by byte', static fn (ClientRequest $r): string => $r->answer(), 1);
    $takes('upgrade-case', 'Upgrade: WebSocket', static fn (ClientRequest $r): string => $r->answer(['Upgrade' => 'WebSocket']));
    $takes('connection-case', 'Connection: uPGRADE', static fn (ClientRequest $r): string => $r->answer(['Connection' => 'uPGRADE']));
    $takes('connection-list', 'Connection: keep-alive, Upgrade', static fn (ClientRequest $r): string => $r->answer(['Connection' => 'keep-alive, Upgrade']));
    $takes('names-lower', 'header names in lower case', static fn (ClientRequest $r): string => preg_replace_callback('/^[A-Za-z-]+:/m', static fn (array $m): string => strtolower($m[0]), $r->answer()) ?? '');
    $takes('reason', 'another reason phrase', static fn (ClientRequest $r): string => $r->answer(line: 'HTTP/1.1 101 Welcome in'));
    $takes('interim', 'interim answers before it (9110, 15.2)', static fn (ClientRequest $r): string => "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n" . $r->answer());
    $takes('no-reason', 'an empty reason phrase', static fn (ClientRequest $r): string => $r->answer(line: 'HTTP/1.1 101 '));
    $takes('white-space', 'white space around the accept value', static fn (ClientRequest $r): string => $r->answer(['Sec-WebSocket-Accept' => '  ' . Upgrade::accept($r->key()) . "\t "]));
    $takes('unknown-headers', 'unknown headers', static fn (ClientRequest $r): string => $r->answer(['X-A' => 'b', 'Server' => 'x', 'Date' => 'now']));
    $takes('set-cookie-twice', 'Set-Cookie twice', static fn (ClientRequest $r): string => $r->answer(['Set-Cookie' => ['a=b', 'c=d']]));
    $s->client('6455.4.1/frames-with-answer', 'frames in the segment of the answer are not lost', static function (Wire $wire, ClientRequest $request): void {
        $session = new Session($wire, true);
        $wire->write($request->answer() . $session->encode([text('one'), ping('p'), text('two')]));
        $got = [];
        foreach ([1, 2, 3] as $ignored) {
            $got[] = $session->frame()->payload;
        }
        sort($got);
        Expect::same(['one', 'p', 'two'], $got, 'answers');
        $session->closeWith(1000);
    });

    foreach ([100, 200, 201, 204, 301, 302, 400, 401, 403, 404, 426, 429, 500, 503] as $status) {
        $refuses("status-$status", "status $status is no upgrade", static fn (ClientRequest $r): string => $r->answer(line: "HTTP/1.1 $status Whatever"));
    }
    $refuses('status-1010', 'a status of four digits', static fn (ClientRequest $r): string => $r->answer(line: 'HTTP/1.1 1010 X'));
    $refuses('status-10', 'a status of two digits', static fn (ClientRequest $r): string => $r->answer(line: 'HTTP/1.1 10 X'));
    $refuses('http-1.0', 'an answer of HTTP/1.0', static fn (ClientRequest $r): string => $r->answer(line: 'HTTP/1.0 101 X'))->strict();
    $refuses('http-2.0', 'an answer of HTTP/2.0', static fn (ClientRequest $r): string => $r->answer(line: 'HTTP/2.0 101 X'))->strict();
    $refuses('not-http', 'an answer that is no HTTP', static fn (): string => "SSH-2.0-x\r\n\r\n");
    $refuses('noise', 'an answer of noise', static fn (): string => noise(300) . "\r\n\r\n");
    foreach (['Upgrade', 'Connection', 'Sec-WebSocket-Accept'] as $name) {
        $refuses('no-' . strtolower($name), "an answer without $name", static fn (ClientRequest $r): string => $r->answer([$name => null]));
        $refuses('empty-' . strtolower($name), "an answer with an empty $name", static fn (ClientRequest $r): string => $r->answer([$name => '']));
    }
    $refuses('upgrade-other', 'Upgrade: h2c', static fn (ClientRequest $r): string => $r->answer(['Upgrade' => 'h2c']));
    $refuses('upgrade-prefix', 'Upgrade: websockets', static fn (ClientRequest $r): string => $r->answer(['Upgrade' => 'websockets']));
    $refuses('connection-close', 'Connection: close', static fn (ClientRequest $r): string => $r->answer(['Connection' => 'close']));
    $refuses('connection-prefix', 'Connection: upgrades', static fn (ClientRequest $r): string => $r->answer(['Connection' => 'upgrades']));
    $accept = [
        'of-other-key' => static fn (string $a): string => Upgrade::ACCEPT, 'reversed' => strrev(...), 'lower' => strtolower(...), 'cut' => static fn (string $a): string => substr($a, 0, -1),
        'longer' => static fn (string $a): string => "$a=", 'quoted' => static fn (string $a): string => "\"$a\"", 'hex' => static fn (string $a): string => bin2hex((string) base64_decode($a, true)),
        'one-bit' => static function (string $a): string {
            $a[0] = $a[0] === 'A' ? 'B' : 'A';
            return $a;
        },
    ];
    foreach ($accept as $name => $change) {
        $refuses("accept-$name", "a wrong accept value ($name)", static fn (ClientRequest $r): string => $r->answer(['Sec-WebSocket-Accept' => $change(Upgrade::accept($r->key()))]));
    }
    $refuses('accept-is-key', 'the key itself as accept value', static fn (ClientRequest $r): string => $r->answer(['Sec-WebSocket-Accept' => $r->key()]));
    $refuses('accept-twice', 'a right and a wrong accept value', static fn (ClientRequest $r): string => $r->answer(['Sec-WebSocket-Accept' => [Upgrade::accept($r->key()), 'x']]));
    $refuses('subprotocol', 'a subprotocol that was not asked for', static fn (ClientRequest $r): string => $r->answer(['Sec-WebSocket-Protocol' => 'chat']));
    $refuses('extension', 'an extension that was not offered', static fn (ClientRequest $r): string => $r->answer(['Sec-WebSocket-Extensions' => 'x-unknown']));
    $refuses('extension-twice', 'permessage-deflate twice', static fn (ClientRequest $r): string => $r->answer(['Sec-WebSocket-Extensions' => 'permessage-deflate, permessage-deflate']));
    $bad = [
        'unknown' => 'foo', 'server-window-7' => 'server_max_window_bits=7', 'server-window-16' => 'server_max_window_bits=16', 'server-window-none' => 'server_max_window_bits',
        'server-window-text' => 'server_max_window_bits=x', 'server-window-zero' => 'server_max_window_bits=09', 'client-window-7' => 'client_max_window_bits=7', 'client-window-16' => 'client_max_window_bits=16',
        'client-window-none' => 'client_max_window_bits', 'takeover-value' => 'server_no_context_takeover=1', 'twice' => 'server_no_context_takeover; server_no_context_takeover',
        'window-twice' => 'server_max_window_bits=10; server_max_window_bits=11',
    ];
    foreach ($bad as $name => $parameters) {
        $refuses("deflate-$name", "permessage-deflate with a parameter that must not be ($parameters)", static fn (ClientRequest $r): string => $r->answer(['Sec-WebSocket-Extensions' => "permessage-deflate; $parameters"]));
    }
    $refuses('folded', 'obs-fold in the answer', static fn (ClientRequest $r): string => $r->answer(['X-A' => "a\r\n b"]))->strict();
    $refuses('space-before-colon', 'a space before the colon', static fn (ClientRequest $r): string => str_replace('Upgrade:', 'Upgrade :', $r->answer()))->strict();
    $refuses('nul', 'NUL in a value', static fn (ClientRequest $r): string => $r->answer(['X-A' => "a\0b"]))->strict();
    $refuses('head-too-large', 'an answer with a header of 1 MiB', static fn (ClientRequest $r): string => $r->answer(['X-A' => str_repeat('a', 1 << 20)]))->strict();
    $s->client('6455.4.1/closed', 'a connection closed without an answer', static function (Wire $wire): void {
        $wire->close();
    });
    $s->client('6455.4.1/half-answer', 'half an answer and the end', static function (Wire $wire, ClientRequest $request): void {
        $wire->write(substr($request->answer(), 0, 40));
        $wire->halfClose();
        Expect::that($wire->readToEnd(8.0), 'the client waits on');
    });
    $s->client('6455.4.1/redirect', 'a redirect is not an upgrade, and not followed without being told', static function (Wire $wire): void {
        $wire->write("HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        $wire->halfClose();
        Expect::that($wire->readToEnd(8.0), 'the client waits on');
    });
};
