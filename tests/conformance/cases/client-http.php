<?php

declare(strict_types=1);

// RFC 9112 and 9110: what an HTTP client must send, which answers it must take, and which it must take for faults.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    $case = static fn (string $id, string $title, \Closure $body): Script => $s->exchange("client-$id", $title, $body);
    $answer = static fn (string $body = 'ok', string $fields = '', string $line = 'HTTP/1.1 200 OK'): string
        => "$line\r\n{$fields}Content-Length: " . strlen($body) . "\r\n\r\n$body";
    $chunked = static fn (string $chunks, string $fields = ''): string => "HTTP/1.1 200 OK\r\n{$fields}Transfer-Encoding: chunked\r\n\r\n$chunks";

    /** The answer is taken as it is meant, and the next request is answered right. With `ends` our side of the connection does. */
    $takes = static fn (string $id, string $title, string $bytes, string $body = 'ok', int $status = 200, bool $ends = false, string $method = 'GET', int $chop = 0): Script
        => $case($id, $title, static function (Exchange $x) use ($bytes, $body, $status, $ends, $method, $chop): void {
            $x->ask($method);
            $x->request($wire);
            $wire->chop = $chop;
            $wire->write($bytes);
            if ($ends) {
                $wire->halfClose();
            }
            $x->answered($status, $body);
            $x->goesOn($wire);
        });
    /** The answer is told as a fault, its connection is not used again, and the next request is answered right. */
    $refuses = static fn (string $id, string $title, string $bytes, bool $ends = false, string $method = 'GET', int $chop = 0): Script
        => $case($id, $title, static function (Exchange $x) use ($bytes, $ends, $method, $chop): void {
            $x->ask($method);
            $x->request($wire);
            $wire->chop = $chop;
            $wire->write($bytes);
            if ($ends) {
                $wire->halfClose();
            }
            $x->failed();
            Expect::that($wire->readToEnd(3.0) && $wire->in === '', 'the connection of a bad answer was not closed');
            $x->goesOn($wire);
        });
    /** A field of that name and value. */
    $field = static fn (string $id, string $title, string $line, string $name, ?string $value): Script
        => $case($id, $title, static function (Exchange $x) use ($line, $name, $value, $answer): void {
            $x->ask();
            $x->request($wire);
            $wire->write($answer('ok', "$line\r\n"));
            $told = $x->told() ?? throw new Failed('the answer was taken for a fault');
            Expect::same('ok', $told['body'], 'body');
            Expect::same($value, $told['headers'][$name] ?? null, $name);
            $x->goesOn($wire);
        });

    // ---- what is sent ----
    $case('9112.3/request', 'method, target, version, Host, once each', static function (Exchange $x) use ($answer): void {
        $x->ask('GET', '/a/b?c=d&e');
        $request = $x->request($wire);
        Expect::same('GET /a/b?c=d&e HTTP/1.1', $request->line, 'request line');
        Expect::same(["127.0.0.1:$x->port"], $request->headers['host'] ?? [], 'Host');
        Expect::same(null, $request->header('transfer-encoding'), 'Transfer-Encoding');
        Expect::that(in_array($request->header('content-length'), [null, '0'], true), 'a body of GET');
        $wire->write($answer());
        $x->answered(200, 'ok');
    });
    foreach (['empty' => ['', '/'], 'query-alone' => ['?q=1', '/?q=1'], 'fragment' => ['/#part', '/'], 'query-and-fragment' => ['/a?b#c', '/a?b'], 'encoded' => ['/%7e%2F', '/%7e%2F'], 'slashes' => ['//a//b', '//a//b']] as $name => [$path, $target]) {
        $case("9112.3.2/target-$name", "the target of a URL that goes on with \"$path\"", static function (Exchange $x) use ($path, $target, $answer): void {
            $x->ask('GET', $path);
            Expect::same("GET $target HTTP/1.1", $x->request($wire)->line, 'request line');
            $wire->write($answer());
            $x->answered(200, 'ok');
        });
    }
    foreach (['POST', 'PUT', 'PATCH'] as $method) {
        $case("9110.8.6/empty-$method", "$method without a body says so", static function (Exchange $x) use ($method, $answer): void {
            $x->ask($method);
            Expect::same('0', $x->request($wire)->header('content-length'), 'Content-Length');
            $wire->write($answer());
            $x->answered(200, 'ok');
        });
    }
    foreach (['DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'M-SEARCH', 'get'] as $method) {
        $case("9110.9/method-$method", "the method $method, as it is given", static function (Exchange $x) use ($method, $answer): void {
            $x->ask($method);
            Expect::same("$method / HTTP/1.1", $x->request($wire)->line, 'request line');
            $wire->write($answer());
            $x->answered(200, 'ok');
        });
    }
    foreach (['one' => 'x', 'crlf' => "\r\n\r\n", 'request' => "GET /evil HTTP/1.1\r\n\r\n", 'binary' => noise(5000), 'large' => noise(3 << 20)] as $name => $body) {
        $case("9112.6/body-$name", "a body arrives whole ($name)", static function (Exchange $x) use ($body, $answer): void {
            $x->ask('POST', '/', [], $body);
            $request = $x->request($wire);
            Expect::same(1, count($request->headers['content-length'] ?? []), 'Content-Length');
            Expect::that($request->body === $body && $wire->in === '', 'the body is another one');
            $wire->write($answer());
            $x->answered(200, 'ok');
            $x->goesOn($wire);
        });
    }
    $case('9110.5/given-fields', 'fields that are given', static function (Exchange $x) use ($answer): void {
        $x->ask('GET', '/', ['X-One' => 'a  b', 'Accept' => 'text/plain', 'X-Empty' => '', 'X-Latin' => "\u{e4}"]);
        $request = $x->request($wire);
        Expect::same(['a  b', 'text/plain', '', "\u{e4}"], array_map($request->header(...), ['x-one', 'accept', 'x-empty', 'x-latin']), 'fields');
        $wire->write($answer());
        $x->answered(200, 'ok');
    });
    $bad = [
        'value-crlf' => ['X-A' => "b\r\nX-Evil: c"], 'value-lf' => ['X-A' => "b\nX-Evil: c"], 'value-cr' => ['X-A' => "b\rc"], 'value-nul' => ['X-A' => "b\0c"],
        'name-space' => ['X A' => 'b'], 'name-colon' => ['X-A:' => 'b'], 'name-empty' => ['' => 'b'], 'name-crlf' => ["X\r\nX-Evil" => 'b'],
    ];
    foreach ($bad as $name => $headers) {
        $case("9110.5.5/refused-$name", "a field that cannot be sent is refused, nothing is sent ($name)", static function (Exchange $x) use ($headers, $answer): void {
            $x->ask('GET', '/', $headers);
            $x->failed();
            $x->noMore();
            $x->ask();
            Expect::same(null, $x->request($wire)->header('x-evil'), 'X-Evil');
            $wire->write($answer());
            $x->answered(200, 'ok');
        });
    }
    $case('9112.6.2/framing-is-the-clients', 'fields that frame a message are the client\'s, whatever its caller says', static function (Exchange $x) use ($answer): void {
        $x->ask('POST', '/', ['Content-Length' => '5', 'Transfer-Encoding' => 'chunked'], 'abc');
        $request = $x->request($wire);
        Expect::same([['3'], null], [$request->headers['content-length'] ?? [], $request->header('transfer-encoding')], 'framing');
        Expect::same('abc', $request->body, 'body');
        $wire->write($answer());
        $x->answered(200, 'ok');
        $x->goesOn($wire);
    })->strict();
    foreach (['space' => 'G ET', 'crlf' => "GET / HTTP/1.1\r\nX: ", 'empty' => ' ', 'colon' => 'A:B'] as $name => $method) {
        $case("9110.9/refused-method-$name", "a method that is no token is refused ($name)", static function (Exchange $x) use ($method): void {
            $x->ask($method);
            $x->failed();
            $x->noMore();
        });
    }
    foreach (['trace-with-content' => ['TRACE', 'body'], 'connect' => ['CONNECT', '']] as $name => [$method, $body]) {
        $case("9110.9/refused-$name", "what no client may send to an origin server is refused ($name)", static function (Exchange $x) use ($method, $body): void {
            $x->ask($method, '/', [], $body);
            $x->failed();
            $x->noMore();
        });
    }
    foreach (['space' => '/a b', 'crlf' => "/a\r\nX-Evil: b", 'nul' => "/a\0", 'control' => "/a\x01"] as $name => $path) {
        $case("9112.3.2/refused-target-$name", "a URL that no request line can carry is refused ($name)", static function (Exchange $x) use ($path): void {
            $x->ask('GET', $path);
            $x->failed();
            $x->noMore();
        })->strict();
    }

    // ---- the status line ----
    $takes('9112.4/plain', 'the plain answer', $answer());
    foreach (['no-reason' => 'HTTP/1.1 200 ', 'long-reason' => 'HTTP/1.1 200 ' . str_repeat('very ', 200) . 'fine', 'reason-high' => "HTTP/1.1 200 \xc3\xa4\xff", 'reason-tab' => "HTTP/1.1 200 a\tb", 'reason-colon' => 'HTTP/1.1 200 X: y', 'other-reason' => 'HTTP/1.1 200 Not Found'] as $name => $line) {
        $takes("9112.4/$name", "a reason phrase is not looked at ($name)", $answer(line: $line));
    }
    $takes('9112.4/no-space', 'no space after the status, as many servers send it', $answer(line: 'HTTP/1.1 200'))->strict();
    $takes('9112.2.3/minor-2', 'HTTP/1.2 is read as 1.1', $answer(line: 'HTTP/1.2 200 OK'));
    $takes('9112.2.3/minor-9', 'HTTP/1.9 is read as 1.1', "HTTP/1.9 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n");
    foreach (['lower' => 'http/1.1 200 OK', 'major-2' => 'HTTP/2.0 200 OK', 'major-0' => 'HTTP/0.9 200 OK', 'one-digit' => 'HTTP/1 200 OK', 'two-digits' => 'HTTP/1.10 200 OK', 'other' => 'ICY 200 OK', 'sip' => 'SIP/1.1 200 OK', 'letters' => 'HTTP/x.y 200 OK'] as $name => $line) {
        $refuses("9112.2.3/version-$name", "a version that is none of ours ($line)", $answer(line: $line))->strict();
    }
    foreach (['two-digits' => 'HTTP/1.1 20 OK', 'four-digits' => 'HTTP/1.1 2000 OK', 'letters' => 'HTTP/1.1 2xx OK', 'none' => 'HTTP/1.1', 'empty' => 'HTTP/1.1  OK', 'negative' => 'HTTP/1.1 -20 OK', 'two-spaces' => 'HTTP/1.1  200 OK', 'tab' => "HTTP/1.1\t200 OK", 'zero' => 'HTTP/1.1 099 OK', 'leading-space' => ' HTTP/1.1 200 OK', 'nul' => "HTTP/1.1 200 O\0K", 'cr' => "HTTP/1.1 200 O\rK"] as $name => $line) {
        $refuses("9112.4/status-$name", "a status line that is none ($name)", $answer(line: $line))->strict();
    }
    foreach ([201, 202, 203, 206, 226, 299, 300, 304, 400, 404, 418, 451, 499, 500, 503, 599, 600, 999] as $status) {
        $takes("9110.15/status-$status", "status $status is an answer", $answer($status === 304 ? '' : 'ok', line: "HTTP/1.1 $status X"), $status === 304 ? '' : 'ok', $status);
    }
    foreach ([301, 302, 303, 307, 308] as $status) {
        $takes("9110.15.4/redirect-$status", "a redirect is an answer: it is not followed ($status)", $answer('moved', "Location: /other\r\n", "HTTP/1.1 $status Moved"), 'moved', $status)->strict();
    }
    foreach (['noise' => noise(300), 'ssh' => "SSH-2.0-x\r\n", 'body-only' => '<html>hello</html>', 'empty-lines' => "\r\n\r\n\r\n\r\n", 'http2' => "\0\0\x12\x04\0\0\0\0\0\0\3\0\0\0\x64"] as $name => $bytes) {
        $refuses("9112.2/not-http-$name", "an answer that is no HTTP ($name)", $bytes, true);
    }

    // ---- fields ----
    $field('9110.5.1/name-any-case', 'names in any case', 'X-tUSK: a', 'x-tusk', 'a');
    $field('9112.5/no-space', 'no white space after the colon', 'X-A:b', 'x-a', 'b');
    $field('9112.5/much-space', 'white space around the value', "X-A: \t  b c \t ", 'x-a', 'b c');
    $field('9110.5.5/empty-value', 'an empty value', 'X-A:', 'x-a', '');
    $field('9110.5.5/high-value', 'bytes above 127 in a value', "X-A: \xe4\xff", 'x-a', "\xe4\xff");
    $field('9110.5.5/tab-value', 'a tab within a value', "X-A: a\tb", 'x-a', "a\tb");
    $field('9110.5.3/repeated', 'a repeated field is one list', "X-A: a\r\nX-B: x\r\nX-A: b", 'x-a', 'a, b');
    $field('9110.5.6.2/odd-name', 'every token character in a name', "!#\$%&'*+-.^_`|~09aZ: v", "!#\$%&'*+-.^_`|~09az", 'v');
    $field('9110.5/many-fields', 'sixty fields', implode("\r\n", array_map(static fn (int $i): string => "X-$i: $i", range(1, 60))), 'x-60', '60');
    $field('9112.5/long-value', 'a value of 8,000 bytes', 'X-A: ' . str_repeat('v', 8000), 'x-a', str_repeat('v', 8000));
    // RFC 9112, 5.2: a user agent must put spaces in the place of an obs-fold.
    foreach (['space' => " b", 'tab' => "\tb", 'much' => "  \t  b"] as $name => $rest) {
        $case("9112.5.2/folded-$name", "a folded line is read as one ($name)", static function (Exchange $x) use ($rest, $answer): void {
            $x->ask();
            $x->request($wire);
            $wire->write($answer('ok', "X-A: a\r\n$rest\r\nX-C: d\r\n"));
            $told = $x->told() ?? throw new Failed('the answer was taken for a fault');
            Expect::same(1, preg_match('/\Aa[ \t]+b\z/', $told['headers']['x-a'] ?? ''), 'X-A is a and b');
            Expect::same(['d', 'ok'], [$told['headers']['x-c'] ?? null, $told['body']], 'what follows');
            $x->goesOn($wire);
        });
    }
    // A proxy may replace such an answer by a 502, which is what ours does (RFC 9112, 5.2).
    foreach (['space' => $answer('ok', "X-A: a\r\n b\r\n"), 'tab' => $answer('ok', "X-A: a\r\n\tb\r\n"), 'empty' => $answer('ok', "X-A: a\r\n \r\n"), 'length' => "HTTP/1.1 200 OK\r\nContent-Length:\r\n 2\r\n\r\nok", 'coding' => "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n\tchunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"] as $name => $bytes) {
        $refuses("9112.5.2+proxy/folded-$name", "a folded line is no answer for a proxy ($name)", $bytes)->kind = 'http-client+proxy';
    }
    $takes('9112.5.2/folded-length', 'the length in a folded line', "HTTP/1.1 200 OK\r\nContent-Length:\r\n 2\r\n\r\nok");
    $takes('9112.5.2/folded-coding', 'the coding in a folded line', "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n\tchunked\r\n\r\n2\r\nok\r\n0\r\n\r\n");
    $takes('9112.5.2/folded-twice', 'two folds of one field, byte by byte', $answer('ok', "X-A: a\r\n b\r\n c\r\n"), chop: 1);
    $takes('9112.5.2/folded-empty', 'a fold of nothing', $answer('ok', "X-A: a\r\n \r\n"));
    $refuses('9112.5.2/folded-inside-length', 'a fold is a space, and a space is no digit', "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 2\r\n\r\n" . str_repeat('x', 12));
    $refuses('9112.5.2/folds-without-end', 'folds without end are over the limit of the head', "HTTP/1.1 200 OK\r\nX-A: a\r\n" . str_repeat(" b\r\n", 60000))->strict();
    $refuses('9112.2.2/space-first', 'white space before the first field', "HTTP/1.1 200 OK\r\n X-A: b\r\nContent-Length: 2\r\n\r\nok")->strict();
    $refuses('9112.2.2/space-line-first', 'a line of white space before the first field', "HTTP/1.1 200 OK\r\n \r\nContent-Length: 2\r\n\r\nok")->strict();
    $lines = [
        'space-colon' => 'X-A : b', 'tab-colon' => "X-A\t: b", 'no-colon' => 'X-A b', 'empty-name' => ': b', 'name-space' => 'X A: b', 'name-nul' => "X\0A: b", 'name-high' => "X-\xe4: b",
        'name-paren' => 'X(A): b', 'value-nul' => "X-A: a\0b", 'value-cr' => "X-A: a\rb", 'value-escape' => "X-A: a\x1bb", 'value-del' => "X-A: a\x7fb", 'bare-lf' => "X-A: b\nX-C: d", 'lf-first' => "\nX-A: b",
    ];
    foreach ($lines as $name => $line) {
        $refuses("9112.5/line-$name", "a field line that is none ($name)", $answer('ok', "$line\r\n"))->strict();
    }
    $refuses('9112.2.2/all-lf', 'line feeds alone', "HTTP/1.1 200 OK\nContent-Length: 2\n\nok")->strict();
    $refuses('9112.2.2/lf-at-end', 'a line feed alone at the end of the head', "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\nok")->strict();
    $refuses('9112.2.2/all-cr', 'carriage returns alone', "HTTP/1.1 200 OK\rContent-Length: 2\r\rok")->strict();
    foreach (['value' => 'X-A: ' . str_repeat('a', 1 << 20), 'name' => str_repeat('a', 1 << 20) . ': b', 'fields' => implode("\r\n", array_map(static fn (int $i): string => "X-$i: $i", range(1, 5000))), 'reason' => null] as $name => $lines) {
        $bytes = $lines === null ? $answer(line: 'HTTP/1.1 200 ' . str_repeat('a', 1 << 20)) : $answer('ok', "$lines\r\n");
        $refuses("9112.2/head-too-large-$name", "a head without measure ($name)", $bytes)->strict();
    }
    $case('9112.2/head-without-end', 'a head that never ends is given up', static function (Exchange $x): void {
        $x->ask();
        $x->request($wire);
        $wire->write("HTTP/1.1 200 OK\r\n");
        for ($sent = 0; $sent < 64 && $wire->write('X-A: ' . str_repeat('b', 60000) . "\r\n"); $sent++) {
            Loop::sleep(0.001);
        }
        $x->failed();
        Expect::that($wire->readToEnd(3.0), 'the connection stays open');
        $x->goesOn($wire);
    })->strict();

    // ---- interim answers ----
    foreach (['100' => 'HTTP/1.1 100 Continue', '102' => 'HTTP/1.1 102 Processing', '103' => "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload", '199' => 'HTTP/1.1 199 X', '100-length' => "HTTP/1.1 100 Continue\r\nContent-Length: 5"] as $name => $head) {
        $takes("9110.15.2/interim-$name", "an interim answer before the answer ($name)", "$head\r\n\r\n" . $answer());
        $takes("9110.15.2/interim-$name-chopped", "the same byte by byte ($name)", "$head\r\n\r\n" . $answer(), chop: 1);
    }
    $takes('9110.15.2/interim-three', 'three of them', "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 X\r\n\r\nHTTP/1.1 103 X\r\nX-A: b\r\n\r\n" . $answer());
    $takes('9110.15.2/interim-before-204', 'an interim answer before 204', "HTTP/1.1 103 X\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", '', 204);
    $case('9110.15.2/interim-fields', 'fields of an interim answer are none of the answer', static function (Exchange $x) use ($answer): void {
        $x->ask();
        $x->request($wire);
        $wire->write("HTTP/1.1 103 Early Hints\r\nX-Evil: a\r\n\r\n" . $answer('ok', "X-A: b\r\n"));
        $told = $x->told() ?? throw new Failed('the answer was taken for a fault');
        Expect::same([200, null, 'b'], [$told['status'], $told['headers']['x-evil'] ?? null, $told['headers']['x-a'] ?? null], 'status and fields');
    });
    $case('9110.15.2/interim-then-waits', 'an interim answer alone is no answer', static function (Exchange $x) use ($answer): void {
        $x->ask('POST', '/', [], 'body');
        $x->request($wire);
        $wire->write("HTTP/1.1 100 Continue\r\n\r\n");
        Loop::sleep(0.02);
        $wire->write($answer());
        $x->answered(200, 'ok');
        $x->goesOn($wire);
    });
    $refuses('9110.15.2/interim-then-end', 'an interim answer and the end', "HTTP/1.1 100 Continue\r\n\r\n", true);
    $refuses('9110.15.2/interim-without-end', 'interim answers without end', str_repeat("HTTP/1.1 102 Processing\r\n\r\n", 2000))->strict();
    $refuses('9110.15.2.2/101', 'an upgrade that nobody asked for', "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n" . $answer())->strict();

    // ---- framing ----
    $takes('9112.6.3/length-0', 'Content-Length: 0', $answer(''), '');
    $takes('9112.6.3/length-zeros', 'leading zeros', "HTTP/1.1 200 OK\r\nContent-Length: 0002\r\n\r\nok");
    $takes('9112.6.3/length-large', 'a body of 3 MiB', $answer(noise(3 << 20)), noise(3 << 20));
    $takes('9112.6.3/length-binary', 'every byte', $answer(implode('', array_map(chr(...), range(0, 255)))), implode('', array_map(chr(...), range(0, 255))));
    $takes('9112.6.3/length-looks-like-answer', 'a body that looks like an answer', $answer($answer('evil')), $answer('evil'));
    foreach (['minus' => '-2', 'plus' => '+2', 'hex' => '0x2', 'float' => '2.0', 'letters' => '2x', 'words' => 'two', 'space-inside' => '1 2', 'empty' => '', 'exponent' => '2e0', 'underscore' => '0_2', 'comma' => '2,', 'list-differs' => '2, 3', 'overflow' => '18446744073709551618', '2p63' => '9223372036854775808', 'huge' => str_repeat('9', 400), 'quoted' => '"2"', 'semicolon' => '2;'] as $name => $length) {
        $refuses("9112.6.3/length-$name", "a Content-Length that is none ($name)", "HTTP/1.1 200 OK\r\nContent-Length: $length\r\n\r\nok");
    }
    $refuses('9112.6.3/length-list-same', 'Content-Length: 2, 2', "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok")->strict();
    $takes('9112.6.3/length-twice-same', 'the same Content-Length twice', "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok")->strict();
    $refuses('9112.6.3/length-twice-differs', 'two that differ', "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nokx");
    $refuses('9112.6.3/length-twice-differs-0', 'two that differ, the first is 0', "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 2\r\n\r\nok");
    $refuses('9112.6.3/both', 'Content-Length and Transfer-Encoding', "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")->strict();
    $refuses('9112.6.3/both-other-order', 'the same in the other order', "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n")->strict();
    foreach (['gzip' => 'gzip', 'gzip-chunked' => 'gzip, chunked', 'chunked-gzip' => 'chunked, gzip', 'identity' => 'identity', 'xchunked' => 'xchunked', 'twice-in-list' => 'chunked, chunked', 'quoted' => '"chunked"', 'parameter' => 'chunked;q=1', 'empty' => ''] as $name => $coding) {
        $refuses("9112.6.1/coding-$name", "a coding that nobody asked for ($name)", "HTTP/1.1 200 OK\r\nTransfer-Encoding: $coding\r\n\r\n2\r\nok\r\n0\r\n\r\n")->strict();
    }
    $refuses('9112.6.1/coding-twice', 'Transfer-Encoding twice', $chunked("2\r\nok\r\n0\r\n\r\n", "Transfer-Encoding: chunked\r\n"))->strict();
    $case('9112.6.1/coding-http-1.0', 'chunks of HTTP/1.0: a fault, or at least the end of the connection', static function (Exchange $x): void {
        $x->ask();
        $x->request($wire);
        $wire->write("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n");
        $x->told();
        Expect::that($wire->readToEnd(3.0) && $wire->in === '', 'the connection was not closed');
        $x->goesOn($wire);
    });
    $takes('9112.6.3/until-end', 'neither length nor coding: until the end', "HTTP/1.1 200 OK\r\n\r\nall there is", 'all there is', ends: true);
    $takes('9112.6.3/until-end-empty', 'the same with nothing in it', "HTTP/1.1 200 OK\r\n\r\n", '', ends: true);
    $takes('9112.6.3/until-end-chopped', 'the same byte by byte', "HTTP/1.1 200 OK\r\nX: y\r\n\r\nall there is", 'all there is', ends: true, chop: 1);
    $takes('9112.6.3/until-end-large', 'the same with 3 MiB', "HTTP/1.1 200 OK\r\n\r\n" . noise(3 << 20), noise(3 << 20), ends: true);
    $takes('9112.6.3/until-end-keep-alive', 'the same, though Connection says keep-alive', "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\nall", 'all', ends: true);
    $takes('9112.6.3/until-end-1.0', 'the same in HTTP/1.0', "HTTP/1.0 200 OK\r\n\r\nall", 'all', ends: true);
    foreach (['until-end' => "HTTP/1.1 200 OK\r\n\r\nsome of it", 'length' => "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nsome of it", 'chunked' => $chunked("a\r\nsome of it\r\n"), 'head' => "HTTP/1.1 200 OK\r\nCont"] as $name => $bytes) {
        $case("9112.8/reset-$name", "a reset within the answer is a fault ($name)", static function (Exchange $x) use ($bytes): void {
            $x->ask();
            $x->request($wire);
            $wire->write($bytes);
            $wire->reset();
            $x->failed();
            $x->goesOn($wire);
        });
    }

    // ---- answers without a body ----
    foreach (['length' => 'Content-Length: 5', 'chunked' => 'Transfer-Encoding: chunked', 'neither' => 'X: y', 'huge' => 'Content-Length: 99999999999'] as $name => $line) {
        $takes("9112.6.3/head-$name", "the answer to HEAD has no body ($name)", "HTTP/1.1 200 OK\r\n$line\r\n\r\n", '', method: 'HEAD');
        $takes("9112.6.3/304-$name", "304 has no body ($name)", "HTTP/1.1 304 Not Modified\r\n$line\r\n\r\n", '', 304);
        $takes("9112.6.3/204-$name", "204 has no body ($name)", "HTTP/1.1 204 No Content\r\n$line\r\n\r\n", '', 204);
    }
    $takes('9112.6.3/head-404', 'HEAD of what is not there', "HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n", '', 404, method: 'HEAD');
    $takes('9110.15.3.6/205', '205 has no content, with a length that says so', $answer('', line: 'HTTP/1.1 205 Reset Content'), '', 205);

    // ---- chunks ----
    $chunks = [
        'one' => ["2\r\nok\r\n0\r\n\r\n", 'ok'], 'none' => ["0\r\n\r\n", ''], 'two' => ["1\r\no\r\n1\r\nk\r\n0\r\n\r\n", 'ok'], 'upper' => ["A\r\n0123456789\r\n0\r\n\r\n", '0123456789'],
        'lower' => ["a\r\n0123456789\r\n0\r\n\r\n", '0123456789'], 'zeros' => ["0002\r\nok\r\n000\r\n\r\n", 'ok'], 'crlf-inside' => ["6\r\n\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n\r\n"],
        'chunk-inside' => ["5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n"], 'extension' => ["2;a=b\r\nok\r\n0;c\r\n\r\n", 'ok'], 'extension-name' => ["2;a\r\nok\r\n0\r\n\r\n", 'ok'],
        'extension-quoted' => ["2;a=\"b;c\\\"d\"\r\nok\r\n0\r\n\r\n", 'ok'], 'extension-space' => ["2 ; a = b\r\nok\r\n0\r\n\r\n", 'ok'], 'extensions' => ["2;a=b;c=d;e\r\nok\r\n0\r\n\r\n", 'ok'],
        'trailer' => ["2\r\nok\r\n0\r\nX-T: u\r\n\r\n", 'ok'], 'trailers' => ["2\r\nok\r\n0\r\nX-T: u\r\nX-U:\r\nX-V: \tw\r\n\r\n", 'ok'], 'trailer-length' => ["2\r\nok\r\n0\r\nContent-Length: 99\r\n\r\n", 'ok'],
        'trailer-coding' => ["2\r\nok\r\n0\r\nTransfer-Encoding: gzip\r\nConnection: close\r\n\r\n", 'ok'], 'large' => [dechex(3 << 20) . "\r\n" . noise(3 << 20) . "\r\n0\r\n\r\n", noise(3 << 20)],
        'many' => [str_repeat("1\r\nx\r\n", 20000) . "0\r\n\r\n", str_repeat('x', 20000)],
    ];
    foreach ($chunks as $name => [$bytes, $body]) {
        $takes("9112.7.1/chunks-$name", "chunks ($name)", $chunked($bytes), $body);
        if (strlen($bytes) < 100) {
            $takes("9112.7.1/chunks-$name-chopped", "the same byte by byte ($name)", $chunked($bytes), $body, chop: 1);
        }
    }
    $takes('9112.7.1/coding-case', 'the coding in capitals', "HTTP/1.1 200 OK\r\nTransfer-Encoding: CHUNKED\r\n\r\n2\r\nok\r\n0\r\n\r\n");
    $case('9110.6.5.1/trailers-are-no-headers', 'trailers are not merged into the head', static function (Exchange $x) use ($chunked): void {
        $x->ask();
        $x->request($wire);
        $wire->write($chunked("2\r\nok\r\n0\r\nX-A: evil\r\nSet-Cookie: a=b\r\n\r\n", "X-A: good\r\n"));
        $told = $x->told() ?? throw new Failed('the answer was taken for a fault');
        Expect::same(['good', null, 'ok'], [$told['headers']['x-a'] ?? null, $told['headers']['set-cookie'] ?? null, $told['body']], 'fields and body');
        $x->goesOn($wire);
    });
    $broken = [
        'size-letters' => "xyz\r\nok\r\n0\r\n\r\n", 'size-empty' => "\r\nok\r\n0\r\n\r\n", 'size-minus' => "-2\r\nok\r\n0\r\n\r\n", 'size-plus' => "+2\r\nok\r\n0\r\n\r\n", 'size-0x' => "0x2\r\nok\r\n0\r\n\r\n",
        'size-space-before' => " 2\r\nok\r\n0\r\n\r\n", 'size-overflow' => "10000000000000002\r\nok\r\n0\r\n\r\n", 'size-2p64' => "fffffffffffffffff\r\nok", 'size-underscore' => "0_2\r\nok\r\n0\r\n\r\n",
        'no-crlf-after' => "2\r\nok0\r\n\r\n", 'more-data' => "2\r\nokay\r\n0\r\n\r\n", 'cr-after' => "2\r\nok\rx0\r\n\r\n", 'bare-lf-size' => "2\nok\r\n0\r\n\r\n", 'bare-lf-data' => "2\r\nok\n0\r\n\r\n",
        'bare-cr-size' => "2\rok\r\n0\r\n\r\n", 'extension-nul' => "2;a\0\r\nok\r\n0\r\n\r\n", 'extension-lf' => "2;a\nok\r\n0\r\n\r\n", 'extension-empty' => "2;\r\nok\r\n0\r\n\r\n", 'size-junk' => "2 a\r\nok\r\n0\r\n\r\n",
        'trailer-no-colon' => "2\r\nok\r\n0\r\nX-T\r\n\r\n", 'trailer-space-colon' => "2\r\nok\r\n0\r\nX-T : u\r\n\r\n", 'trailer-nul' => "2\r\nok\r\n0\r\nX-T: u\0\r\n\r\n", 'trailer-lf' => "2\r\nok\r\n0\r\nX-T: u\n\r\n",
        'last-lf' => "2\r\nok\r\n0\r\n\nx",
        'extension-long' => "2;" . str_repeat('a', 100000) . "\r\nok\r\n0\r\n\r\n", 'zeros-long' => str_repeat('0', 100000) . "2\r\nok\r\n0\r\n\r\n", 'trailer-long' => "2\r\nok\r\n0\r\nX-T: " . str_repeat('u', 200000) . "\r\n\r\n",
        'trailers-many' => "2\r\nok\r\n0\r\n" . str_repeat("X-T: u\r\n", 30000) . "\r\n", 'extensions-many' => str_repeat('1;' . str_repeat('a', 200) . "\r\nx\r\n", 20000) . "0\r\n\r\n",
    ];
    foreach ($broken as $name => $bytes) {
        $refuses("9112.7.1/broken-$name", "chunks that are none ($name)", $chunked($bytes))->strict();
    }

    // ---- cut short ----
    $cuts = ['nothing' => '', 'half-status' => 'HTTP/1.1 2', 'status' => "HTTP/1.1 200 OK\r\n", 'half-head' => "HTTP/1.1 200 OK\r\nContent-Len", 'no-empty-line' => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", 'no-body' => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", 'half-body' => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no", 'one-missing' => substr($answer(noise(100000)), 0, -1)];
    foreach (['no-size' => '', 'half-size' => '1', 'no-data' => "2\r\n", 'half-data' => "2\r\no", 'no-crlf' => "2\r\nok", 'no-last' => "2\r\nok\r\n", 'half-last' => "2\r\nok\r\n0", 'no-trailers' => "2\r\nok\r\n0\r\n", 'half-trailer' => "2\r\nok\r\n0\r\nX-T: u\r\n", 'half-crlf' => "2\r\nok\r\n0\r\n\r"] as $name => $bytes) {
        $cuts["chunked-$name"] = $chunked($bytes);
    }
    foreach ($cuts as $name => $bytes) {
        $refuses("9112.8/cut-$name", "an answer cut short is told as one ($name)", $bytes, true);
    }
    $case('9112.8/cut-everywhere', 'an answer cut at every byte, with the end behind it', static function (Exchange $x) use ($chunked): void {
        $bytes = $chunked("4;a=b\r\nab\r\n\r\n0\r\nX-T: u\r\n\r\n", "X-A: b\r\n");
        for ($length = 0; $length < strlen($bytes); $length++) {
            $x->ask();
            $wire = null;
            $x->request($wire);
            $wire->write(substr($bytes, 0, $length));
            $wire->halfClose();
            $x->failed();
        }
    });
    foreach (['chunked' => [$chunked("4;a=b\r\nab\r\n\r\n3\r\nxyz\r\n0\r\nX-T: u\r\n\r\n", "X-A: b\r\n"), "ab\r\nxyz"], 'length' => [$answer("a\r\n\r\nb", "X-A: b\r\nX-C:d\r\n"), "a\r\n\r\nb"], 'interim' => ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 X\r\nA: b\r\n\r\n" . $answer('ab'), 'ab']] as $name => [$bytes, $body]) {
        $case("9112.2.1/pieces-$name", "an answer in two pieces, cut at every byte ($name)", static function (Exchange $x) use ($bytes, $body): void {
            for ($length = 1; $length < strlen($bytes); $length++) {
                $x->ask();
                $length === 1 ? $x->request($wire) : $x->either($wire);
                $wire->write(substr($bytes, 0, $length));
                Loop::sleep(0.0005);
                $wire->write(substr($bytes, $length));
                $x->answered(200, $body);
            }
        });
        $takes("9112.2.1/chopped-$name", "an answer byte by byte ($name)", $bytes, $body, chop: 1);
    }

    // ---- connections ----
    $case('9112.9.3/kept', 'a connection serves several requests', static function (Exchange $x) use ($answer): void {
        $x->ask();
        $x->request($wire);
        $wire->write($answer());
        $x->answered(200, 'ok');
        foreach (['GET', 'POST', 'HEAD', 'DELETE'] as $method) {
            $x->ask($method, "/$method");
            Expect::same("$method /$method HTTP/1.1", $x->request($wire)->line, 'the next request');
            $wire->write($method === 'HEAD' ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" : $answer());
            $x->answered(200, $method === 'HEAD' ? '' : 'ok');
        }
    })->strict();
    $closing = [
        'close' => "HTTP/1.1 200 OK\r\nConnection: close\r\n", 'close-case' => "HTTP/1.1 200 OK\r\nConnection: CLOSE\r\n", 'close-list' => "HTTP/1.1 200 OK\r\nConnection: x, close\r\n",
        'close-second' => "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nConnection: close\r\n", 'close-both' => "HTTP/1.1 200 OK\r\nConnection: close, keep-alive\r\n", '1.0' => "HTTP/1.0 200 OK\r\n", '1.0-other' => "HTTP/1.0 200 OK\r\nConnection: x\r\n",
    ];
    foreach ($closing as $name => $head) {
        $case("9112.9.3/not-kept-$name", "an answer that ends its connection ($name): the next request goes elsewhere", static function (Exchange $x) use ($head): void {
            $x->ask();
            $x->request($wire);
            $wire->write("{$head}Content-Length: 2\r\n\r\nok"); // and our side does not end
            $x->answered(200, 'ok');
            Expect::that($wire->readToEnd(3.0), 'the client does not close');
            Expect::same('', $wire->in, 'what came after');
            $x->goesOn($wire);
        });
    }
    $case('9112.9.3/kept-1.0', 'HTTP/1.0 with keep-alive is kept', static function (Exchange $x) use ($answer): void {
        $x->ask();
        $x->request($wire);
        $wire->write($answer('ok', "Connection: Keep-Alive\r\n", 'HTTP/1.0 200 OK'));
        $x->answered(200, 'ok');
        $x->ask();
        $x->request($wire);
        $wire->write($answer());
        $x->answered(200, 'ok');
    })->strict();
    $rubbish = ['answer' => $answer('evil'), 'noise' => noise(40), 'crlf' => "\r\n", 'byte' => 'x', 'half-answer' => "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"];
    foreach ($rubbish as $name => $bytes) {
        $takes("9112.6.3/behind-$name", "more than the answer: it is no answer to the next request ($name)", $answer() . $bytes);
        $takes("9112.6.3/behind-204-$name", "behind 204 ($name)", "HTTP/1.1 204 No Content\r\n\r\n$bytes", '', 204);
        $takes("9112.6.3/behind-head-$name", "behind the answer to HEAD ($name)", "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n$bytes", '', method: 'HEAD');
        $takes("9112.6.3/behind-chunks-$name", "behind the last chunk ($name)", $chunked("2\r\nok\r\n0\r\n\r\n$bytes"));
        $case("9112.9.2/unasked-$name", "bytes on a connection that waits are no answer to what is asked later ($name)", static function (Exchange $x) use ($answer, $bytes): void {
            $x->ask();
            $x->request($wire);
            $wire->write($answer());
            $x->answered(200, 'ok');
            $wire->write($bytes);
            $x->goesOn($wire);
        });
    }
    $case('9112.9.3.1/closed-while-kept', 'a kept connection that was closed meanwhile disturbs no GET', static function (Exchange $x) use ($answer): void {
        $x->ask();
        $x->request($wire);
        $wire->write($answer());
        $x->answered(200, 'ok');
        $wire->halfClose();
        $x->goesOn($wire);
    });
    foreach (['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'] as $method) {
        foreach (['closed' => false, 'reset' => true] as $how => $isReset) {
            $case("9112.9.3.1/$how-under-$method", "a kept connection that is $how under $method: sent once more, elsewhere", static function (Exchange $x) use ($answer, $method, $isReset): void {
                $x->ask();
                $x->request($wire);
                $wire->write($answer());
                $x->answered(200, 'ok');
                $x->ask($method, '/again');
                $x->request($wire);
                $isReset ? $wire->reset() : $wire->close();
                $again = null;
                Expect::same("$method /again HTTP/1.1", $x->request($again)->line, 'the request, sent again');
                $again->write($method === 'HEAD' ? "HTTP/1.1 200 OK\r\n\r\n" : $answer('second'));
                $x->answered(200, $method === 'HEAD' ? '' : 'second');
            })->strict();
        }
    }
    foreach (['POST', 'PATCH', 'LOCK'] as $method) {
        $case("9112.9.3.1/closed-under-$method", "a kept connection that is closed under $method: it may have been done, so it is not sent again", static function (Exchange $x) use ($answer, $method): void {
            $x->ask();
            $x->request($wire);
            $wire->write($answer());
            $x->answered(200, 'ok');
            $x->ask($method, '/once', [], 'body');
            $x->request($wire);
            $wire->close();
            $x->failed();
            $x->noMore();
        });
    }
    $case('9112.9.3.1/closed-under-new', 'a new connection that is closed under GET is a fault, not a loop', static function (Exchange $x): void {
        $x->ask();
        $x->request($wire);
        $wire->close();
        $x->failed();
        $x->noMore();
    })->strict();
    $case('9112.9.3.1/closed-within-answer', 'a kept connection that ends within an answer: a fault, not a second try', static function (Exchange $x) use ($answer): void {
        $x->ask();
        $x->request($wire);
        $wire->write($answer());
        $x->answered(200, 'ok');
        $x->ask('GET', '/again');
        $x->request($wire);
        $wire->write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nha");
        $wire->halfClose();
        $x->failed();
        $x->noMore();
    })->strict();
    $case('9112.9.5/answer-before-request', 'an answer before the request is out is heard', static function (Exchange $x): void {
        $x->ask('POST', '/', [], noise(8 << 20));
        $wire = $x->accept();
        $wire->readsWhileWriting = false;
        ClientRequest::read($wire, 4.0);
        $wire->write("HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 3\r\n\r\nno.");
        $x->answered(413, 'no.');
        $wire->close();
        $x->goesOn($wire);
    });
    $case('9112.9.5/answer-before-request-kept', 'the same without a word of closing: what is left of the request is not taken for another', static function (Exchange $x): void {
        $x->ask('POST', '/', [], str_repeat("GET /evil HTTP/1.1\r\nHost: x\r\n\r\n", 200000));
        $wire = $x->accept();
        $wire->readsWhileWriting = false;
        ClientRequest::read($wire, 4.0);
        $wire->write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nno.");
        $x->answered(413, 'no.');
        $x->ask('GET', '/next');
        $fresh = null;
        Expect::same('GET /next HTTP/1.1', $x->request($fresh)->line, 'on a connection of its own');
        $fresh->write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext");
        $x->answered(200, 'next');
    });
    $case('9112.9.5/early-then-reads', 'an early answer whose server reads on', static function (Exchange $x): void {
        $x->ask('POST', '/', [], noise(1 << 20));
        $wire = $x->accept();
        ClientRequest::read($wire, 4.0);
        $wire->write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        $x->answered(200, 'ok');
        $wire->in = '';
        $wire->close();
        $x->goesOn($wire);
    });

    // ---- the caller's bounds ----
    foreach (['length' => $answer(str_repeat('x', 1001)), 'length-alone' => "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n", 'chunked' => $chunked("3e9\r\n" . str_repeat('x', 1001) . "\r\n0\r\n\r\n"), 'chunks' => $chunked(str_repeat("64\r\n" . str_repeat('x', 100) . "\r\n", 11) . "0\r\n\r\n"), 'until-end' => "HTTP/1.1 200 OK\r\n\r\n" . str_repeat('x', 1001), 'endless' => "HTTP/1.1 200 OK\r\n\r\n" . str_repeat('x', 4 << 20)] as $name => $bytes) {
        $case("9112.6/too-large-$name", "a body over the caller's limit ($name)", static function (Exchange $x) use ($bytes): void {
            $x->ask('GET', '/', options: ['maxBody' => 1000]);
            $x->request($wire);
            $wire->write($bytes);
            $x->failed();
            Expect::that($wire->readToEnd(3.0), 'the connection stays open');
            $x->goesOn($wire);
        })->strict();
    }
    $case('9112.6/exactly-as-large', 'a body of exactly the limit', static function (Exchange $x) use ($answer, $chunked): void {
        foreach ([$answer(str_repeat('x', 1000)), $chunked("3e8\r\n" . str_repeat('x', 1000) . "\r\n0\r\n\r\n"), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" . str_repeat('x', 1000)] as $bytes) {
            $x->ask('GET', '/', options: ['maxBody' => 1000]);
            isset($wire) ? $x->either($wire) : $x->request($wire);
            $wire->write($bytes);
            if (str_contains($bytes, 'close')) {
                $wire->halfClose();
            }
            $x->answered(200, str_repeat('x', 1000));
        }
    })->strict();
    foreach (['silent' => '', 'half-head' => "HTTP/1.1 200 OK\r\nX", 'half-body' => "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhal"] as $name => $bytes) {
        $case("9112.9.8/late-$name", "an answer that does not come in the caller's time ($name)", static function (Exchange $x) use ($bytes): void {
            $x->ask('GET', '/', options: ['timeout' => 0.2]);
            $x->request($wire);
            $wire->write($bytes);
            $x->failed();
            Expect::that($wire->readToEnd(3.0), 'the connection stays open');
            $x->goesOn($wire);
        })->strict();
    }
    $case('9112.9.8/drip', 'an answer that drips without end ends at the caller\'s time', static function (Exchange $x): void {
        $x->ask('GET', '/', options: ['timeout' => 0.3]);
        $x->request($wire);
        $wire->write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        for ($until = Loop::deadline(4.0); Loop::now() < $until && !$wire->ended;) {
            $wire->write('x');
            $wire->read(0.0);
            Loop::sleep(0.02);
        }
        Expect::that($wire->ended, 'the client reads on and on');
        $x->failed();
        $x->goesOn($wire);
    })->strict();
    $case('9112.9/refused', 'nobody listens', static function (Exchange $x): void {
        $x->close();
        $x->ask();
        $x->failed();
    });
};
