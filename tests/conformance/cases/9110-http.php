<?php

declare(strict_types=1);

// RFC 9110 and 9112: what a server of pages and files answers. `/` is "Hello, World!", `/static/` a folder of ours.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    $ask = static function (Target $t, string $head, bool $isHead = false): Http {
        $wire = $t->connect('http');
        $wire->write($head);

        return Http::read($wire, 8.0, $isHead);
    };
    /** @param \Closure(Http): void $check */
    $file = static fn (string $id, string $title, string $headers, string $path, \Closure $check, string $method = 'GET'): Script => $s->custom('http', "9110/$id", $title, static function (Target $t) use ($headers, $path, $check, $method): void {
        $wire = $t->connect('http');
        $wire->write("$method $path HTTP/1.1\r\nHost: x\r\n$headers\r\n");
        $response = Http::read($wire, 8.0, $method === 'HEAD');
        $check($response);
        Expect::after($wire, !$response->keepsOpen);
    });
    $is = static fn (int $status, ?string $body = null): \Closure => static function (Http $r) use ($status, $body): void {
        Expect::same($status, $r->status, 'status');
        if ($body !== null) {
            Expect::same($body, $r->body, 'body');
        }
    };

    $file('hello', 'the page', '', '/', $is(200, 'Hello, World!'));
    $file('query', 'the page with a query', '', '/?a=b', $is(200, 'Hello, World!'));
    $s->http('9110/absolute-form', 'an absolute target', "GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n", [200], false);
    $file('head', 'HEAD has the length of GET and no body', '', '/', static function (Http $r): void {
        Expect::same(200, $r->status, 'status');
        Expect::that(in_array($r->header('content-length'), ['13', null], true), 'Content-Length');
    }, 'HEAD');
    $file('head-file', 'HEAD of a file', '', '/static/digits.txt', static fn (Http $r) => Expect::same('10', $r->header('content-length'), 'Content-Length'), 'HEAD');
    $file('date', 'a Date is sent', '', '/', static fn (Http $r) => Expect::that(preg_match('/\A(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT\z/', $r->header('date') ?? '') === 1, 'Date: ' . $r->header('date')));
    foreach (['POST', 'PUT', 'DELETE', 'PATCH'] as $method) {
        $file("method-$method", "$method of a page that takes GET: 405 with Allow", "Content-Length: 0\r\n", '/', static function (Http $r): void {
            Expect::same(405, $r->status, 'status');
            Expect::that(str_contains($r->header('allow') ?? '', 'GET'), 'Allow: ' . $r->header('allow'));
        }, $method);
    }
    $s->http('9110/method-unknown', 'an unknown method', "BREW / HTTP/1.1\r\nHost: x\r\n\r\n", [[501, 405]]);
    $s->http('9110/method-unknown-nowhere', 'an unknown method of what is not there', "BREW /nothing/here HTTP/1.1\r\nHost: x\r\n\r\n", [501]);
    $s->http('9110/method-connect', 'CONNECT', "CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n", [[405, 501]]);
    $s->http('9110/method-trace', 'TRACE', "TRACE / HTTP/1.1\r\nHost: x\r\n\r\n", [[405, 501]]);
    foreach (['http://x', 'http://x:80', 'HTTPS://x'] as $i => $whole) {
        $file("options-authority-$i", "OPTIONS $whole asks the server as a whole, as OPTIONS * does (9112, 3.2.4)", '', $whole, static fn (Http $r) => Expect::same([204, null], [$r->status, $r->header('allow')], 'status and Allow'), 'OPTIONS')->strict();
    }
    $s->http('9110/options-asterisk', 'OPTIONS *', "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", [[200, 204, 400, 404, 405]]);
    $s->http('9110/get-asterisk', 'GET *', "GET * HTTP/1.1\r\nHost: x\r\n\r\n", [[400, 404]]);
    $file('not-found', 'what is not there', '', '/nothing/here', $is(404));
    $file('not-found-file', 'a file that is not there', '', '/static/nothing.txt', $is(404));

    // Files.
    $file('file', 'a file', '', '/static/digits.txt', $is(200, '0123456789'));
    $file('file-empty', 'an empty file', '', '/static/empty.txt', $is(200, ''));
    $file('file-large', 'a file of 3 MiB', '', '/static/large.bin', $is(200, Fixture::files()['large.bin']));
    $file('file-sub', 'a file in a folder', '', '/static/sub/inner.css', $is(200, 'body{}'));
    $file('file-encoded', 'a percent-encoded name', '', '/static/space%20name.txt', $is(200, 'space'));
    $file('file-type-html', 'the type of .html', '', '/static/page.html', static fn (Http $r) => Expect::that(str_starts_with($r->header('content-type') ?? '', 'text/html'), 'Content-Type: ' . $r->header('content-type')));
    $file('file-type-css', 'the type of .css', '', '/static/sub/inner.css', static fn (Http $r) => Expect::that(str_starts_with($r->header('content-type') ?? '', 'text/css'), 'Content-Type: ' . $r->header('content-type')));
    $file('file-post', 'POST of a file', "Content-Length: 0\r\n", '/static/digits.txt', $is(405), 'POST');
    foreach (['dots' => '/static/../../../../etc/passwd', 'encoded-dots' => '/static/%2e%2e/%2e%2e/%2e%2e/etc/passwd', 'encoded-slash' => '/static/..%2f..%2f..%2fetc%2fpasswd', 'double-encoded' => '/static/%252e%252e/%252e%252e/%252e%252e/%252e%252e/etc/passwd', 'backslash' => '/static/..\\..\\etc\\passwd', 'nul' => '/static/digits.txt%00.html', 'hidden' => '/static/.hidden', 'double-slash' => '/static//etc/passwd', 'dot-dot-inside' => '/static/sub/../../../../../etc/passwd'] as $name => $path) {
        $s->http("9110/outside-$name", "no way out of the folder ($name)", "GET $path HTTP/1.1\r\nHost: x\r\n\r\n", [[400, 403, 404]]);
    }
    $file('file-encoded-prefix', 'an encoded letter of the folder\'s name', '', '/%73tatic/digits.txt', $is(200, '0123456789'));
    foreach (['%zz', '%', '%1', '%f'] as $bad) {
        $s->http("9110/percent-$bad", "a broken percent-encoding ($bad)", "GET /static/$bad HTTP/1.1\r\nHost: x\r\n\r\n", [[400, 404]]);
    }

    // Conditional requests.
    $s->custom('http', '9110.13/etag', 'an entity tag is sent and a match is 304', static function (Target $t) use ($ask): void {
        $tag = $ask($t, "GET /static/digits.txt HTTP/1.1\r\nHost: x\r\n\r\n")->header('etag') ?? throw new Failed('no ETag');
        Expect::that(preg_match('~\A(W/)?"[\x21\x23-\x7e\x80-\xff]*"\z~', $tag) === 1, "ETag: $tag");
        foreach ([$tag => 304, '*' => 304, "\"no\", $tag" => 304, '"no"' => 200, (str_starts_with($tag, 'W/') ? substr($tag, 2) : "W/$tag") => 304] as $value => $status) {
            $r = $ask($t, "GET /static/digits.txt HTTP/1.1\r\nHost: x\r\nIf-None-Match: $value\r\n\r\n");
            Expect::same($status, $r->status, "If-None-Match: $value");
            Expect::same($tag, $r->header('etag'), 'ETag of the answer');
        }
        Expect::same(412, $ask($t, "GET /static/digits.txt HTTP/1.1\r\nHost: x\r\nIf-Match: \"no\"\r\n\r\n")->status, 'If-Match that does not');
    });
    $s->custom('http', '9110.13/etag-fields', 'If-None-Match spread over two fields is one list', static function (Target $t) use ($ask): void {
        $tag = $ask($t, "GET /static/digits.txt HTTP/1.1\r\nHost: x\r\n\r\n")->header('etag') ?? throw new Failed('no ETag');
        foreach (["If-None-Match: \"no\"\r\nIf-None-Match: $tag\r\n" => 304, "If-None-Match: \"no\"\r\nX: y\r\nif-none-match: \"other\"\r\n" => 200] as $fields => $status) {
            Expect::same($status, $ask($t, "GET /static/digits.txt HTTP/1.1\r\nHost: x\r\n$fields\r\n")->status, $fields);
        }
    });
    $s->custom('http', '9110.13/etag-weak-first', 'If-Match goes on behind a weak tag that it may not compare', static function (Target $t) use ($ask): void {
        $tag = $ask($t, "GET /static/digits.txt HTTP/1.1\r\nHost: x\r\n\r\n")->header('etag') ?? throw new Failed('no ETag');
        $strong = !str_starts_with($tag, 'W/');
        Expect::same($strong ? 200 : 412, $ask($t, "GET /static/digits.txt HTTP/1.1\r\nHost: x\r\nIf-Match: W/$tag, $tag\r\n\r\n")->status, 'If-Match: W/tag, tag');
        Expect::same(412, $ask($t, "GET /static/digits.txt HTTP/1.1\r\nHost: x\r\nIf-Match: W/$tag\r\n\r\n")->status, 'If-Match: W/tag');
    });
    $s->custom('http', '9110.13/etag-none', 'what is no entity-tag matches none: W/ is capital, and its quotes are where it begins and ends (8.8.3)', static function (Target $t) use ($ask): void {
        $tag = $ask($t, "GET /static/digits.txt HTTP/1.1\r\nHost: x\r\n\r\n")->header('etag') ?? throw new Failed('no ETag');
        $opaque = str_starts_with($tag, 'W/') ? substr($tag, 2) : $tag;
        foreach (["w/$opaque" => 200, "x$opaque" => 200, "{$opaque}x" => 200, "\"a, $opaque\"" => 200, trim($opaque, '"') => 200, ",\t\"a,\\\" ,, W/$opaque ," => 304, "\"a\"\"b\", $opaque" => 304] as $value => $status) {
            Expect::same($status, $ask($t, "GET /static/digits.txt HTTP/1.1\r\nHost: x\r\nIf-None-Match: $value\r\n\r\n")->status, "If-None-Match: $value");
        }
    });
    $s->custom('http', '9110.13/last-modified', 'Last-Modified and If-Modified-Since', static function (Target $t) use ($ask): void {
        $date = $ask($t, "GET /static/digits.txt HTTP/1.1\r\nHost: x\r\n\r\n")->header('last-modified') ?? throw new Failed('no Last-Modified');
        foreach ([$date => 304, 'Thu, 01 Jan 1970 00:00:00 GMT' => 200, 'nonsense' => 200] as $value => $status) {
            Expect::same($status, $ask($t, "GET /static/digits.txt HTTP/1.1\r\nHost: x\r\nIf-Modified-Since: $value\r\n\r\n")->status, "If-Modified-Since: $value");
        }
        Expect::same(412, $ask($t, "GET /static/digits.txt HTTP/1.1\r\nHost: x\r\nIf-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n")->status, 'If-Unmodified-Since long ago');
        Expect::same(200, $ask($t, "GET /static/digits.txt HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"no\"\r\nIf-Modified-Since: $date\r\n\r\n")->status, 'If-None-Match goes before If-Modified-Since');
    });

    // Ranges.
    foreach (['0-3' => ['0123', '0-3'], '5-' => ['56789', '5-9'], '-3' => ['789', '7-9'], '0-0' => ['0', '0-0'], '9-9' => ['9', '9-9'], '3-100' => ['3456789', '3-9'], '-100' => ['0123456789', '0-9'], '0-' => ['0123456789', '0-9']] as $range => [$body, $content]) {
        $file("range-$range", "Range: bytes=$range", "Range: bytes=$range\r\n", '/static/digits.txt', static function (Http $r) use ($body, $content): void {
            Expect::same(206, $r->status, 'status');
            Expect::same($body, $r->body, 'body');
            Expect::same("bytes $content/10", $r->header('content-range'), 'Content-Range');
        });
    }
    $file('range-empty-elements', 'empty elements of the list of ranges are passed over (5.6.1.2)', "Range: bytes=,0-3 , ,\r\n", '/static/digits.txt', $is(206, '0123'));
    foreach (['10-', '10-20', '99-', '-0'] as $range) {
        $file("range-bad-$range", "Range: bytes=$range cannot be satisfied", "Range: bytes=$range\r\n", '/static/digits.txt', static function (Http $r): void {
            Expect::same(416, $r->status, 'status');
            Expect::same('bytes */10', $r->header('content-range'), 'Content-Range');
        });
    }
    foreach (['5-3', 'a-b', '', '--', '1-2-3', '18446744073709551616-'] as $i => $range) {
        $file("range-invalid-$i", "an invalid Range (bytes=$range) is ignored or refused", "Range: bytes=$range\r\n", '/static/digits.txt', static fn (Http $r) => Expect::status($r, [200, 400, 416]));
    }
    $file('range-other-unit', 'an unknown range unit is ignored', "Range: lines=1-2\r\n", '/static/digits.txt', $is(200, '0123456789'));
    $file('range-if-range', 'If-Range that does not match: the whole', "Range: bytes=0-3\r\nIf-Range: \"no\"\r\n", '/static/digits.txt', $is(200, '0123456789'));
    $file('range-many', 'a thousand ranges do not multiply the answer', 'Range: bytes=' . implode(',', array_fill(0, 500, '0-9')) . "\r\n", '/static/digits.txt', static fn (Http $r) => Expect::that(strlen($r->body) < 1000, 'the answer has ' . strlen($r->body) . ' bytes'));
    $file('range-large', 'a range of the large file', "Range: bytes=1000000-1999999\r\n", '/static/large.bin', $is(206, substr(Fixture::files()['large.bin'], 1000000, 1000000)));

    // What is refused before it has a handler.
    foreach (['no-host' => "HEAD / HTTP/1.1\r\n\r\n", 'asterisk' => "HEAD * HTTP/1.1\r\nHost: x\r\n\r\n", 'bad-field' => "HEAD / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n", 'too-long' => 'HEAD /' . str_repeat('a', 65536) . " HTTP/1.1\r\nHost: x\r\n\r\n", 'too-many' => "HEAD / HTTP/1.1\r\nHost: x\r\n" . str_repeat("X: y\r\n", 2000) . "\r\n"] as $name => $bytes) {
        $s->custom('http', "9110.9.3.2/head-refused-$name", "a HEAD that is refused has no content either ($name)", static function (Target $t) use ($bytes): void {
            $wire = $t->connect('http');
            $wire->write($bytes);
            Expect::status(Http::read($wire, 8.0, true), [400, 404, 414, 431]);
            Expect::that($wire->readToEnd(6.0), 'the connection was not closed');
            Expect::same('', $wire->in, 'content of an answer to HEAD');
        });
    }
    $s->custom('http', '9110.9.3.2/get-after-head-refused', 'a bad GET behind a good HEAD is refused with content', static function (Target $t): void {
        $wire = $t->connect('http');
        $wire->write("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
        Expect::same(200, Http::read($wire, 8.0, true)->status, 'HEAD');
        $wire->write("GET / HTTP/1.1\r\n\r\n");
        Expect::same(400, Http::read($wire, 8.0)->status, 'GET without Host');
        Expect::that($wire->readToEnd(6.0), 'the connection was not closed');
        Expect::same('', $wire->in, 'bytes after the refusal');
    });

    // Connections.
    $s->http('9112.9/close', 'Connection: close is obeyed', "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", [200], true);
    $s->http('9112.9/close-case', 'Connection: Close in other case', "GET / HTTP/1.1\r\nHost: x\r\nConnection: foo, CLOSE\r\n\r\n", [200], true);
    $s->http('9112.9/http-1.0', 'HTTP/1.0 closes', "GET / HTTP/1.0\r\nHost: x\r\n\r\n", [200], true);
    $s->http('9112.9/http-1.0-no-host', 'HTTP/1.0 needs no Host', "GET / HTTP/1.0\r\n\r\n", [200], true);
    $s->http('9112.9/http-1.2', 'HTTP/1.2 is answered as 1.1', "GET / HTTP/1.2\r\nHost: x\r\n\r\n", [200]);
    $s->http('9112.9/http-1.9-kept', 'HTTP/1.9 is read as 1.1: the connection is kept', "GET / HTTP/1.9\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", [200, 200]);
    $s->http('9112.9/keep-alive', 'the connection is kept', "GET / HTTP/1.1\r\nHost: x\r\n\r\n", [200], false);
    $s->http('9112.9/chopped', 'byte by byte', "GET / HTTP/1.1\r\nHost: x\r\n\r\n", [200], false, 1);
    $s->http('9112.2/leading-crlf', 'an empty line before the request', "\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", [200], false);
    $s->http('9112.9/pipeline', 'fifty pipelined requests', str_repeat("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 50), array_fill(0, 50, 200), false);
    $s->http('9112.9/pipeline-chopped', 'pipelined, in pieces of 7', str_repeat("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 10), array_fill(0, 10, 200), false, 7);
    $s->http('9112.9/pipeline-mixed', 'pages, files and errors by turns', "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /static/digits.txt HTTP/1.1\r\nHost: x\r\n\r\nGET /no HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", [200, 200, 404, 200], false);
    $s->http('9112.9/pipeline-after-close', 'nothing is answered behind Connection: close', "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", [200], true);
    $s->http('9112.9/body-then-request', 'a body is not taken for a request', "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 38\r\n\r\nGET /static/no HTTP/1.1\r\nHost: xyz\r\n\r\n" . "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", [[200, 405], 200], true);
    foreach (['404' => 'GET /no', '405' => 'POST /', '404-file' => 'GET /static/no'] as $name => $line) {
        $s->http("9112.9/kept-after-$name", "a well-formed request that cannot be served ($name) does not cost the connection", "$line HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n" . "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", [[404, 405], 200], true, 0, true)->strict();
    }
    $s->custom('http', '9112.9/half-close', 'a client that half-closes gets its answer', static function (Target $t): void {
        $wire = $t->connect('http');
        $wire->write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        $wire->halfClose();
        Expect::same('Hello, World!', Http::read($wire, 8.0)->body, 'body');
        Expect::that($wire->readToEnd(6.0), 'not closed');
    });

    // Expect.
    $s->custom('http', '9110.10/continue', 'Expect: 100-continue is answered before the body', static function (Target $t): void {
        $wire = $t->connect('http');
        $wire->write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
        $first = Http::read($wire, 8.0);
        Expect::status($first, [100, 405, 417]);
        if ($first->status === 100) {
            $wire->write('hello');
            Expect::status(Http::read($wire, 8.0), [200, 405]);
        }
    });
    $s->http('9110.10/other', 'an unknown expectation: 417, or ignored', "GET / HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n", [[417, 200]]);

    // Limits.
    $s->http('9110.15/uri-too-long', 'a target of 64 KiB', 'GET /' . str_repeat('a', 65536) . " HTTP/1.1\r\nHost: x\r\n\r\n", [[414, 431]], true);
    $s->http('9110.15/header-too-large', 'a header of 64 KiB', "GET / HTTP/1.1\r\nHost: x\r\nX: " . str_repeat('a', 65536) . "\r\n\r\n", [431], true);
    $s->http('9110.15/too-many-headers', 'two thousand headers', "GET / HTTP/1.1\r\nHost: x\r\n" . str_repeat("X: y\r\n", 2000) . "\r\n", [431], true);
    $s->http('9110.15/body-too-large', 'a body of 1 TiB is refused from its head', "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1099511627776\r\n\r\n", [[413, 405]], true);
    $s->http('9110.15/cookie-flood', 'one Cookie of 8 KiB is served or named', "GET / HTTP/1.1\r\nHost: x\r\nCookie: " . str_repeat('a=b; ', 1600) . "c=d\r\n\r\n", [[200, 431]]);
};
