<?php

declare(strict_types=1);

// WHATWG HTML, server-sent events: what a server must write. `/events` streams what is POSTed to `/publish`.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    $case = static fn (string $id, string $title, \Closure $body): Script => $s->custom('sse', "eventsource/$id", $title, $body);

    $case('status-and-type', 'a stream is 200 with text/event-stream', static function (Target $t): void {
        $stream = EventStream::open($t);
        Expect::same(200, $stream->head->status, 'status');
        Expect::same('text/event-stream', strtolower(trim(explode(';', $stream->head->header('content-type') ?? '')[0])), 'Content-Type');
        Expect::same(null, $stream->head->header('content-length'), 'Content-Length');
    });
    $case('no-cache', 'a stream is not to be cached', static function (Target $t): void {
        $cache = strtolower(EventStream::open($t)->head->header('cache-control') ?? '');
        Expect::that(str_contains($cache, 'no-cache') || str_contains($cache, 'no-store'), "Cache-Control: $cache");
    });
    $case('no-buffering', 'X-Accel-Buffering: no', static fn (Target $t) => Expect::same('no', EventStream::open($t)->head->header('x-accel-buffering'), 'X-Accel-Buffering'))->strict();
    $case('chunked', 'HTTP/1.1 streams are chunked', static fn (Target $t) => Expect::same('chunked', strtolower(EventStream::open($t)->head->header('transfer-encoding') ?? ''), 'Transfer-Encoding'))->strict();
    $case('first-bytes', 'something follows the head at once, so that no middle box holds it back', static function (Target $t): void {
        $stream = EventStream::open($t);
        Expect::that($stream->more(3.0), 'nothing came after the head');
        Expect::that(preg_match('/\A(?:\xef\xbb\xbf)?(:|retry:|id:|event:|data:|\r|\n)/', $stream->raw) === 1, 'got ' . Http::quote($stream->raw));
    })->strict();
    $case('http-1.0', 'an HTTP/1.0 client gets no chunks', static function (Target $t): void {
        $stream = EventStream::open($t, line: 'GET /events HTTP/1.0');
        Expect::same(200, $stream->head->status, 'status');
        Expect::same(null, $stream->head->header('transfer-encoding'), 'Transfer-Encoding');
        $stream->skipTo(EventStream::mark($t)); // others publish beside it
    });
    $case('head', 'HEAD of a stream ends', static function (Target $t): void {
        $wire = $t->connect('sse');
        $wire->write("HEAD /events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n");
        Expect::status(Http::read($wire, 6.0, true), [200, 405]);
    });
    $case('head-as-get', 'HEAD of a stream is answered as GET is: RFC 9110, 9.1 and 9.3.2', static function (Target $t): void {
        $wire = $t->connect('sse');
        $wire->write("HEAD /events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n");
        $head = Http::read($wire, 6.0, true);
        $get = EventStream::open($t)->head;
        Expect::same($get->status, $head->status, 'status');
        foreach (['content-type', 'cache-control'] as $field) {
            Expect::same($get->header($field), $head->header($field), $field);
        }
    })->strict();
    $case('post', 'POST to the stream is refused', static function (Target $t): void {
        $wire = $t->connect('sse');
        $wire->write("POST /events HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
        Expect::status(Http::read($wire, 6.0), [405]);
    });
    $case('no-accept', 'a client without Accept is served', static fn (Target $t) => Expect::same(200, EventStream::open($t, accept: null)->head->status, 'status'));
    $case('publish-answers', 'a post is answered', static fn (Target $t) => Expect::that(EventStream::publish($t, 'x') < 300, 'refused'));
    foreach (['get' => 'GET', 'delete' => 'DELETE'] as $name => $method) {
        $case("publish-$name", "$method of /publish is refused", static function (Target $t) use ($method): void {
            $wire = $t->connect('sse');
            $wire->write("$method /publish HTTP/1.1\r\nHost: x\r\n\r\n");
            Expect::status(Http::read($wire, 6.0), [405, 404]);
        });
    }
    $payloads = [
        'plain' => 'hello', 'leading-space' => ' x', 'two-leading-spaces' => '  x', 'trailing-space' => 'x ', 'colon' => ': x', 'field' => 'data: x', 'id-line' => 'id: 7',
        'two-lines' => "a\nb", 'lf-at-end' => "a\n", 'lf-at-start' => "\na", 'two-lf' => "a\n\nb", 'only-lf' => "\n", 'injection' => "x\n\nevent: evil\ndata: y\n\n",
        'id-injection' => "x\nid: evil\n\n", 'utf8' => "aä語\u{1f600}", 'bom' => "\u{feff}x", 'nul' => "a\0b", 'json' => '{"a":"b\\n"}', 'long' => str_repeat('long ', 20000),
        'many-lines' => implode("\n", range(1, 500)),
    ];
    foreach ($payloads as $name => $data) {
        $case("data-$name", "data arrives as it was published ($name)", static function (Target $t) use ($data): void {
            $stream = EventStream::open($t);
            $stream->skipTo(EventStream::mark($t));
            EventStream::publish($t, $data);
            Expect::same($data, $stream->event()['data'], 'data');
        })->alone();
    }
    foreach (['crlf' => "a\r\nb", 'cr' => "a\rb", 'crlf-injection' => "x\r\n\r\nevent: evil\r\ndata: y"] as $name => $data) {
        $case("data-$name", "line ends in data become LF ($name): nothing is injected", static function (Target $t) use ($data): void {
            $stream = EventStream::open($t);
            $stream->skipTo(EventStream::mark($t));
            EventStream::publish($t, $data);
            $event = $stream->event();
            Expect::same(str_replace(["\r\n", "\r"], "\n", $data), $event['data'], 'data');
            Expect::same('message', $event['type'], 'type');
        })->alone();
    }
    $case('ids-grow', 'every event with data has an id, and no two the same', static function (Target $t): void {
        $stream = EventStream::open($t);
        foreach (range(1, 20) as $i) {
            EventStream::publish($t, "event $i");
        }
        $ids = [];
        foreach (range(1, 20) as $i) {
            $ids[] = $stream->event()['id'];
        }
        Expect::that(count(array_unique($ids)) === 20 && !in_array('', $ids, true), 'ids: ' . implode(' ', $ids));
        Expect::that(preg_grep('/\A[\x21-\x7e]+\z/', $ids) === $ids, 'an id is not printable ASCII');
    })->alone();
    $case('resume', 'Last-Event-ID: what was missed comes, once, in order, then live', static function (Target $t): void {
        $stream = EventStream::open($t);
        foreach (['one', 'two', 'three', 'four'] as $data) {
            EventStream::publish($t, $data);
        }
        $stream->event();
        $id = $stream->event()['id'];
        $again = EventStream::open($t, headers: "Last-Event-ID: $id\r\n");
        Expect::same('three', $again->event()['data'], 'first missed');
        Expect::same('four', $again->event()['data'], 'second missed');
        EventStream::publish($t, 'five');
        Expect::same('five', $again->event()['data'], 'live');
    })->alone();
    foreach (['garbage' => 'no-such-position', 'negative' => '-1', 'huge' => str_repeat('9', 200), 'utf8' => "\xc3\xa4", 'other-epoch' => '0000000000000000:1', 'percent' => '%00%0a', 'long' => str_repeat('x', 4000)] as $name => $id) {
        $case("resume-$name", "a Last-Event-ID that nobody gave out ($name): served, or refused, never a crash", static function (Target $t) use ($id): void {
            $stream = EventStream::open($t, headers: "Last-Event-ID: $id\r\n");
            Expect::status($stream->head, [200, 400, 431]);
            if ($stream->head->status === 200) {
                $stream->skipTo(EventStream::mark($t));
            }
        })->alone();
    }
    $case('all-subscribers', 'fifty streams get the same events in the same order', static function (Target $t): void {
        $streams = array_map(static fn (): EventStream => EventStream::open($t), range(1, 50));
        foreach (range(1, 20) as $i) {
            EventStream::publish($t, "event $i");
        }
        foreach ($streams as $stream) {
            foreach (range(1, 20) as $i) {
                Expect::same("event $i", $stream->event()['data'], 'data');
            }
        }
    })->alone();
    $case('gone-client', 'a client that left does not disturb the others', static function (Target $t): void {
        $stays = EventStream::open($t);
        $goes = EventStream::open($t);
        $goes->wire->reset();
        foreach (range(1, 5) as $i) {
            EventStream::publish($t, "event $i");
            Expect::same("event $i", $stays->event()['data'], 'data');
        }
    })->alone();
    $case('pipelined-behind', 'a request behind a stream is not answered into it', static function (Target $t): void {
        $wire = $t->connect('sse');
        $wire->write("GET /events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\nGET /publish HTTP/1.1\r\nHost: x\r\n\r\n");
        $stream = EventStream::over($wire);
        EventStream::publish($t, 'clean');
        Expect::same('clean', $stream->event()['data'], 'data');
        Expect::that(!str_contains($stream->raw, 'HTTP/1.1'), 'an HTTP answer inside the stream');
    })->alone();
    $case('slow-reader', 'a stream that is not read does not grow the server, nor stop the others', static function (Target $t): void {
        $server = $t->server('sse');
        $stalled = EventStream::open($t);
        $reads = EventStream::open($t);
        $block = str_repeat('x', 100000);
        for ($i = 0; $i < 1600; $i++) {
            EventStream::publish($t, "$i $block");
            Expect::same("$i $block", $reads->event()['data'], 'data');
        }
        Expect::that($server->peakMiB() < 128, sprintf('peak of %.0f MiB', $server->peakMiB()));
        unset($stalled);
    })->alone()->heavy();
};
