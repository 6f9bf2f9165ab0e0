<?php

declare(strict_types=1);

// WHATWG HTML, server-sent events (9.2): what a client of event streams must send, read and give up.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    $case = static fn (string $id, string $title, \Closure $body): Script => $s->exchange("client-sse/$id", $title, $body, 'sse-client');
    $head = static fn (string $fields = '', string $line = 'HTTP/1.1 200 OK', string $type = 'text/event-stream'): string => "$line\r\nContent-Type: $type\r\n$fields\r\n";
    $chunk = static fn (string $bytes): string => dechex(strlen($bytes)) . "\r\n$bytes\r\n";
    /** After it the client comes back at once. */
    $soon = "retry: 10\n\n";
    /** A stream of one event, told from every other. */
    $proof = static function (Exchange $x, Wire $wire, string $id = ''): void {
        $wire->chop = 0;
        $wire->write("\nevent: proof\ndata: of life\n\n");
        $x->event('of life', 'proof', $id);
    };

    // ---- the grammar: events of a stream, at once and byte by byte ----
    $bom = "\xef\xbb\xbf";
    $streams = [
        'one' => ["data: x\n\n", ['x']], 'crlf' => ["data: x\r\n\r\n", ['x']], 'cr' => ["data: x\r\rdata: y\r\r\r", ['x', 'y']], 'mixed-ends' => ["data: x\r\n\ndata: y\r\r\ndata: z\n\r\n", ['x', 'y', 'z']],
        'two-lines' => ["data: a\ndata: b\n\n", ["a\nb"]], 'two-lines-mixed' => ["data: a\rdata: b\n\n", ["a\nb"]], 'no-colon' => ["data\n\n", ['']], 'empty-data' => ["data:\n\n", ['']],
        'empty-lines' => ["data:\ndata\n\n", ["\n"]], 'three-empty' => ["data\ndata\ndata\n\n", ["\n\n"]], 'no-space' => ["data:test\n\ndata: test\n\n", ['test', 'test']], 'two-spaces' => ["data:  x\n\n", [' x']],
        'tab' => ["data:\tx\n\n", ["\tx"]], 'trailing-space' => ["data: x \n\n", ['x ']], 'colon-in-value' => ["data: a: b:c\n\n", ['a: b:c']], 'colon-first' => ["data::x\n\n", [':x']],
        'comment' => [":comment\n\n: data: x\n\ndata: y\n\n", ['y']], 'comment-inside' => ["data: a\n: b\ndata: c\n\n", ["a\nc"]], 'empty-comment' => [":\n\n", []], 'only-empty-lines' => ["\n\n\n\r\n\r\r", []],
        'unknown-field' => ["foo: bar\ndata: x\nbaz\n\n", ['x']], 'case-matters' => ["DATA: a\nData: b\ndata: c\n\n", ['c']], 'space-before-name' => [" data: a\ndata: b\n\n", ['b']], 'space-after-name' => ["data : a\ndata: b\n\n", ['b']],
        'no-data' => ["event: a\n\ndata: x\n\n", ['x']], 'type' => ["event: a\ndata: x\n\n", [['x', 'a']]], 'type-after' => ["data: x\nevent: a\n\n", [['x', 'a']]], 'type-twice' => ["event: a\nevent: b\ndata: x\n\n", [['x', 'b']]],
        'type-empty' => ["event: \ndata: x\n\n", ['x']], 'type-emptied' => ["event: a\nevent\ndata: x\n\n", ['x']], 'type-of-one' => ["event: a\ndata: x\n\ndata: y\n\n", [['x', 'a'], 'y']], 'type-message' => ["event: message\ndata: x\n\n", ['x']],
        'type-of-nothing' => ["event: a\n\nevent: b\ndata: x\n\n", [['x', 'b']]], 'type-high' => ["event: \u{e4}\u{1f600}\ndata: x\n\n", [['x', "\u{e4}\u{1f600}"]]], 'type-space' => ["event:  a b \ndata: x\n\n", [['x', ' a b ']]],
        'id' => ["id: 1\ndata: x\n\n", [['x', 'message', '1']]], 'id-stays' => ["id: 42\r\ndata: x\n\ndata: y\n\n", [['x', 'message', '42'], ['y', 'message', '42']]], 'id-cleared' => ["id: 1\ndata: x\n\nid\ndata: y\n\n", [['x', 'message', '1'], 'y']],
        'id-cleared-colon' => ["id: 1\ndata: x\n\nid:\ndata: y\n\n", [['x', 'message', '1'], 'y']], 'id-twice' => ["id: 1\nid: 2\ndata: x\n\n", [['x', 'message', '2']]], 'id-after-data' => ["data: x\nid: 1\n\n", [['x', 'message', '1']]],
        'id-without-data' => ["id: 43\n\ndata: x\n\n", [['x', 'message', '43']]], 'id-nul' => ["id: a\0b\ndata: x\n\n", ['x']], 'id-nul-keeps' => ["id: 1\ndata: x\n\nid: \0\ndata: y\n\n", [['x', 'message', '1'], ['y', 'message', '1']]],
        'id-case' => ["ID: 1\ndata: x\n\n", ['x']], 'id-spaces' => ["id:  a b \ndata: x\n\n", [['x', 'message', ' a b ']]], 'id-high' => ["id: \u{e4}\ndata: x\n\n", [['x', 'message', "\u{e4}"]]], 'id-colon' => ["id: 1:2\ndata: x\n\n", [['x', 'message', '1:2']]],
        'retry-in-event' => ["retry: 5000\ndata: x\n\n", ['x']], 'bom' => ["{$bom}data: x\n\n", ['x']], 'bom-empty-line' => ["$bom\ndata: x\n\n", ['x']], 'bom-twice' => ["$bom{$bom}data: x\n\ndata: y\n\n", ['y']], 'bom-later' => ["data: x\n\n{$bom}data: y\n\n", ['x']],
        'bom-half' => ["\xef\xbbdata: x\n\ndata: y\n\n", ['y']], 'bom-in-data' => ["data: {$bom}x\n\n", ["{$bom}x"]], 'bom-comment' => ["$bom: x\ndata: y\n\n", ['y']],
        'utf8' => ["data: a\u{e4}\u{8a9e}\u{1f600}\n\n", ["a\u{e4}\u{8a9e}\u{1f600}"]], 'bad-utf8' => ["data: a\xffb\n\n", ["a\u{fffd}b"]], 'bad-utf8-cut' => ["data: a\xe4\xb8\n\ndata: y\n\n", ["a\u{fffd}", 'y']], 'bad-utf8-surrogate' => ["data: \xed\xa0\x80\n\n", ["\u{fffd}\u{fffd}\u{fffd}"]],
        'bad-utf8-overlong' => ["data: \xc0\x80\n\n", ["\u{fffd}\u{fffd}"]], 'bad-utf8-type' => ["event: \xff\ndata: x\n\n", [['x', "\u{fffd}"]]], 'bad-utf8-id' => ["id: \xff\ndata: x\n\n", [['x', 'message', "\u{fffd}"]]], 'bad-utf8-name' => ["data\xff: a\ndata: b\n\n", ['b']],
        'nul-in-data' => ["data: a\0b\n\n", ["a\0b"]], 'nul-in-name' => ["da\0ta: a\ndata: b\n\n", ['b']], 'other-ends' => ["data: a\x0bb\x0cc\u{85}d\u{2028}e\n\n", ["a\x0bb\x0cc\u{85}d\u{2028}e"]],
        'many' => [implode('', array_map(static fn (int $i): string => "id: $i\ndata: event $i\n\n", range(1, 50))), array_map(static fn (int $i): array => ["event $i", 'message', (string) $i], range(1, 50))],
        'looks-like-chunk' => ["data: 0\r\n\r\ndata: 5\r\n\r\n", ['0', '5']], 'json' => ["data: {\ndata: \"a\": 1\ndata: }\n\n", ["{\n\"a\": 1\n}"]], 'order' => ["data: x\nretry: 9000\nid: 7\nevent: t\n\n", [['x', 't', '7']]],
    ];
    foreach ($streams as $name => [$bytes, $events]) {
        foreach (['' => 0, '-chopped' => 1] as $how => $chop) {
            $case("$name$how", 'a stream is read as the standard says' . ($chop > 0 ? ', byte by byte' : '') . " ($name)", static function (Exchange $x) use ($bytes, $events, $chop, $head, $proof): void {
                $x->listen();
                $x->request($wire);
                $wire->write($head());
                $wire->chop = $chop;
                $wire->write($bytes);
                $id = '';
                foreach ($events as $event) {
                    [$data, $type, $id] = (array) $event + ['', 'message', ''];
                    $x->event($data, $type, $id);
                }
                $proof($x, $wire, $id);
            });
        }
    }
    $case('cut-everywhere', 'a block of every kind of field, in two pieces, cut at every byte', static function (Exchange $x) use ($head): void {
        $x->listen();
        $x->request($wire);
        $wire->write($head());
        $block = "event: t\u{e4}\r\nid: 7\u{e4}\r: c\ndata: a\u{1f600}\xff\r\ndata:b\r\n\r\n";
        for ($length = 1; $length < strlen($block); $length++) {
            $wire->write(substr($block, 0, $length));
            Loop::sleep(0.0005);
            $wire->write(substr($block, $length));
            $x->event("a\u{1f600}\u{fffd}\nb", "t\u{e4}", "7\u{e4}");
        }
    });
    $case('chunks-anywhere', 'chunks that end anywhere in a line', static function (Exchange $x) use ($head, $chunk): void {
        $x->listen();
        $x->request($wire);
        $wire->write($head("Transfer-Encoding: chunked\r\n"));
        $block = "id: 7\r\ndata: a\u{1f600}\r\n\r\n";
        for ($length = 1; $length < strlen($block); $length++) {
            $wire->write($chunk(substr($block, 0, $length)) . $chunk(substr($block, $length)));
            $x->event("a\u{1f600}", id: '7');
        }
    });
    $case('bom-each-time', 'each connection may begin with a mark of its own', static function (Exchange $x) use ($head, $bom): void {
        $x->listen();
        for ($round = 1; $round <= 3; $round++) {
            $wire = null;
            $x->request($wire);
            $wire->write($head() . "{$bom}data: $round\nretry: 10\n\n");
            $x->event((string) $round);
            $wire->halfClose();
        }
    });
    $case('large-data', 'data of 500,000 bytes in one line', static function (Exchange $x) use ($head, $proof): void {
        $x->listen();
        $x->request($wire);
        $wire->write($head() . 'data: ' . str_repeat('long ', 100000) . "\n\n");
        $x->event(str_repeat('long ', 100000));
        $proof($x, $wire);
    });
    $case('many-lines', 'data of 5,000 lines', static function (Exchange $x) use ($head, $proof): void {
        $x->listen();
        $x->request($wire);
        $wire->write($head() . implode('', array_map(static fn (int $i): string => "data: $i\n", range(1, 5000))) . "\n");
        $x->event(implode("\n", range(1, 5000)));
        $proof($x, $wire);
    });

    // ---- limits ----
    foreach (['data' => 'data: ', 'comment' => ':', 'unknown' => 'x: ', 'id' => 'id: ', 'no-colon' => ''] as $name => $field) {
        $case("line-without-end-$name", "a line that never ends is given up ($name)", static function (Exchange $x) use ($head, $field): void {
            $x->listen();
            $x->request($wire);
            $wire->write($head() . $field);
            for ($sent = 0; $sent < 64 && $wire->write(str_repeat('x', 1 << 18), 4.0); $sent++) {
                continue;
            }
            $x->givenUp();
            Expect::that($wire->readToEnd(3.0), 'the connection stays open');
        })->strict();
    }
    $case('data-without-end', 'data lines without an empty line are given up', static function (Exchange $x) use ($head): void {
        $x->listen();
        $x->request($wire);
        $wire->write($head());
        $lines = str_repeat('data: ' . str_repeat('x', 1000) . "\n", 1000);
        for ($sent = 0; $sent < 64 && $wire->write($lines, 4.0); $sent++) {
            continue;
        }
        $x->givenUp();
        Expect::that($wire->readToEnd(3.0), 'the connection stays open');
    })->strict()->heavy();

    // ---- the request ----
    $case('request', 'GET, Accept, no caching, no id', static function (Exchange $x) use ($head, $proof): void {
        $x->listen('/events?topic=a');
        $request = $x->request($wire);
        Expect::same('GET /events?topic=a HTTP/1.1', $request->line, 'request line');
        Expect::same(["127.0.0.1:$x->port"], $request->headers['host'] ?? [], 'Host');
        Expect::same(['text/event-stream'], $request->headers['accept'] ?? [], 'Accept');
        Expect::that(str_contains(strtolower($request->header('cache-control') ?? ''), 'no-'), 'Cache-Control');
        Expect::same(null, $request->header('last-event-id'), 'Last-Event-ID');
        $wire->write($head());
        $proof($x, $wire);
    });
    $case('request-fields', 'fields that are given go along, each time', static function (Exchange $x) use ($head, $soon, $proof): void {
        $x->listen(headers: ['X-A' => 'b']);
        Expect::same('b', $x->request($wire)->header('x-a'), 'X-A');
        $wire->write($head() . $soon);
        $wire->halfClose();
        $again = null;
        Expect::same('b', $x->request($again)->header('x-a'), 'X-A');
        $again->write($head());
        $proof($x, $again);
    });
    $case('given-id', 'the id of an earlier stream', static function (Exchange $x) use ($head): void {
        $x->listen(lastEventId: '41:7');
        Expect::same(['41:7'], $x->request($wire)->headers['last-event-id'] ?? [], 'Last-Event-ID');
        $wire->write($head() . "data: x\n\nid: 8\ndata: y\n\n");
        $x->event('x', id: '41:7');
        $x->event('y', id: '8');
    });

    // ---- coming back ----
    /** What the first connection says, and the Last-Event-ID of the second. */
    $comesBack = static fn (string $id, string $title, string $bytes, ?string $lastId, array $events = [], string $how = 'end', string $fields = ''): Script
        => $case($id, $title, static function (Exchange $x) use ($bytes, $lastId, $events, $how, $fields, $head, $proof): void {
            $x->listen();
            $x->request($wire);
            $wire->write($head($fields) . $bytes);
            foreach ($events as $event) {
                $x->event(...(array) $event);
            }
            $how === 'end' ? $wire->halfClose() : ($how === 'reset' ? $wire->reset() : null);
            $again = null;
            $request = $x->request($again);
            Expect::same('GET /events HTTP/1.1', $request->line, 'request line');
            Expect::same($lastId, $request->header('last-event-id'), 'Last-Event-ID');
            $again->write($head());
            $proof($x, $again, $lastId ?? '');
        });
    $comesBack('back-after-end', 'a stream that ends: the client comes back', $soon, null);
    $comesBack('back-after-empty', 'a stream of an event and the end', "retry: 10\ndata: x\n\n", null, ['x']);
    $comesBack('back-after-reset', 'a reset', "{$soon}data: x\n\n", null, ['x'], 'reset');
    $comesBack('back-with-id', 'with the last id', "{$soon}id: 42\ndata: x\n\n", '42', [['x', 'message', '42']]);
    $comesBack('back-with-id-of-no-event', 'with the id of a block without data', "{$soon}id: 43\n\n", '43');
    $comesBack('back-without-cleared-id', 'without one that was taken back', "{$soon}id: 1\ndata: x\n\nid\ndata: y\n\n", null, [['x', 'message', '1'], 'y']);
    $comesBack('back-with-high-id', 'with an id beyond ASCII, as UTF-8', "{$soon}id: \u{e4}\ndata: x\n\n", "\u{e4}", [['x', 'message', "\u{e4}"]]);
    $comesBack('back-without-nul-id', 'not with one that has NUL', "{$soon}id: 1\ndata: x\n\nid: 2\0\ndata: y\n\n", '1', [['x', 'message', '1'], ['y', 'message', '1']]);
    foreach (['event' => "data: lost", 'line' => "data: lost\n", 'cr' => "data: lost\r", 'id' => "id: 9\ndata: lost\n", 'id-alone' => "id: 9\n", 'type' => "event: lost\n", 'half-name' => 'da', 'half-utf8' => "data: \xe4"] as $name => $bytes) {
        $comesBack("unfinished-$name", "an event without its empty line is thrown away, with its id ($name)", "{$soon}id: 1\ndata: x\n\n$bytes", '1', [['x', 'message', '1']]);
        $comesBack("unfinished-$name-reset", "the same after a reset ($name)", "{$soon}id: 1\ndata: x\n\n$bytes", '1', [['x', 'message', '1']], 'reset');
    }
    $comesBack('back-after-last-chunk', 'the last chunk ends a stream, without an end of the connection', "11\r\nretry: 10\ndata: x\r\n2\r\n\n\n\r\n0\r\n\r\n", null, ['x'], 'stays', "Transfer-Encoding: chunked\r\n");
    $comesBack('back-after-length', 'so does a length that is full', "retry: 10\ndata: x\n\n", null, ['x'], 'stays', "Content-Length: 19\r\n");
    $comesBack('back-after-broken-chunk', 'a broken chunk is a network error', "13\r\nretry: 10\ndata: x\n\n\r\nbroken\r\n", null, ['x'], 'stays', "Transfer-Encoding: chunked\r\n");
    $comesBack('back-after-cut-chunk', 'so is one cut short', "13\r\nretry: 10\ndata: x\n\n\r\nff\r\ndata: lost\n\n", null, ['x', 'lost'], 'end', "Transfer-Encoding: chunked\r\n");
    $comesBack('retry-last-wins', 'the last retry counts', "retry: 60000\nretry: 10\n\n", null);
    $comesBack('retry-without-event', 'a retry counts at once, without an empty line', "retry: 10\n", null);
    foreach (['letters' => '60000x', 'empty' => '', 'minus' => '-60000', 'plus' => '+60000', 'float' => '60000.0', 'space-after' => '60000 ', 'space-before' => ' 60000', 'hex' => '0xffff', 'exponent' => '6e4', 'high' => "\u{666}\u{660}\u{660}\u{660}\u{660}", 'nul' => "60000\0"] as $name => $value) {
        $comesBack("retry-bad-$name", "a retry that is not of digits alone is ignored ($name)", "retry: 10\nretry: $value\n\n", null);
    }
    $comesBack('retry-zeros', 'leading zeros are digits', "retry: 60000\nretry: 0000010\n\n", null);
    $comesBack('retry-zero', 'zero is a time', "retry: 60000\nretry: 0\n\n", null);
    $comesBack('retry-case', 'RETRY is no field', "retry: 10\nRETRY: 60000\n\n", null);
    $comesBack('retry-in-comment', 'nor is one in a comment', "retry: 10\n:retry: 60000\n\n", null);
    $case('back-after-half-head', 'a connection that ends within the head', static function (Exchange $x) use ($head, $soon, $proof): void {
        $x->listen();
        $x->request($wire);
        $wire->write($head() . $soon);
        $wire->halfClose();
        foreach (['', 'HTTP/1.1 200 OK', substr($head(), 0, -2)] as $bytes) {
            $next = null;
            $x->request($next);
            $next->write($bytes);
            $next->halfClose();
        }
        $last = null;
        $x->request($last);
        $last->write($head());
        $proof($x, $last);
    });
    $case('back-ten-times', 'ten times, each with the id of the last', static function (Exchange $x) use ($head): void {
        $x->listen();
        for ($round = 1; $round <= 10; $round++) {
            $wire = null;
            Expect::same($round === 1 ? null : 'id-' . ($round - 1), $x->request($wire)->header('last-event-id'), 'Last-Event-ID');
            $wire->write($head() . "retry: 10\nid: id-$round\ndata: $round\n\n");
            $x->event((string) $round, id: "id-$round");
            $wire->halfClose();
        }
    });

    // ---- which answers are a stream ----
    $opens = static fn (string $id, string $title, string $answer, string $before = ''): Script
        => $case($id, $title, static function (Exchange $x) use ($answer, $before, $proof): void {
            $x->listen();
            $x->request($wire);
            $wire->chop = str_contains($before, 'chop') ? 1 : 0;
            $wire->write($answer);
            $proof($x, $wire);
        });
    foreach (['upper' => 'TEXT/EVENT-STREAM', 'charset' => 'text/event-stream; charset=utf-8', 'other-charset' => 'text/event-stream;charset=iso-8859-1', 'parameters' => 'text/event-stream; a=b; c="d;e"', 'semicolon' => 'text/event-stream;', 'space' => 'text/event-stream ;x=y'] as $name => $type) {
        $opens("type-of-$name", "a stream by its type ($type)", $head(type: $type));
    }
    $opens('head-chopped', 'the head byte by byte', $head("X-A: b\r\n"), 'chop');
    $opens('head-1.0', 'HTTP/1.0', $head(line: 'HTTP/1.0 200 OK'));
    $opens('head-no-reason', 'no reason phrase', $head(line: 'HTTP/1.1 200 '));
    $opens('head-folded', 'a folded field', "HTTP/1.1 200 OK\r\nContent-Type:\r\n text/event-stream\r\nX-A: b\r\n\tc\r\n\r\n");
    $opens('head-interim', 'interim answers before it', "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" . $head());
    $opens('head-many-fields', 'sixty fields', $head(implode('', array_map(static fn (int $i): string => "X-$i: $i\r\n", range(1, 60)))));
    $opens('head-close', 'Connection: close', $head("Connection: close\r\n"));

    /** The client fails for good: no event, no second connection. */
    $givesUp = static fn (string $id, string $title, string $answer, bool $ends = false): Script
        => $case($id, $title, static function (Exchange $x) use ($answer, $ends): void {
            $x->listen();
            $x->request($wire);
            $wire->write($answer);
            if ($ends) {
                $wire->halfClose();
            }
            $x->givenUp();
            Expect::that($wire->readToEnd(3.0), 'the connection stays open');
            $x->noMore();
        });
    $event = "retry: 10\ndata: evil\n\n";
    $givesUp('204', '204 tells a client to stop', "HTTP/1.1 204 No Content\r\n\r\n");
    $givesUp('204-with-type', '204 with the right type', $head(line: 'HTTP/1.1 204 No Content'));
    foreach ([201, 202, 203, 205, 206, 299, 300, 304, 305, 306, 400, 401, 403, 404, 410, 418, 429, 500, 502, 503, 504, 599] as $status) {
        $givesUp("status-$status", "status $status is no stream, whatever its type", $head(line: "HTTP/1.1 $status X") . ($status === 304 ? '' : $event));
    }
    foreach (['html' => 'text/html', 'plain' => 'text/plain', 'longer' => 'text/event-streams', 'shorter' => 'text/event-strea', 'other-top' => 'application/event-stream', 'empty' => '', 'parameter' => 'text/plain; type=text/event-stream', 'list' => 'text/plain, text/event-stream', 'quoted' => '"text/event-stream"', 'slashless' => 'event-stream', 'space' => 'text/event-stream x'] as $name => $type) {
        $givesUp("no-type-$name", "200 of another type is no stream ($type)", $head(type: $type) . $event);
    }
    $givesUp('no-type', '200 without a type', "HTTP/1.1 200 OK\r\n\r\n$event");
    $givesUp('compressed', 'a coding that nobody asked for', $head("Content-Encoding: gzip\r\n") . noise(40))->strict();
    $givesUp('not-http', 'an answer that is no HTTP', "SSH-2.0-x\r\n\r\n")->strict();
    $givesUp('not-http-noise', 'noise', noise(300) . "\r\n\r\n")->strict();
    $givesUp('bad-field', 'a field line that is none', $head("X A: b\r\n") . $event)->strict();
    $givesUp('both-framings', 'Content-Length and Transfer-Encoding', $head("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") . $event)->strict();
    $givesUp('head-too-large', 'a head without measure', $head('X-A: ' . str_repeat('a', 1 << 20) . "\r\n") . $event)->strict();
    $givesUp('101', 'an upgrade that nobody asked for', "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n$event")->strict();
    $case('204-later', '204 as the client comes back', static function (Exchange $x) use ($head, $soon): void {
        $x->listen();
        $x->request($wire);
        $wire->write($head() . "{$soon}id: 5\ndata: x\n\n");
        $x->event('x', id: '5');
        $wire->halfClose();
        $again = null;
        $x->request($again);
        $again->write("HTTP/1.1 204 No Content\r\n\r\n");
        Expect::same('5', $x->givenUp(), 'the last id');
        $x->noMore();
    });
    foreach ([429, 502, 503, 504] as $status) {
        $case("server-mode-$status", "between servers $status may be asked to mean: later", static function (Exchange $x) use ($head, $soon, $status, $proof): void {
            $x->listen(retriesOnErrorStatus: true);
            $x->request($wire);
            $wire->write($head() . $soon);
            $wire->halfClose();
            $again = null;
            $x->request($again);
            $again->write("HTTP/1.1 $status Later\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n");
            $last = null;
            $x->request($last);
            $last->write($head());
            $proof($x, $last);
        })->strict();
    }

    // ---- redirects ----
    foreach ([301, 302, 303, 307, 308] as $status) {
        $case("redirect-$status", "a redirect is followed, and followed again when the client comes back ($status)", static function (Exchange $x) use ($head, $status, $proof): void {
            $x->listen('/first', ['X-A' => 'b']);
            for ($round = 1; $round <= 2; $round++) {
                $wire = null;
                Expect::same('GET /first HTTP/1.1', $x->request($wire)->line, 'request line');
                $wire->write("HTTP/1.1 $status Moved\r\nLocation: {$x->url('/second?a=b')}\r\nContent-Length: 0\r\n\r\n");
                $request = $x->either($wire);
                Expect::same('GET /second?a=b HTTP/1.1', $request->line, 'where it leads');
                Expect::same(['b', 'text/event-stream', $round === 1 ? null : '7'], array_map($request->header(...), ['x-a', 'accept', 'last-event-id']), 'fields');
                $wire->write($head() . "retry: 10\nid: 7\ndata: x\n\n");
                $x->event('x', id: '7');
                if ($round === 1) {
                    $wire->halfClose();
                }
            }
            $proof($x, $wire, '7');
        });
    }
    foreach (['absolute-path' => ['/other', '/other'], 'relative' => ['other?c=d', '/a/other?c=d'], 'dots' => ['../other', '/other'], 'query' => ['?x=y', '/a/b?x=y'], 'fragment' => ['/other#part', '/other']] as $name => [$location, $target]) {
        $case("redirect-to-$name", "where a relative redirect leads ($location)", static function (Exchange $x) use ($head, $location, $target, $proof): void {
            $x->listen('/a/b');
            $x->request($wire);
            $wire->write("HTTP/1.1 302 Found\r\nLocation: $location\r\nContent-Length: 0\r\n\r\n");
            Expect::same("GET $target HTTP/1.1", $x->either($wire)->line, 'request line');
            $wire->write($head());
            $proof($x, $wire);
        });
    }
    $case('redirect-to-204', 'a redirect to 204 stops', static function (Exchange $x): void {
        $x->listen();
        $x->request($wire);
        $wire->write("HTTP/1.1 302 Found\r\nLocation: /gone\r\nContent-Length: 0\r\n\r\n");
        $x->either($wire);
        $wire->write("HTTP/1.1 204 No Content\r\n\r\n");
        $x->givenUp();
    });
    $case('redirect-with-body', 'the body of a redirect is no stream', static function (Exchange $x) use ($head, $event, $proof): void {
        $x->listen();
        $x->request($wire);
        $wire->write($head("Location: /other\r\nContent-Length: " . strlen($event) . "\r\n", 'HTTP/1.1 302 Found') . $event);
        $x->either($wire);
        $wire->write($head());
        $proof($x, $wire);
    });
    foreach (['none' => '', 'other-scheme' => "Location: ftp://127.0.0.1/\r\n", 'broken' => "Location: http://[::/\r\n", 'script' => "Location: javascript:alert(1)\r\n", 'file' => "Location: file:///etc/passwd\r\n"] as $name => $field) {
        $givesUp("redirect-nowhere-$name", "a redirect that leads nowhere ($name)", $head($field, 'HTTP/1.1 302 Found') . $event);
    }
    $case('redirect-without-end', 'redirects in a circle are given up', static function (Exchange $x): void {
        $x->listen();
        $x->request($wire);
        for ($round = 0; $round < 20; $round++) {
            $wire->write("HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n");
            $x->either($wire);
        }
        $wire->write("HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n");
        $x->givenUp();
        $x->noMore();
    })->strict();
    $case('redirect-to-other-origin', 'credentials stay with their origin', static function (Exchange $x) use ($head): void {
        $there = stream_socket_server('tcp://127.0.0.1:0') ?: throw new \LogicException('cannot listen');
        stream_set_blocking($there, false);
        $x->listen(headers: ['Authorization' => 'Bearer secret', 'Cookie' => 'a=b', 'X-A' => 'b']);
        Expect::same('Bearer secret', $x->request($wire)->header('authorization'), 'Authorization');
        $wire->write('HTTP/1.1 307 X' . "\r\nLocation: http://" . stream_socket_get_name($there, false) . "/\r\nContent-Length: 0\r\n\r\n");
        Expect::that(Loop::wait($there, true, false, Loop::deadline(4.0)), 'the redirect was not followed');
        $other = new Wire(stream_socket_accept($there, 0.0) ?: throw new Failed('the redirect was not followed'));
        $request = $x->request($other);
        Expect::same([null, null], array_map($request->header(...), ['authorization', 'cookie']), 'credentials');
        $other->write($head() . "data: x\n\n");
        $x->event('x');
    });
};
