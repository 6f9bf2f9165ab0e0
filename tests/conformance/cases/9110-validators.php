<?php

declare(strict_types=1);

// RFC 9110, sections 5.6.7, 7.8, 8.4, 8.8, 13, 14 and 15.3.6: dates and tags as validators, upgrades that are none, content that may not be.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    $ask = static function (Target $t, string $path, string ...$fields): Http {
        $wire = $t->connect('http');
        $wire->write("GET /static/$path HTTP/1.1\r\nHost: x\r\n" . implode('', array_map(static fn (string $line): string => "$line\r\n", $fields)) . "\r\n");

        return Http::read($wire, 8.0);
    };
    $date = static fn (int $second): string => gmdate('D, d M Y H:i:s', $second) . ' GMT';
    $past = $date(Fixture::PAST);
    $older = $date(Fixture::PAST - 1000);
    /** @param list<string> $fields */
    $past_file = static fn (string $id, string $title, array $fields, int $status, string $body): Script => $s->custom('http', $id, $title, static function (Target $t) use ($ask, $fields, $status, $body): void {
        $r = $ask($t, 'past.txt', ...$fields);
        Expect::same([$status, $body], [$r->status, $r->body], 'status and body');
    });

    $s->custom('http', '9110.8.8/last-modified-ahead', 'a file from the future was not modified later than Date says', static function (Target $t) use ($ask): void {
        $r = $ask($t, 'ahead.txt');
        Expect::that(strtotime((string) $r->header('last-modified')) <= strtotime((string) $r->header('date')), "{$r->header('last-modified')} is behind {$r->header('date')}");
    });
    $s->custom('http', '9110.8.8/last-modified', 'a file of the past is as old as it is', static fn (Target $t) => Expect::same($past, $ask($t, 'past.txt')->header('last-modified'), 'Last-Modified'));
    $s->custom('http', '9110.8.8/tag-of-neighbour', 'a compressed neighbour of the same time and length has a tag of its own', static function (Target $t) use ($ask): void {
        $packed = $ask($t, 'past.txt', 'Accept-Encoding: gzip');
        if ($packed->header('content-encoding') !== 'gzip') {
            throw new Absent('no compressed neighbours');
        }
        Expect::same(strlen(Fixture::files()['past.txt']), strlen($packed->body), 'length of both');
        Expect::that($packed->header('etag') !== $ask($t, 'past.txt')->header('etag'), 'both have ' . $packed->header('etag'));
    });
    $s->custom('http', '9110.8.4/x-gzip', 'x-gzip is another name of gzip', static function (Target $t) use ($ask): void {
        if ($ask($t, 'past.txt', 'Accept-Encoding: gzip')->header('content-encoding') !== 'gzip') {
            throw new Absent('no compressed neighbours');
        }
        Expect::same('gzip', $ask($t, 'past.txt', 'Accept-Encoding: x-gzip')->header('content-encoding'), 'Content-Encoding');
    });

    // Whoever takes a date takes the two old forms of it (9110, 5.6.7), and none that no calendar has.
    foreach (['imf' => 'D, d M Y H:i:s \G\M\T', 'rfc850' => 'l, d-M-y H:i:s \G\M\T', 'asctime' => 'D M ' . str_pad(gmdate('j', Fixture::PAST), 2, ' ', STR_PAD_LEFT) . ' H:i:s Y'] as $form => $format) {
        $past_file("9110.5.6.7/date-$form", "If-Modified-Since in the form $form", ['If-Modified-Since: ' . gmdate($format, Fixture::PAST)], 304, '');
        $past_file("9110.5.6.7/date-$form-before", "a second before, in the form $form", ['If-Modified-Since: ' . gmdate($format, Fixture::PAST - 1)], 200, 'past bytes');
    }
    foreach (['day' => 'Sun, 32 Sep 2002 01:46:40 GMT', 'hour' => 'Sun, 08 Sep 2002 25:46:40 GMT', 'month' => 'Sun, 08 Spt 2002 01:46:40 GMT', 'seconds' => '1032000000'] as $name => $no_date) {
        $past_file("9110.13/if-modified-since-no-$name", "If-Modified-Since that is no date ($name) is ignored", ["If-Modified-Since: $no_date"], 200, 'past bytes');
    }
    // What is no list and said twice is not said.
    $past_file('9110.13/if-modified-since-twice', 'If-Modified-Since twice is ignored', ["If-Modified-Since: $past", "If-Modified-Since: $older"], 200, 'past bytes');
    $past_file('9110.13/if-unmodified-since-twice', 'If-Unmodified-Since twice is ignored', ["If-Unmodified-Since: $older", "If-Unmodified-Since: $past"], 200, 'past bytes');
    $past_file('9110.14/range-twice', 'Range twice is ignored', ['Range: bytes=0-3', 'Range: bytes=5-6'], 200, 'past bytes');
    $past_file('9110.14/if-range-twice', 'If-Range twice: the whole', ['Range: bytes=0-3', "If-Range: $past", 'If-Range: "no"'], 200, 'past bytes');
    // If-Range wants a strong validator.
    $past_file('9110.14/if-range-date', 'If-Range with the date of a file of the past', ['Range: bytes=0-3', "If-Range: $past"], 206, 'past')->strict();
    $past_file('9110.14/if-range-other-date', 'If-Range with a date before it', ['Range: bytes=0-3', "If-Range: $older"], 200, 'past bytes');
    $past_file('9110.14/if-range-later-date', 'If-Range with a date after it: it is compared, not ordered', ['Range: bytes=0-3', 'If-Range: ' . $date(Fixture::PAST + 1000)], 200, 'past bytes');
    $s->custom('http', '9110.14/if-range-weak-tag', 'If-Range with the tag as a weak one: the whole', static function (Target $t) use ($ask): void {
        $tag = $ask($t, 'past.txt')->header('etag') ?? throw new Absent('no ETag');
        Expect::same(200, $ask($t, 'past.txt', 'Range: bytes=0-3', 'If-Range: ' . (str_starts_with($tag, 'W/') ? $tag : "W/$tag"))->status, 'status');
    });
    $s->custom('http', '9110.14/if-range-date-ahead', 'If-Range with a date that has not passed is no strong validator: the whole', static function (Target $t) use ($ask, $date): void {
        Expect::same(200, $ask($t, 'ahead.txt', 'Range: bytes=0-3', 'If-Range: ' . $date((int) filemtime(Fixture::directory() . '/ahead.txt')))->status, 'status');
    });
    foreach (['if-none-match' => 'If-None-Match: *', 'if-match' => 'If-Match: "no"', 'if-unmodified-since' => "If-Unmodified-Since: $older"] as $name => $line) {
        $s->custom('app', "9110.13/done-before-$name", "what a POST has done is told, whatever was asked of the file that tells it ($name)", static function (Target $t) use ($line): void {
            $wire = $t->connect('app');
            $wire->write("POST /file HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n$line\r\n\r\n");
            Expect::same(200, Http::read($wire, 8.0)->status, 'status');
        })->strict();
    }
    // Two digits of a year: up to fifty years ahead, else behind.
    foreach ([45 => 304, 60 => 200] as $ahead => $status) {
        $day = new \DateTimeImmutable("+$ahead years", new \DateTimeZone('UTC'));
        $past_file("9110.5.6.7/two-digits-$ahead", "a year of two digits that is $ahead years ahead: " . ($status === 304 ? 'it is meant' : 'the one a century before, of which there is no file yet'), ['If-Modified-Since: ' . $day->format('l, d-M-y H:i:s \G\M\T')], $status, $status === 304 ? '' : 'past bytes')->strict();
    }

    // What has no content, and what upgrades nothing.
    foreach (['status' => 'a', 'streamed' => 'a streamed'] as $page => $which) {
        $s->custom('app', "9110.15/$page-205", "$which 205 has no content, whatever the handler gave it", static function (Target $t) use ($page): void {
            $wire = $t->connect('app');
            $wire->write("GET /$page/205 HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n");
            $r = Http::read($wire, 8.0);
            Expect::same([205, ''], [$r->status, $r->body], 'status and body');
            Expect::same('app', Http::read($wire, 8.0)->body, 'what follows');
        });
    }
    $s->custom('app', '9110.7.8/upgrade-http-1.0', 'Upgrade says nothing in HTTP/1.0: the page of that path is the answer', static function (Target $t): void {
        foreach (['1.1' => 101, '1.0' => 200] as $version => $status) {
            $wire = $t->connect('app');
            $wire->write(Upgrade::request(line: "GET /both HTTP/$version"));
            Expect::same($status, Http::read($wire, 8.0)->status, "status in HTTP/$version");
        }
    });
    foreach (['POST' => [200, 'posted body'], 'HEAD' => [200, '']] as $method => $wanted) {
        $s->custom('app', "9110.7.8/upgrade-by-$method", "only GET asks for a WebSocket: a $method of that path is what it is without Upgrade", static function (Target $t) use ($method, $wanted): void {
            $wire = $t->connect('app');
            $wire->write(Upgrade::request($method === 'POST' ? ['Content-Length' => '4'] : [], line: "$method /both HTTP/1.1") . ($method === 'POST' ? 'body' : ''));
            $r = Http::read($wire, 8.0, $method === 'HEAD');
            Expect::same($wanted, [$r->status, $r->body], 'status and body');
        })->strict();
    }
    $s->custom('app', '9110.15/405-allow-upgrade', 'Allow has all methods of the path, also for who asks for an upgrade (15.5.6)', static function (Target $t): void {
        $wire = $t->connect('app');
        $wire->write(Upgrade::request(line: 'DELETE /both HTTP/1.1'));
        $r = Http::read($wire, 8.0);
        Expect::same(405, $r->status, 'status');
        Expect::same(['GET', 'HEAD', 'OPTIONS', 'POST'], (static function (array $methods): array {
            sort($methods);

            return $methods;
        })(explode(', ', $r->header('allow') ?? '')), 'Allow');
    });
    $s->custom('app', '9110.7.8/upgrade-said', 'an Upgrade that a handler says comes with its option of Connection', static function (Target $t): void {
        $wire = $t->connect('app');
        $wire->write("GET /upgrade HTTP/1.1\r\nHost: x\r\n\r\n");
        $r = Http::read($wire, 8.0);
        Expect::same([426, 'other/1', 'speak another'], [$r->status, $r->header('upgrade'), $r->body], 'status, Upgrade and body');
        Expect::that(in_array('upgrade', array_map(trim(...), explode(',', strtolower($r->header('connection') ?? ''))), true), 'Connection: ' . $r->header('connection'));
        Expect::after($wire, !$r->keepsOpen);
    });
    $s->custom('app', '9110.15/401-challenge', 'who is not who may come in is told with a challenge (15.5.2)', static function (Target $t): void {
        $wire = $t->connect('app');
        $wire->write(Upgrade::request(line: 'GET /asked HTTP/1.1'));
        $r = Http::read($wire, 8.0);
        Expect::same(401, $r->status, 'status');
        Expect::that(preg_match("~\A[!#$%&'*+.^_`|\~0-9A-Za-z-]+( .*)?\z~", $r->header('www-authenticate') ?? '') === 1, 'WWW-Authenticate: ' . $r->header('www-authenticate'));
    });
    $s->custom('ws', '6455.4.2/expect-continue', 'who expects a 100 gets it before the 101 (9110, 7.8)', static function (Target $t): void {
        $wire = $t->connect();
        $wire->write(Upgrade::request(['Expect' => '100-continue']));
        Expect::same(100, Http::read($wire, 8.0)->status, 'first status');
        Upgrade::check(Http::read($wire, 8.0));
        $session = new Session($wire);
        $session->send([text('hello')]);
        $session->expect(Frame::TEXT, 'hello');
        $session->closeWith(1000);
    });
};
