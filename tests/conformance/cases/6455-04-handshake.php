<?php

declare(strict_types=1);

// RFC 6455, section 4.2.1: what the server must find in the client's opening handshake.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    $u = Upgrade::request(...);
    $ok = static fn (string $id, string $title, string $request, int $chop = 0): Script => $s->upgrade("6455.4.2/$id", $title, $request, null, $chop);
    $no = static fn (string $id, string $title, string $request, int ...$with): Script
        => $s->upgrade("6455.4.2/$id", $title, $request, $with === [] ? [400] : array_values($with));

    // Accepted.
    $ok('plain', 'the plain handshake', $u());
    foreach ([1, 2, 7] as $chop) {
        $ok("chopped-$chop", "the handshake in pieces of $chop", $u(), $chop);
    }
    $ok('upgrade-case', 'the Upgrade token in any case', $u(['Upgrade' => 'WebSocket']));
    $ok('upgrade-upper', 'the Upgrade token in capitals', $u(['Upgrade' => 'WEBSOCKET']));
    $ok('connection-case', 'the Connection token in any case', $u(['Connection' => 'uPGRADE']));
    $ok('connection-list', 'Connection: keep-alive, Upgrade', $u(['Connection' => 'keep-alive, Upgrade']));
    $ok('connection-list-first', 'Connection: Upgrade, keep-alive', $u(['Connection' => 'Upgrade, keep-alive']));
    $ok('connection-list-tight', 'Connection: keep-alive,Upgrade', $u(['Connection' => 'keep-alive,Upgrade']));
    $ok('connection-list-empty-items', 'empty list elements are ignored', $u(['Connection' => ', ,keep-alive,,  Upgrade ,']));
    $ok('connection-spread', 'Connection spread over two headers', $u(['Connection' => ['keep-alive', 'Upgrade']]));
    $ok('connection-tab', 'a tab around list elements', $u(['Connection' => "keep-alive\t,\tUpgrade"]));
    $ok('upgrade-list', 'Upgrade: h2c, websocket', $u(['Upgrade' => 'h2c, websocket']))->strict();
    $ok('upgrade-spread', 'Upgrade spread over two headers', $u(['Upgrade' => ['h2c', 'websocket']]))->strict();
    $ok('names-lower', 'header names in lower case', str_replace(['Host', 'Upgrade:', 'Connection', 'Sec-WebSocket-'], ['host', 'upgrade:', 'connection', 'sec-websocket-'], $u()));
    $ok('names-upper', 'header names in capitals', str_replace(['Host', 'Upgrade:', 'Connection', 'Sec-WebSocket-Key', 'Sec-WebSocket-Version'], ['HOST', 'UPGRADE:', 'CONNECTION', 'SEC-WEBSOCKET-KEY', 'SEC-WEBSOCKET-VERSION'], $u()));
    $ok('no-space-after-colon', 'no space after the colon', str_replace(': ', ':', $u()));
    $ok('spaces-around-values', 'white space around values', preg_replace('/: (.*)\r/', ":  \t\$1 \t\r", $u()) ?? '');
    $ok('order', 'headers in another order', "GET / HTTP/1.1\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " . Upgrade::KEY . "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nHost: x\r\n\r\n");
    $ok('path-and-query', 'a path with a query', $u(line: 'GET /chat/room%201?a=b&c=%2F HTTP/1.1'));
    $ok('long-path', 'a path of 1000 bytes', $u(line: 'GET /' . str_repeat('a', 999) . ' HTTP/1.1'));
    $ok('absolute-form', 'an absolute http target', $u(line: 'GET http://localhost/ HTTP/1.1'))->strict();
    $ok('origin', 'an Origin header', $u(['Origin' => 'http://example.com']));
    $ok('unknown-headers', 'unknown headers', $u(['X-One' => '1', 'X-Empty' => '', 'Cookie' => 'a=b; c="d"']));
    $ok('many-headers', 'fifty unknown headers', $u(extra: implode('', array_map(static fn (int $i): string => "X-$i: $i\r\n", range(1, 50)))));
    $ok('leading-crlf', 'one empty line before the request line (9112, 2.2)', "\r\n" . $u())->strict();
    $ok('content-length-0', 'Content-Length: 0 is no body', $u(['Content-Length' => '0']))->strict();
    $ok('obs-text', 'bytes above 7F in an unknown header', $u(['X-Name' => "caf\xc3\xa9 \xff"]));
    $ok('http-port-host', 'Host with a port', $u(['Host' => 'localhost:9001']));
    $ok('ipv6-host', 'Host as IPv6 literal', $u(['Host' => '[::1]:9001']));
    foreach (array_map(base64_encode(...), [str_repeat("\0", 16), str_repeat("\xff", 16), str_repeat("\xfb\xf0", 8), noise(16)]) as $i => $key) {
        $s->custom('ws', "6455.4.2/key-$i", "the accept value of key $key", static function (Target $t) use ($key): void {
            $wire = $t->connect();
            $wire->write(Upgrade::request(['Sec-WebSocket-Key' => $key]));
            Upgrade::check(Http::read($wire, 10.0), false, $key);
        });
    }

    // Frames right behind the request.
    foreach (['one segment' => 0, 'chopped' => 1] as $how => $chop) {
        $s->custom('ws', '6455.4.2/frames-behind-request' . ($chop > 0 ? '-chopped' : ''), "frames behind the request ($how) are not lost", static function (Target $t) use ($chop): void {
            $wire = $t->connect();
            $wire->chop = $chop;
            $session = new Session($wire);
            $wire->write(Upgrade::request() . $session->encode([text('early'), ping('p'), text('bird')]));
            Upgrade::check(Http::read($wire, 10.0));
            $got = [];
            for ($i = 0; $i < 3; $i++) {
                $frame = $session->frame();
                $got[] = $frame->payload;
            }
            sort($got);
            Expect::same(['bird', 'early', 'p'], $got, 'answers');
            $session->closeWith(1000);
        });
    }
    $s->custom('ws', '6455.4.2/bad-frame-behind-request', 'a bad frame behind the request: 101, then 1002', static function (Target $t): void {
        $wire = $t->connect();
        $session = new Session($wire);
        $wire->write(Upgrade::request() . $session->encode([new Frame(3, 'x')]));
        Upgrade::check(Http::read($wire, 10.0));
        $session->expectClose([1002]);
    });

    // Refused.
    foreach (['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'get', 'GETT', 'XYZ'] as $method) {
        $no("method-$method", "method $method", $u(line: "$method / HTTP/1.1"), 400, 404, 405, 501, 426);
    }
    $ok('http-1.2', 'HTTP/1.2, which is read as 1.1 (9110, 2.5)', $u(line: 'GET / HTTP/1.2'))->strict();
    $no('http-1.0', 'HTTP/1.0', $u(line: 'GET / HTTP/1.0'), 400, 426, 505);
    $no('http-0.9', 'HTTP/0.9', $u(line: 'GET / HTTP/0.9'), 400, 426, 505);
    $no('http-2.0', 'HTTP/2.0', $u(line: 'GET / HTTP/2.0'), 400, 426, 505);
    $no('http-1.10', 'HTTP/1.10', $u(line: 'GET / HTTP/1.10'), 400, 505);
    $no('http-lower', 'http/1.1 in lower case', $u(line: 'GET / http/1.1'), 400, 505);
    $no('no-version', 'a request line without version', $u(line: 'GET /'), 400, 505);
    $no('two-spaces', 'two spaces in the request line', $u(line: 'GET  / HTTP/1.1'));
    $no('tab-in-line', 'a tab in the request line', $u(line: "GET\t/ HTTP/1.1"));
    $no('space-in-target', 'a space in the target', $u(line: 'GET /a b HTTP/1.1'));
    $no('space-at-end-of-line', 'a space after the version', $u(line: 'GET / HTTP/1.1 '))->strict();
    $no('relative-target', 'a target without slash', $u(line: 'GET chat HTTP/1.1'), 400, 404);
    $no('asterisk', 'the asterisk form', $u(line: 'GET * HTTP/1.1'), 400, 404);
    $no('fragment', 'a fragment in the target', $u(line: 'GET /#x HTTP/1.1'))->strict();
    foreach (['nul' => "\0", 'control' => "\x01", 'del' => "\x7f", 'high' => "\xe9"] as $name => $byte) {
        $no("target-$name", "a byte in the target that may not be there ($name)", $u(line: "GET /a{$byte}b HTTP/1.1"))->strict();
    }

    foreach (['Host' => [400], 'Upgrade' => [400, 404, 426, 200], 'Connection' => [400, 404, 426, 200], 'Sec-WebSocket-Key' => [400, 426], 'Sec-WebSocket-Version' => [400, 426]] as $name => $with) {
        $no('no-' . strtolower($name), "without $name", $u([$name => null]), ...$with);
        $no('empty-' . strtolower($name), "an empty $name", $u([$name => '']), ...($name === 'Host' ? [400, 101, 404] : $with));
    }
    $no('host-twice', 'two different Host headers', $u(['Host' => ['a', 'b']]));
    $no('host-twice-same', 'Host twice, the same', $u(['Host' => ['a', 'a']]));
    foreach (['space' => 'a b', 'slash' => 'a/b', 'at' => 'user@host', 'comma' => 'a, b', 'port' => 'a:port', 'huge-port' => 'a:99999', 'nul' => "a\0b"] as $name => $host) {
        $no("host-$name", "a malformed Host ($name)", $u(['Host' => $host]))->strict();
    }
    foreach (['other' => 'h2c', 'prefix' => 'websocket2', 'with-version' => 'websocket/13', 'part' => 'web socket', 'quoted' => '"websocket"'] as $name => $value) {
        $no("upgrade-$name", "Upgrade: $value", $u(['Upgrade' => $value]), 400, 404, 426, 200)->strict();
    }
    foreach (['close' => 'close', 'keep-alive' => 'keep-alive', 'prefix' => 'Upgrades', 'part' => 'not-upgrade', 'spaces' => 'keep-alive Upgrade'] as $name => $value) {
        $no("connection-$name", "Connection: $value", $u(['Connection' => $value]), 400, 404, 426, 200)->strict();
    }

    // The version: anything but one 13.
    foreach (['12', '14', '8', '7', '0', '1', '113', '130', '255', '256', '-13', '+13', '013', '13.0', '0x0d', '13a', 'thirteen', '13;'] as $version) {
        $s->custom('ws', "6455.4.4/version-$version", "version $version: refused, 13 is named", static function (Target $t) use ($version): void {
            $wire = $t->connect();
            $wire->write(Upgrade::request(['Sec-WebSocket-Version' => $version]));
            $response = Http::read($wire, 10.0);
            Expect::status($response, [426, 400]);
            if ($response->status === 426) {
                Expect::that(in_array('13', array_map(trim(...), explode(',', $response->header('sec-websocket-version') ?? '')), true), 'no Sec-WebSocket-Version: 13 in the answer');
                Expect::upgradeNamed($response);
            }
        });
    }
    $s->custom('ws', '6455.4.4/page-upgrade', 'a GET without upgrade: 426 names Upgrade in Connection, too', static function (Target $t): void {
        $wire = $t->connect();
        $wire->write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        $response = Http::read($wire, 10.0);
        Expect::status($response, [426, 400, 404, 200]);
        Expect::upgradeNamed($response);
    });
    foreach (['12', '14', '255'] as $version) {
        $no("version-$version-426", "version $version: 426", $u(['Sec-WebSocket-Version' => $version]), 426)->strict();
    }
    foreach (['twice' => ['13', '13'], 'two' => ['13', '8'], 'list' => '13, 8', 'list-8-first' => '8, 13'] as $name => $value) {
        $no("version-$name", "the version header may appear once, with one value ($name)", $u(['Sec-WebSocket-Version' => $value]), 400, 426)->strict();
    }

    // The key: 16 bytes in base64, once.
    $keys = [
        'short' => 'AAAA', '15-bytes' => base64_encode(str_repeat('a', 15)), '17-bytes' => base64_encode(str_repeat('a', 17)),
        '18-bytes' => base64_encode(str_repeat('a', 18)), 'no-padding' => 'dGhlIHNhbXBsZSBub25jZQ', 'one-padding' => 'dGhlIHNhbXBsZSBub25jZQ=',
        'three-padding' => 'dGhlIHNhbXBsZSBub25jZQ===', 'url-alphabet' => '____________________-w==', 'space-inside' => 'dGhlIHNhbXBs ZSBub25jZQ==',
        'not-base64' => '!!!!!!!!!!!!!!!!!!!!!!==', 'long' => base64_encode(str_repeat('a', 64)), 'text' => 'the sample nonce',
        'padding-first' => '==dGhlIHNhbXBsZSBub25jZQ', 'high-bytes' => "dGhlIHNhbXBsZSBub25j\xc3\xa4==",
    ];
    foreach ($keys as $name => $key) {
        $no("key-$name", "a malformed key ($name)", $u(['Sec-WebSocket-Key' => $key]), 400, 426);
    }
    $no('key-loose-bits', 'a key whose last character has loose bits', $u(['Sec-WebSocket-Key' => 'dGhlIHNhbXBsZSBub25jZR==']), 400, 101)->strict();
    $no('key-twice', 'two different keys', $u(['Sec-WebSocket-Key' => [Upgrade::KEY, 'AAAAAAAAAAAAAAAAAAAAAA==']]), 400, 426);
    $no('key-twice-same', 'the same key twice', $u(['Sec-WebSocket-Key' => [Upgrade::KEY, Upgrade::KEY]]), 400, 426);
    $no('key-list', 'a list of keys in one header', $u(['Sec-WebSocket-Key' => Upgrade::KEY . ', ' . Upgrade::KEY]), 400, 426);
};
