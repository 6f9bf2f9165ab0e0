<?php

declare(strict_types=1);

// RFC 6455, section 4, and RFC 9112: the bytes of the opening handshake. Folding, line ends, bodies, limits, subprotocols, deadlines.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    $u = Upgrade::request(...);
    $no = static fn (string $id, string $title, string $request, int ...$with): Script
        => $s->upgrade("6455.4.b/$id", $title, $request, $with === [] ? [400] : array_values($with));

    $no('obs-fold-space', 'obs-fold with a space', $u(['X-Fold' => "a\r\n b"]));
    $no('obs-fold-tab', 'obs-fold with a tab', $u(['X-Fold' => "a\r\n\tb"]));
    $no('obs-fold-connection', 'obs-fold inside Connection', $u(['Connection' => "keep-alive,\r\n Upgrade"]));
    $no('obs-fold-first', 'a first header line that begins with a space', "GET / HTTP/1.1\r\n X: y\r\n" . substr($u(), 16));
    $no('space-before-colon', 'a space before the colon', str_replace('Upgrade:', 'Upgrade :', $u()));
    $no('tab-before-colon', 'a tab before the colon', str_replace('Host:', "Host\t:", $u()));
    $no('space-before-colon-unknown', 'a space before the colon of an unknown header', $u(['X-A ' => 'b']));
    $no('no-colon', 'a header line without colon', $u(extra: "Nonsense\r\n"));
    $no('empty-name', 'a header line that begins with a colon', $u(extra: ": value\r\n"));
    foreach (['space' => 'X A', 'paren' => 'X(A)', 'at' => 'X@A', 'high' => "X\xe4", 'nul' => "X\0A", 'slash' => 'X/A', 'quote' => '"X"'] as $name => $field) {
        $no("name-$name", "a header name that is no token ($name)", $u([$field => '1']));
    }
    foreach (['nul' => "\0", 'bell' => "\x07", 'escape' => "\x1b", 'del' => "\x7f", 'vertical-tab' => "\x0b"] as $name => $byte) {
        $no("value-$name", "a control character in a value ($name)", $u(['X-A' => "a{$byte}b"]))->strict();
    }
    $no('nul-in-value', 'NUL in a value', $u(['Origin' => "http://a\0.b"]));
    $no('bare-cr-value', 'a bare CR in a value', $u(['X-A' => "a\rb"]));
    $no('bare-cr-line', 'a bare CR as line end', str_replace("Host: localhost\r\n", "Host: localhost\r", $u()));
    $no('bare-lf-line', 'a bare LF as line end', str_replace("Host: localhost\r\n", "Host: localhost\n", $u()))->strict();
    $no('bare-lf-request-line', 'a bare LF after the request line', str_replace("HTTP/1.1\r\n", "HTTP/1.1\n", $u()))->strict();
    $no('bare-lf-all', 'bare LF everywhere', str_replace("\r\n", "\n", $u()))->strict();
    $no('bare-lf-end', 'CRLF LF as the end of the head', substr($u(), 0, -2) . "\n")->strict();
    $no('cr-cr-lf', 'CR CR LF as line end', str_replace("localhost\r\n", "localhost\r\r\n", $u()));
    $no('garbage', 'bytes that are no HTTP', noise(600) . "\r\n\r\n");
    $no('tls-hello', 'a TLS client hello', "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" . noise(200) . "\r\n\r\n");
    $no('h2-preface', 'the HTTP/2 preface', "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, 405, 426, 501, 505);
    $no('leading-space', 'a space before the method', ' ' . $u());

    // Bodies and smuggled requests.
    $no('body-content-length', 'an upgrade with a body', $u(['Content-Length' => '5']) . 'hello', 400, 413, 501)->strict();
    $no('body-chunked', 'an upgrade with a chunked body', $u(['Transfer-Encoding' => 'chunked']) . "0\r\n\r\n", 400, 413, 501)->strict();
    $no('body-both', 'an upgrade with Content-Length and Transfer-Encoding', $u(['Content-Length' => '5', 'Transfer-Encoding' => 'chunked']) . "0\r\n\r\n");
    $no('content-length-differs', 'an upgrade with two lengths', $u(['Content-Length' => ['0', '5']]) . 'hello');
    $no('content-length-negative', 'an upgrade with Content-Length: -1', $u(['Content-Length' => '-1']));
    $no('content-length-plus', 'an upgrade with Content-Length: +0', $u(['Content-Length' => '+0']))->strict();
    $no('content-length-text', 'an upgrade with Content-Length: abc', $u(['Content-Length' => 'abc']));
    $no('te-identity', 'an upgrade with Transfer-Encoding: identity', $u(['Transfer-Encoding' => 'identity']), 400, 501)->strict();
    $s->custom('ws', '6455.4.b/smuggled-get', 'a request behind the upgrade is taken as frames, not as a request', static function (Target $t): void {
        $wire = $t->connect();
        $wire->write(Upgrade::request() . "GET /secret HTTP/1.1\r\nHost: x\r\n\r\n");
        Upgrade::check(Http::read($wire, 10.0));
        $session = new Session($wire);
        $session->expectClose([1002]);
    });
    $s->custom('ws', '6455.4.b/no-request-after-refusal', 'after a refused upgrade its tail is not taken as a second request', static function (Target $t): void {
        $wire = $t->connect();
        $wire->write(Upgrade::request(['Content-Length' => '36', 'Sec-WebSocket-Key' => 'bad']) . "GET /secret HTTP/1.1\r\nHost: xxxxx\r\n\r\n");
        Expect::status(Http::read($wire, 10.0), [400, 413, 426]);
        $wire->readToEnd(3.0);
        Expect::that(!str_contains($wire->in, 'HTTP/1.1 2') && !str_contains($wire->in, 'HTTP/1.1 101'), 'a second answer came: ' . Http::quote($wire->in));
    });

    // Limits of the head: 431 (or 414), never endless reading.
    $limits = [
        'long-value' => $u(['X-Long' => str_repeat('a', 1 << 17)]), 'long-name' => $u([str_repeat('X', 1 << 17) => '1']),
        'many-headers' => $u(extra: str_repeat("X-A: b\r\n", 20000)), 'long-line' => $u(line: 'GET /' . str_repeat('a', 1 << 17) . ' HTTP/1.1'),
        'long-method' => str_repeat('G', 1 << 17) . ' / HTTP/1.1' . "\r\n\r\n", 'no-line-end' => 'GET /' . str_repeat('a', 1 << 17),
        'no-head-end' => "GET / HTTP/1.1\r\nHost: x\r\n" . str_repeat("X-A: b\r\n", 20000), 'crlf-flood' => str_repeat("\r\n", 100000),
    ];
    foreach ($limits as $name => $request) {
        $s->custom('ws', "6455.4.b/limit-$name", "a head over every limit ($name) is refused with an answer that can be read", static function (Target $t) use ($request): void {
            $wire = $t->connect();
            $wire->write($request, 8.0);
            Expect::status(Http::read($wire, 10.0), [400, 413, 414, 431, 501]);
        });
    }
    $no('limit-value-431', 'a header value of 64 KiB: 431', $u(['X-Long' => str_repeat('a', 1 << 16)]), 431)->strict();
    $no('limit-count-431', 'two thousand headers: 431', $u(extra: str_repeat("X-A: b\r\n", 2000)), 431)->strict();
    $no('limit-line-414', 'a target of 64 KiB: 414', $u(line: 'GET /' . str_repeat('a', 1 << 16) . ' HTTP/1.1'), 414, 431)->strict();

    // Subprotocols: the echo server knows none.
    foreach (['one' => 'chat', 'list' => 'chat, superchat', 'spread' => ['chat', 'superchat']] as $name => $value) {
        $s->custom('ws', "6455.4.b/subprotocol-$name", 'a subprotocol the server does not know is not confirmed', static function (Target $t) use ($value): void {
            $wire = $t->connect();
            $wire->write(Upgrade::request(['Sec-WebSocket-Protocol' => $value]));
            $response = Http::read($wire, 10.0);
            Upgrade::check($response);
            Expect::same(null, $response->header('sec-websocket-protocol'), 'subprotocol');
        })->strict();
    }
    foreach (['space' => 'a b', 'slash' => 'a/b', 'comma-only' => ',', 'empty' => '', 'twice' => 'a, a', 'high' => "\xe4"] as $name => $value) {
        $s->custom('ws', "6455.4.b/subprotocol-bad-$name", "a malformed subprotocol list ($name): refused with 400, or ignored", static function (Target $t) use ($value): void {
            $wire = $t->connect();
            $wire->write(Upgrade::request(['Sec-WebSocket-Protocol' => $value]));
            $response = Http::read($wire, 10.0);
            Expect::status($response, [101, 400]);
            Expect::same(null, $response->header('sec-websocket-protocol'), 'subprotocol');
        });
    }

    // What a plain HTTP client gets, and what remains of a refused connection.
    $s->custom('ws', '6455.4.b/plain-get', 'a plain GET gets an HTTP answer', static function (Target $t): void {
        $wire = $t->connect();
        $wire->write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        Expect::status(Http::read($wire, 10.0), [200, 400, 404, 426]);
    });
    $s->custom('ws', '6455.4.b/refusal-ends', 'after a malformed handshake the connection is closed', static function (Target $t): void {
        $wire = $t->connect();
        $wire->write(Upgrade::request(['Host' => null]));
        Expect::status(Http::read($wire, 10.0), [400]);
        Expect::that($wire->readToEnd(6.0), 'the connection stayed open');
    });

    // Deadlines: one for the whole head (10 s), whatever trickles in.
    $drip = static fn (string $bytes, float $every): \Closure => static function (Target $t) use ($bytes, $every): void {
        $wire = $t->connect();
        $started = Loop::now();
        foreach (str_split($bytes) as $byte) {
            if ($wire->writeSome($byte) < 0 || $wire->read(Loop::now() + $every) && $wire->in !== '') {
                break;
            }
            if ($wire->ended || Loop::now() - $started > 16) {
                break;
            }
        }
        Expect::that($wire->readToEnd(max(0.1, 16 - (Loop::now() - $started))), 'still open after 16 s');
        Expect::that($wire->in === '' || preg_match('~\AHTTP/1\.1 (408|400) ~', $wire->in) === 1, 'got ' . Http::quote($wire->in));
    };
    $s->custom('ws', '6455.4.b/slow-silent', 'a connection that says nothing is closed', $drip('', 1.0))->slow();
    $s->custom('ws', '6455.4.b/slow-half', 'half a handshake and silence is closed', $drip('G', 1.0))->slow();
    $s->custom('ws', '6455.4.b/slow-drip', 'a byte each 0.2 s does not extend the deadline', $drip($u(extra: str_repeat("X-A: b\r\n", 100)), 0.2))->slow();
    $s->custom('ws', '6455.4.b/slow-lines', 'a header line each second does not extend the deadline', static function (Target $t): void {
        $wire = $t->connect();
        $wire->write("GET / HTTP/1.1\r\nHost: x\r\n");
        for ($i = 0; $i < 16 && !$wire->ended; $i++) {
            $wire->writeSome("X-$i: $i\r\n");
            $wire->read(Loop::now() + 1.0) && Loop::sleep(0.1);
        }
        Expect::that($wire->ended || $wire->readToEnd(0.5), 'still open after 16 s');
    })->slow();
    $s->custom('ws', '6455.4.b/slow-but-legal', 'a handshake that takes 3 s is served', static function (Target $t): void {
        $wire = $t->connect();
        foreach (str_split(Upgrade::request(), 40) as $piece) {
            $wire->write($piece);
            Loop::sleep(0.6);
        }
        Upgrade::check(Http::read($wire, 5.0));
        (new Session($wire))->closeWith(1000);
    })->slow();
};
