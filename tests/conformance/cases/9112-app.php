<?php

declare(strict_types=1);

// RFC 9110 and 9112 with handlers that show what arrived: bodies, streamed answers, statuses, field values. Server: servers/app.php

namespace Tusk\Conformance;

return static function (Suite $s): void {
    /** Sends, reads as many answers as there are checks, and wants the connection to go on (or end, when an answer says so). */
    $app = static fn (string $id, string $title, string $bytes, array $checks, int $chop = 0): Script
        => $s->custom('app', $id, $title, static function (Target $t) use ($bytes, $checks, $chop): void {
            $wire = $t->connect('app');
            $wire->chop = $chop;
            $wire->write($bytes);
            $isHead = str_starts_with($bytes, 'HEAD ');
            foreach ($checks as $check) {
                $response = Http::read($wire, 8.0, $isHead);
                is_int($check) ? Expect::same($check, $response->status, 'status') : $check($response);
            }
            Expect::after($wire, !$response->keepsOpen);
        });
    $is = static fn (string $body, int $status = 200): \Closure => static function (Http $r) use ($body, $status): void {
        Expect::same($status, $r->status, 'status');
        Expect::that($body === $r->body, 'the body has ' . strlen($r->body) . ' bytes: ' . Http::quote($r->body));
    };
    $post = static fn (string $body, string $method = 'POST', string $more = ''): string
        => "$method /echo HTTP/1.1\r\nHost: x\r\n{$more}Content-Length: " . strlen($body) . "\r\n\r\n$body";
    $chunked = static fn (string $body): string => "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n$body";

    // Bodies of a length.
    foreach ([0, 1, 100, 4096, 65535, 65536, 1 << 20] as $n) {
        $app("9112.6/body-of-$n", "a body of $n bytes arrives as it was sent", $post(noise($n)), [$is(noise($n))]);
    }
    foreach ([1, 7, 1000] as $chop) {
        $app("9112.6/body-in-pieces-of-$chop", "a body in pieces of $chop", $post(noise(3 * $chop + 100)), [$is(noise(3 * $chop + 100))], $chop);
    }
    foreach (['PUT', 'PATCH', 'DELETE'] as $method) {
        $app("9110.9/body-of-$method", "$method has a body", $post('body', $method), [static function (Http $r) use ($method): void {
            Expect::same('body', $r->body, 'body');
            Expect::same($method, $r->header('x-method'), 'X-Method');
        }]);
    }
    $app('9112.6/no-length', 'a POST without length has no body', "POST /echo HTTP/1.1\r\nHost: x\r\n\r\n", [$is('')]);
    $app('9112.6/get-with-body', 'the body of a GET is not the next request', "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 32\r\n\r\nGET /no HTTP/1.1\r\nHost: x\r\n\r\nabc" . $post('next'), [$is('app'), $is('next')]);
    $app('9112.6/length-zeros', 'leading zeros of a length', "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 0005\r\n\r\nhello", [$is('hello')]);
    $app('9112.6/http-1.0-body', 'a body of HTTP/1.0', "POST /echo HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello", [$is('hello')]);
    $app('9112.9/pipelined-bodies', 'twenty pipelined bodies, each to its own answer', implode('', array_map(static fn (int $i): string => $post(noise(100 * $i, $i)), range(0, 19))), array_map(static fn (int $i): \Closure => $is(noise(100 * $i, $i)), range(0, 19)));
    $app('9112.9/pipelined-bodies-chopped', 'the same in pieces of 13', implode('', array_map(static fn (int $i): string => $post(noise(10 * $i, $i)), range(0, 9))), array_map(static fn (int $i): \Closure => $is(noise(10 * $i, $i)), range(0, 9)), 13);
    $app('9112.9/order', 'a late answer is not overtaken by the one behind it', "GET /late HTTP/1.1\r\nHost: x\r\n\r\n" . $post('quick') . "GET / HTTP/1.1\r\nHost: x\r\n\r\n", [$is('late'), $is('quick'), $is('app')]);
    $app('9112.9/order-behind-stream', 'nor put into a streamed one', "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n" . $post('quick'), [$is('one two three'), $is('quick')]);
    foreach (['body' => "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf", 'chunk' => "{$chunked('')}10\r\nhalf", 'chunks' => "{$chunked('')}4\r\nhalf\r\n", 'head' => "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Len"] as $name => $bytes) {
        $s->custom('app', "9112.8/half-$name", "a request that ends within its $name is not served", static function (Target $t) use ($bytes): void {
            $wire = $t->connect('app');
            $wire->write($bytes);
            $wire->halfClose();
            Expect::that($wire->readToEnd(8.0), 'the connection stayed open');
            Expect::that($wire->in === '' || preg_match('~\AHTTP/1\.1 (400|408) ~', $wire->in) === 1, 'got ' . Http::quote($wire->in));
        });
    }

    $s->custom('app', '9112.9/half-close-late', 'a client that half-closes gets the answer that takes a while', static function (Target $t) use ($is): void {
        $wire = $t->connect('app');
        $wire->write("GET /late HTTP/1.1\r\nHost: x\r\n\r\n");
        $wire->halfClose();
        $is('late')(Http::read($wire, 8.0));
        Expect::that($wire->readToEnd(6.0), 'not closed');
    });

    // Bodies in chunks: what the handler sees is the data, nothing of the framing.
    $good = [
        'one' => ["5\r\nhello\r\n0\r\n\r\n", 'hello'], 'empty' => ["0\r\n\r\n", ''], 'many' => ["1\r\na\r\n2\r\nbc\r\n3\r\ndef\r\n0\r\n\r\n", 'abcdef'], 'zeros' => ["0005\r\nhello\r\n0000\r\n\r\n", 'hello'],
        'capitals' => ["A\r\n0123456789\r\n0\r\n\r\n", '0123456789'], 'small-letters' => ["a\r\n0123456789\r\n0\r\n\r\n", '0123456789'], 'crlf-inside' => ["4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n"],
        'last-chunk-inside' => ["5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n"], 'extension' => ["5;a\r\nhello\r\n0;b=c\r\n\r\n", 'hello'], 'extension-values' => ["5;a=b;c=\"d;e\\\"f\"\r\nhello\r\n0\r\n\r\n", 'hello'],
        'trailer' => ["5\r\nhello\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n", 'hello'], 'trailer-framing' => ["5\r\nhello\r\n0\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\nHost: y\r\n\r\n", 'hello'],
        'by-ones' => [implode('', array_map(static fn (string $b): string => "1\r\n$b\r\n", str_split(prose(300)))) . "0\r\n\r\n", prose(300)], 'large' => ["40000\r\n" . noise(1 << 18) . "\r\n0\r\n\r\n", noise(1 << 18)],
    ];
    foreach ($good as $name => [$body, $data]) {
        $app("9112.7/data-of-$name", "what a chunked body holds ($name)", $chunked($body) . $post('next'), [$is($data), $is('next')]);
        if (strlen($body) < 3000) {
            $app("9112.7/data-of-$name-chopped", "the same, byte by byte ($name)", $chunked($body) . $post('next'), [$is($data), $is('next')], 1);
        }
    }
    $s->custom('app', '9112.7/trailers-are-no-headers', 'a trailer does not become a header', static function (Target $t): void {
        $wire = $t->connect('app');
        $wire->write("GET /seen HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Trailer: here\r\nCookie: a=b\r\n\r\n");
        $seen = Http::read($wire, 8.0)->body;
        Expect::that(!str_contains($seen, 'x-trailer') && !str_contains($seen, 'cookie'), $seen);
    });
    $s->custom('app', '9112.7/chunks-over-limit', 'chunks that add up to more than the limit: 413', static function (Target $t): void {
        $wire = $t->connect('app');
        $wire->write("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
        for ($i = 0; $i < 6 && $wire->write("100000\r\n" . noise(1 << 20) . "\r\n"); $i++) {
            continue;
        }
        Expect::status(Http::read($wire, 8.0), [413]);
    });

    // Expect: 100-continue.
    $s->custom('app', '9110.10/continue-then-body', '100 comes before the body, 200 behind it', static function (Target $t) use ($is): void {
        $wire = $t->connect('app');
        $wire->write("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
        Expect::same(100, Http::read($wire, 8.0)->status, 'status');
        $wire->write('hello');
        $is('hello')(Http::read($wire, 8.0));
        Expect::after($wire, false);
    });
    $s->custom('app', '9110.10/continue-body-there', 'a body that is there already: 100 may be left out', static function (Target $t) use ($is): void {
        $wire = $t->connect('app');
        $wire->write("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello");
        $first = Http::read($wire, 8.0);
        $is('hello')($first->status === 100 ? Http::read($wire, 8.0) : $first);
        Expect::after($wire, false);
    });
    foreach (['list' => '100-continue, 100-continue', 'empty-elements' => ', 100-Continue ,'] as $name => $value) {
        $s->custom('app', "9110.10/continue-$name", "Expect is a list (5.6.1.2): $value", static function (Target $t) use ($is, $value): void {
            $wire = $t->connect('app');
            $wire->write("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: $value\r\n\r\n");
            Expect::same(100, Http::read($wire, 8.0)->status, 'status');
            $wire->write('hello');
            $is('hello')(Http::read($wire, 8.0));
            Expect::after($wire, false);
        });
    }
    $app('9110.10/continue-empty', 'an Expect that names nothing expects nothing', "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: ,\r\n\r\nhello", [$is('hello')]);
    $app('9110.10/continue-no-body', 'Expect without a body: no 100', "GET / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n", [$is('app')]);
    $s->custom('app', '9110.10/continue-http-1.0', 'HTTP/1.0 gets no 100', static function (Target $t) use ($is): void {
        $wire = $t->connect('app');
        $wire->write("POST /echo HTTP/1.0\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
        Loop::sleep(0.3);
        $wire->write('hello');
        $is('hello')(Http::read($wire, 8.0));
    });
    $s->custom('app', '9110.10/continue-too-large', 'a body over the limit is refused before it is sent', static function (Target $t): void {
        $wire = $t->connect('app');
        $wire->write("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n");
        Expect::same(413, Http::read($wire, 8.0)->status, 'status');
    });

    // Answers without a length.
    $app('9112.7/stream', 'a streamed answer is chunked', "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n", [static function (Http $r) use ($is): void {
        $is('one two three')($r);
        Expect::same('chunked', $r->header('transfer-encoding'), 'Transfer-Encoding');
    }]);
    $s->custom('app', '9112.7/stream-http-1.0', 'to HTTP/1.0 it ends with the connection', static function (Target $t) use ($is): void {
        $wire = $t->connect('app');
        $wire->write("GET /stream HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n\r\n");
        $response = Http::read($wire, 8.0);
        $is('one two three')($response);
        Expect::same(null, $response->header('transfer-encoding'), 'Transfer-Encoding');
        Expect::that(!$response->keepsOpen, 'it promises to keep the connection');
        Expect::that($wire->readToEnd(6.0), 'the connection stays open');
    });
    $app('9110.9/stream-head', 'HEAD of it has no body', "HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n", [200]);
    foreach ([204, 304] as $status) {
        $app("9110.15/status-$status", "$status has no body, whatever the handler gave it", "GET /status/$status HTTP/1.1\r\nHost: x\r\n\r\n" . $post('next'), [$is('', $status), $is('next')]);
    }
    foreach ([200, 206, 299, 404, 418, 500, 599] as $status) {
        $app("9110.15/status-$status", "$status with its body", "GET /status/$status HTTP/1.1\r\nHost: x\r\n\r\n", [$is('body', $status)]);
    }
    foreach ([100, 199, 600, 0, 1000] as $status) {
        $app("9110.15/status-$status", "a status that is none for a handler ($status): 500", "GET /status/$status HTTP/1.1\r\nHost: x\r\n\r\n", [500]);
    }

    // Response splitting.
    foreach (['crlf' => '%0d%0aX-Evil:%20yes', 'lf' => '%0aX-Evil:%20yes', 'cr' => '%0dX-Evil:%20yes', 'body' => '%0d%0a%0d%0aevil', 'second' => '%0d%0aContent-Length:%200%0d%0a%0d%0aHTTP/1.1%20200%20OK', 'fold' => 'a%0d%0a%20b'] as $name => $value) {
        foreach (['field' => 'field?value', 'location' => 'redirect?to'] as $where => $target) {
            $app("9112.11/split-$where-$name", "a value with $name in a $where is refused, not sent", "GET /$target=$value HTTP/1.1\r\nHost: x\r\n\r\n" . $post('next'), [static function (Http $r): void {
                Expect::same(500, $r->status, 'status');
                Expect::same(null, $r->header('x-evil'), 'X-Evil');
            }, $is('next')]);
        }
    }
    $app('9112.5/value-kept', 'a value with spaces and bytes above 7F is sent as it is', "GET /field?value=a%20%20b%c3%a4 HTTP/1.1\r\nHost: x\r\n\r\n", [static fn (Http $r) => Expect::same("a  b\xc3\xa4", $r->header('x-value'), 'X-Value')]);

    // What a handler sees of a request.
    /** @param array<string, mixed> $wanted */
    $seen = static fn (string $id, string $title, string $target, string $headers, array $wanted): Script => $s->custom('app', $id, $title, static function (Target $t) use ($target, $headers, $wanted): void {
        $wire = $t->connect('app');
        $wire->write("GET $target HTTP/1.1\r\n$headers\r\n");
        $response = Http::read($wire, 8.0);
        Expect::same(200, $response->status, 'status');
        $got = json_decode($response->body, true, 8, JSON_THROW_ON_ERROR);
        foreach ($wanted as $name => $value) {
            Expect::same($value, str_starts_with($name, 'header:') ? $got['headers'][substr($name, 7)] ?? null : $got[$name] ?? null, $name);
        }
    });
    $seen('9112.5/spaces-around', 'white space around a value does not belong to it', '/seen', "Host: x\r\nX-A: \t a b \t \r\n", ['header:x-a' => 'a b']);
    $seen('9112.5/empty-value', 'an empty value', '/seen', "Host: x\r\nX-A:\r\n", ['header:x-a' => '']);
    $seen('9110.5/repeated', 'lines of one name are one list, in order', '/seen', "Host: x\r\nX-A: 1\r\nX-B: 2\r\nx-a: 3\r\n", ['header:x-a' => '1, 3', 'header:x-b' => '2']);
    $seen('9110.5/repeated-cookie', 'Cookie lines are joined by "; "', '/seen', "Host: x\r\nCookie: a=1\r\nCookie: b=2\r\n", ['header:cookie' => 'a=1; b=2'])->strict();
    $seen('9112.3/query', 'path and query', '/seen?a=1&b=%20x&c', "Host: x\r\n", ['path' => '/seen', 'query' => ['a' => '1', 'b' => ' x', 'c' => '']]);
    $seen('9112.3/absolute-form', 'an absolute target: its authority goes before Host', 'http://other/seen?x=1', "Host: x\r\n", ['path' => '/seen', 'query' => ['x' => '1'], 'header:host' => 'other']);
    $seen('9112.3/percent-encoded-path', 'an encoded path is the same path', '/%73een', "Host: x\r\n", ['path' => '/seen']);
};
