<?php

declare(strict_types=1);

// RFC 9110, sections 6.6.1 and 7.6 to 7.8, RFC 9112, 5.1: what one that passes messages on adds, takes away and counts. The case is the backend of the proxy.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    $case = static function (string $id, string $title, \Closure $body) use ($s): void {
        $s->exchange("client-9110.$id", $title, $body)->kind = 'http-client+proxy';
    };
    $passed = static function (Exchange $x, string $bytes): array {
        $x->ask();
        $x->request($wire);
        $wire->write($bytes);
        $told = $x->told() ?? throw new Failed('the answer was taken for a fault');
        $x->goesOn($wire);

        return $told['headers'];
    };

    $spaced = [
        'space' => ["HTTP/1.1 200 OK\r\nX-A : b\r\nContent-Length: 2\r\n\r\nok", 'b'],
        'tab' => ["HTTP/1.1 200 OK\r\nX-A\t: b\r\nContent-Length: 2\r\n\r\nok", 'b'],
        'many' => ["HTTP/1.1 200 OK\r\nX-A" . str_repeat(" \t", 2000) . ":b \r\nContent-Length: 2\r\n\r\nok", 'b'],
        'length' => ["HTTP/1.1 200 OK\r\nContent-Length : 2\r\nX-A: b\r\n\r\nok", 'b'],
        'coding' => ["HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\nX-A: b\r\n\r\n2\r\nok\r\n0\r\n\r\n", 'b'],
        'trailer' => ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: b\r\n\r\n2\r\nok\r\n0\r\nX-T : u\r\n\r\n", 'b'],
        'option' => ["HTTP/1.1 200 OK\r\nConnection : X-A\r\nX-A : b\r\nContent-Length: 2\r\n\r\nok", null],
        'interim' => ["HTTP/1.1 103 Early Hints\r\nLink : </a>\r\n\r\nHTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 2\r\n\r\nok", 'b'],
    ];
    foreach ($spaced as $name => [$bytes, $seen]) {
        foreach (['' => 0, '-chopped' => 1] as $how => $chop) {
            $s->exchange("client-9112.5.1+proxy/spaced-$name$how", "white space before a colon is taken out of an answer ($name$how)", static function (Exchange $x) use ($bytes, $seen, $chop): void {
                $x->ask();
                $x->request($wire);
                $wire->chop = $chop;
                $wire->write($bytes);
                $told = $x->told() ?? throw new Failed('the answer was taken for a fault');
                Expect::same([200, $seen, 'ok'], [$told['status'], $told['headers']['x-a'] ?? null, $told['body']], 'status, X-A and body');
                $x->goesOn($wire);
            })->kind = 'http-client+proxy';
        }
    }
    foreach (['both' => '', 'spaced-both' => ' '] as $name => $space) {
        $s->exchange("client-9112.6.1+proxy/$name", 'both lengths' . ($space === '' ? '' : ', with white space before their colons,') . ' reach no client', static function (Exchange $x) use ($space): void {
            $x->ask();
            $x->request($wire);
            $wire->write("HTTP/1.1 200 OK\r\nContent-Length$space: 2\r\nTransfer-Encoding$space: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n");
            $x->failed();
            Expect::that($wire->readToEnd(3.0), 'the connection stays open');
        })->kind = 'http-client+proxy';
    }
    foreach ([200, 404, 500] as $status) {
        $case("6.6.1+proxy/date-of-$status", "an answer without Date gets one ($status)", static function (Exchange $x) use ($passed, $status): void {
            $seen = $passed($x, "HTTP/1.1 $status X\r\nContent-Length: 2\r\n\r\nok")['date'] ?? 'none';
            Expect::that(abs((int) strtotime($seen) - time()) < 10 && preg_match('/\A[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT\z/', $seen) === 1, "Date: $seen");
        });
    }
    $case('6.6.1+proxy/date-kept', 'the Date of a backend stays as it is', static function (Exchange $x) use ($passed): void {
        Expect::same('Sun, 06 Nov 1994 08:49:37 GMT', $passed($x, "HTTP/1.1 200 OK\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 2\r\n\r\nok")['date'] ?? null, 'Date');
    });
    $case('7.8+proxy/upgrade-required', 'a 426 keeps Upgrade, with its option in Connection', static function (Exchange $x) use ($passed): void {
        $headers = $passed($x, "HTTP/1.1 426 X\r\nUpgrade: websocket\r\nConnection: upgrade\r\nContent-Length: 2\r\n\r\nok");
        Expect::same(['websocket', 'upgrade'], [$headers['upgrade'] ?? null, strtolower($headers['connection'] ?? '')], 'Upgrade and Connection');
    });
    $case('7.6.1+proxy/options', 'what Connection names, and what is of one hop, does not arrive', static function (Exchange $x) use ($passed): void {
        $headers = $passed($x, "HTTP/1.1 200 OK\r\nConnection: X-One, keep-alive\r\nX-One: 1\r\nX-Two: 2\r\nKeep-Alive: timeout=5\r\nProxy-Authenticate: Basic\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nok");
        Expect::same([null, '2', null, null, null, null], array_map(static fn (string $name): ?string => $headers[$name] ?? null, ['x-one', 'x-two', 'keep-alive', 'proxy-authenticate', 'upgrade', 'connection']), 'fields');
    });
    $case('7.6.1+proxy/options-of-request', 'what Connection of a request names, and what is of one hop, does not arrive', static function (Exchange $x): void {
        $x->ask('GET', '/', ['Connection' => 'X-One', 'X-One' => '1', 'X-Two' => '2', 'Keep-Alive' => 'timeout=5', 'Proxy-Authorization' => 'Basic x']);
        $seen = $x->request($wire);
        Expect::same([null, '2', null, null], array_map($seen->header(...), ['x-one', 'x-two', 'keep-alive', 'proxy-authorization']), 'fields');
        $wire->write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        $x->answered(200, 'ok');
    });
    $case('7.6.3+proxy/via-of-request', 'Via of a request tells of us, behind those before', static function (Exchange $x): void {
        $x->ask('GET', '/', ['Via' => '1.0 before']);
        $seen = (string) $x->request($wire)->header('via');
        Expect::that(preg_match('~\A1\.0 before, 1\.1 \S+\z~', $seen) === 1, "Via: $seen");
        $wire->write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        $x->answered(200, 'ok');
    });
    $case('7.6.3+proxy/via-of-answer', 'Via of an answer tells of us, behind those before', static function (Exchange $x) use ($passed): void {
        $seen = $passed($x, "HTTP/1.1 200 OK\r\nVia: 1.0 before\r\nContent-Length: 2\r\n\r\nok")['via'] ?? '';
        Expect::that(preg_match('~\A1\.0 before, 1\.1 \S+\z~', $seen) === 1, "Via: $seen");
    });
    foreach (['5' => '4', '1' => '0', '007' => '6', '9999999' => null, '18446744073709551617' => null] as $said => $wanted) {
        $case("7.6.2+proxy/max-forwards-$said", "Max-Forwards: $said of OPTIONS goes on as less", static function (Exchange $x) use ($said, $wanted): void {
            $x->ask('OPTIONS', '/', ['Max-Forwards' => (string) $said]);
            $seen = $x->request($wire)->header('max-forwards');
            Expect::that($wanted === null ? preg_match('/\A\d{1,7}\z/', (string) $seen) === 1 && (int) $seen < (int) $said : $seen === $wanted, "Max-Forwards: $seen");
            $wire->write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            $x->answered(200, 'ok');
        });
    }
    foreach (['0', '0000000'] as $said) {
        $case("7.6.2+proxy/max-forwards-$said", "OPTIONS with Max-Forwards: $said is the proxy's to answer", static function (Exchange $x) use ($said): void {
            $x->ask('OPTIONS', '/', ['Max-Forwards' => $said]);
            $told = $x->told() ?? throw new Failed('no answer');
            Expect::same(2, intdiv($told['status'], 100), 'class of the status');
            $x->noMore();
        });
    }
    $case('7.6.2+proxy/max-forwards-of-get', 'other methods are not counted', static function (Exchange $x): void {
        $x->ask('GET', '/', ['Max-Forwards' => '0']);
        Expect::same('0', $x->request($wire)->header('max-forwards'), 'Max-Forwards');
        $wire->write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        $x->answered(200, 'ok');
    });
};
