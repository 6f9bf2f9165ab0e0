<?php

declare(strict_types=1);

// RFC 9112, sections 2, 5, 6, 7: message syntax and framing; what two parsers could read differently is refused.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    $get = "GET / HTTP/1.1\r\nHost: x\r\n";
    $post = "POST / HTTP/1.1\r\nHost: x\r\n";
    /** Refused, and nothing after it is answered: what follows is the attacker's second request. */
    $no = static fn (string $id, string $title, string $bytes, int ...$with): Script => $s->custom('http', "9112.6/$id", $title, static function (Target $t) use ($bytes, $with): void {
        $wire = $t->connect('http');
        $wire->write($bytes . "GET /static/digits.txt HTTP/1.1\r\nHost: x\r\n\r\n");
        Expect::status(Http::read($wire, 8.0), $with === [] ? [400] : array_values($with));
        Expect::that($wire->readToEnd(6.0), 'the connection was not closed');
        Expect::same('', $wire->in, 'bytes after the refusal');
        Expect::that(!$wire->wasReset, 'reset');
    });

    // Content-Length.
    foreach (['plus' => '+5', 'minus' => '-5', 'hex' => '0x5', 'space-inside' => '1 2', 'text' => 'five', 'empty' => '', 'float' => '5.0', 'exponent' => '1e1', 'comma' => '5,', 'list-differs' => '5, 6', 'underscore' => '1_0', 'overflow' => '18446744073709551621', '2p63' => '9223372036854775808', 'nul' => "5\0", 'letters-after' => '5a', 'arabic' => "\xd9\xa5"] as $name => $value) {
        $no("length-$name", "Content-Length: $value", "{$post}Content-Length: $value\r\n\r\nhello", 400, 413);
    }
    $no('length-list-same', 'Content-Length: 5, 5', "{$post}Content-Length: 5, 5\r\n\r\nhello", 400, 405)->strict();
    $no('length-twice-differs', 'two different Content-Length', "{$post}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello");
    $no('length-twice-same', 'Content-Length twice, the same', "{$post}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 400, 405)->strict();
    $no('length-twice-zero', 'Content-Length 0 and 5', "{$post}Content-Length: 0\r\nContent-Length: 5\r\n\r\nhello");
    $no('length-huge', 'a body over every limit', "{$post}Content-Length: 999999999999999\r\n\r\n", 413, 405, 400)->strict();

    // Transfer-Encoding.
    $no('both', 'Content-Length and Transfer-Encoding', "{$post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    $no('both-other-order', 'Transfer-Encoding and Content-Length', "{$post}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n");
    $no('both-get', 'both on a GET', "{$get}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    $te = [
        'identity' => 'identity', 'gzip' => 'gzip', 'chunked-gzip' => 'chunked, gzip', 'xchunked' => 'xchunked', 'chunkedx' => 'chunkedx', 'quoted' => '"chunked"',
        'vertical-tab' => "\x0bchunked", 'form-feed' => "chunked\x0c", 'nul' => "chunked\0", 'semicolon' => 'chunked;q=1', 'chunk' => 'chunk', 'empty' => '',
        'twice-in-list' => 'chunked, chunked', 'cow' => 'cow', 'high' => "chunked\xa0", 'identity-chunked' => 'identity, chunked',
    ];
    foreach ($te as $name => $value) {
        $no("te-$name", 'Transfer-Encoding: ' . addcslashes($value, "\0..\37\177..\377"), "{$post}Transfer-Encoding: $value\r\n\r\n0\r\n\r\n", 400, 501);
    }
    $no('te-twice', 'Transfer-Encoding twice', "{$post}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, 501)->strict();
    $no('te-twice-identity', 'Transfer-Encoding chunked and identity', "{$post}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n", 400, 501);
    $no('te-http-1.0', 'Transfer-Encoding in HTTP/1.0', "POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, 501, 505)->strict();
    $no('te-space-before-colon', 'a space before the colon', "{$post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n");
    $no('te-folded', 'an obs-fold in Transfer-Encoding', "{$post}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n");
    $no('te-line-space', 'a header line that begins with a space', "{$post}X: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    $no('te-bare-cr', 'a bare CR before Transfer-Encoding', "{$post}X: y\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    $no('te-bare-lf', 'a bare LF before Transfer-Encoding', "{$post}X: y\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")->strict();
    $no('te-nul-name', 'NUL in the name', "{$post}Transfer\0-Encoding: chunked\r\n\r\n0\r\n\r\n");

    // Chunks. The example's handlers need not take a POST: refusing the method at once is fine too.
    $chunked = "{$post}Transfer-Encoding: chunked\r\n\r\n";
    $bad = [
        'size-empty' => "\r\nhello\r\n0\r\n\r\n", 'size-text' => "xyz\r\nhello\r\n0\r\n\r\n", 'size-0x' => "0x5\r\nhello\r\n0\r\n\r\n", 'size-plus' => "+5\r\nhello\r\n0\r\n\r\n",
        'size-minus' => "-5\r\nhello\r\n0\r\n\r\n", 'size-space-before' => " 5\r\nhello\r\n0\r\n\r\n", 'size-overflow' => "10000000000000005\r\nhello\r\n0\r\n\r\n",
        'size-ffff' => "ffffffffffffffff\r\nhello\r\n0\r\n\r\n", 'size-many-zeros' => str_repeat('0', 5000) . "5\r\nhello\r\n0\r\n\r\n", 'size-underscore' => "1_0\r\n" . str_repeat('a', 16) . "\r\n0\r\n\r\n",
        'no-crlf-after' => "5\r\nhelloXX0\r\n\r\n", 'longer-data' => "5\r\nhello world\r\n0\r\n\r\n", 'bare-lf-after-size' => "5\nhello\r\n0\r\n\r\n", 'bare-lf-after-data' => "5\r\nhello\n0\r\n\r\n",
        'bare-cr-after-size' => "5\rhello\r\n0\r\n\r\n", 'extension-nul' => "5;a=\0\r\nhello\r\n0\r\n\r\n", 'extension-bare-lf' => "5;a\nhello\r\n0\r\n\r\n", 'extension-bare-cr' => "5;a\rb\r\nhello\r\n0\r\n\r\n",
        'extension-long' => '5;' . str_repeat('a', 1 << 17) . "\r\nhello\r\n0\r\n\r\n", 'trailer-no-colon' => "0\r\nnonsense\r\n\r\n", 'trailer-space-colon' => "0\r\nX : y\r\n\r\n",
        'trailer-long' => "0\r\nX: " . str_repeat('a', 1 << 17) . "\r\n\r\n", 'trailer-many' => "0\r\n" . str_repeat("X: y\r\n", 20000) . "\r\n", 'trailer-fold' => "0\r\nX: y\r\n z\r\n\r\n",
    ];
    foreach ($bad as $name => $body) {
        $no("chunk-$name", "a chunked body that is broken ($name)", $chunked . $body, 400, 405, 413, 431)->strict();
    }
    $good = [
        'one' => "5\r\nhello\r\n0\r\n\r\n", 'capitals' => "A\r\n0123456789\r\n0\r\n\r\n", 'zeros' => "0005\r\nhello\r\n000\r\n\r\n", 'extension' => "5;name=value\r\nhello\r\n0\r\n\r\n",
        'extension-quoted' => "5;a=\"b;c\"\r\nhello\r\n0\r\n\r\n", 'trailer' => "0\r\nX-Sum: 1\r\n\r\n", 'empty' => "0\r\n\r\n", 'trailer-framing' => "0\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    ];
    foreach ($good as $name => $body) {
        foreach ([0, 1] as $chop) {
            $s->http("9112.7/chunk-$name" . ($chop > 0 ? '-chopped' : ''), "a good chunked body ($name) is consumed whole, whatever the answer", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n$body" . "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", [[200, 404, 405], 200], true, $chop);
        }
    }

    // Lines.
    foreach (['obs-fold' => "X-A: a\r\n b\r\n", 'obs-fold-tab' => "X-A: a\r\n\tb\r\n", 'space-colon' => "X-A : a\r\n", 'no-colon' => "X-A\r\n", 'empty-name' => ": a\r\n", 'name-space' => "X A: a\r\n", 'name-high' => "X\xe9: a\r\n", 'name-nul' => "X\0: a\r\n", 'value-nul' => "X: a\0b\r\n", 'value-cr' => "X: a\rb\r\n"] as $name => $line) {
        $no("line-$name", "a bad header line ($name)", "$get$line\r\n");
    }
    $no('line-bare-lf', 'a bare LF as line end', "GET / HTTP/1.1\r\nHost: x\nX: y\r\n\r\n")->strict();
    $no('line-bare-lf-end', 'LF LF as the end of the head', "GET / HTTP/1.1\r\nHost: x\r\n\n")->strict();
    $no('host-none', 'HTTP/1.1 without Host', "GET / HTTP/1.1\r\n\r\n");
    $no('host-two', 'two Hosts', "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
    $no('host-bad', 'a malformed Host', "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n")->strict();
    foreach (['0.9' => 'GET /', 'junk' => 'GET / HTTP/1.1x', 'lower' => 'GET / http/1.1', 'no-slash' => 'GET / HTTP1.1', 'words' => 'GET / x HTTP/1.1', 'two-spaces' => 'GET  / HTTP/1.1', 'tab' => "GET\t/\tHTTP/1.1", 'nul' => "GET /\0 HTTP/1.1", '1.' => 'GET / HTTP/1.', '11' => 'GET / HTTP/11'] as $name => $line) {
        $no("request-line-$name", "a bad request line ($name)", "$line\r\nHost: x\r\n\r\n", 400, 505, 501);
    }
    $no('version-2', 'HTTP/2.0', "GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505, 400);
    $no('version-2-505', 'HTTP/2.0: 505', "GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505)->strict();
    $no('version-3', 'HTTP/3.0', "GET / HTTP/3.0\r\nHost: x\r\n\r\n", 505, 400);
    $no('version-0', 'HTTP/0.9', "GET / HTTP/0.9\r\nHost: x\r\n\r\n", 505, 400);
    foreach (['paren' => 'G(T', 'high' => "G\xc9T", 'colon' => 'GET:', 'empty' => ''] as $name => $method) {
        $no("method-$name", "a method that is no token ($name)", "$method / HTTP/1.1\r\nHost: x\r\n\r\n", 400, 501);
    }

    // Each of the 256 bytes in one place; what is refused ends the connection, and the request behind it is not answered.
    $token = static fn (int $b): bool => $b < 128 && (ctype_alnum(chr($b)) || str_contains("!#$%&'*+-.^_`|~", chr($b)));
    $value = static fn (int $b): bool => $b === 9 || ($b >= 32 && $b !== 127);
    $places = [
        'name' => ['a field name', "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX%sY: v\r\n\r\n", static fn (int $b): bool => $token($b) || $b === 0x3a, [200]],
        'value' => ['a field value', "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: a%sb\r\n\r\n", $value, [200]],
        'value-first' => ['the place behind the colon', "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX:%sb\r\n\r\n", $value, [200]],
        'method' => ['a method', "G%sT / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", $token, [200, 404, 405, 501]],
    ];
    foreach ($places as $name => [$place, $bytes, $good, $statuses]) {
        $s->custom('http', "9112.5/every-byte-in-$name", "every byte in $place: answered or refused", static function (Target $t) use ($bytes, $good, $statuses): void {
            for ($b = 0; $b < 256; $b++) {
                $wire = $t->connect('http');
                $wire->write(sprintf($bytes, chr($b)) . "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
                $response = Http::read($wire, 8.0);
                Expect::that(in_array($response->status, $good($b) ? $statuses : [400], true), sprintf('byte %02x: %d', $b, $response->status));
                Expect::that($wire->readToEnd(6.0) && $wire->in === '', sprintf('byte %02x: not closed, or more answers', $b));
                $wire->close();
            }
        });
    }
};
