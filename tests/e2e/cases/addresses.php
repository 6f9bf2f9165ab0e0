<?php

declare(strict_types=1);

// Who the client is: PROXY protocol, X-Forwarded-For, and limits per address.

namespace Tusk\E2e;

return static function (Suite $s): void {
    $server = static fn (string $options, string $limits = 'new Limits()', string $listen = '127.0.0.1:0'): Script => new Script(<<<PHP
        \$server = new Server('$listen', limits: $limits, $options);
        \$server->onStart(\$started);
        \$server->get('/who', fn (Request \$r) => Response::text("who=\$r->remoteAddress;"));
        \$server->get('/stats', fn () => Response::json(\$server->stats()));
        \$server->websocket('/ws', open: fn (Connection \$c) => \$c->send(\$c->remoteAddress), message: fn (Connection \$c, string \$m) => \$c->send(\$m));
        exit(\$server->run());
        PHP);
    $who = static function (Peer $peer, string $fields = ''): string {
        $peer->write("GET /who HTTP/1.1\r\nHost: x\r\n$fields\r\n");
        $peer->until('who=');

        return substr($peer->until(';'), 0, -1);
    };
    $is = static fn (string $got, string $wanted) => expect($got === $wanted, "the client is $got, not $wanted");

    /* ---- X-Forwarded-For ---- */
    $s->test('X-Forwarded-For of a stranger is not believed', static function () use ($server, $who, $is): void {
        $here = $server('trustedProxies: ["192.0.2.7"]');
        $is($who($here->peer(), "X-Forwarded-For: 203.0.113.9\r\n"), '127.0.0.1');
        $none = $server('trustedProxies: []');
        $is($who($none->peer(), "X-Forwarded-For: 203.0.113.9\r\n"), '127.0.0.1');
    });
    $s->test('X-Forwarded-For of a trusted proxy: the first address from the right that is no proxy', static function () use ($server, $who, $is): void {
        $here = $server('trustedProxies: ["127.0.0.1", "10.0.0.2", "2001:db8::2"]');
        $cases = [
            '203.0.113.9' => '203.0.113.9',
            '203.0.113.9, 10.0.0.2' => '203.0.113.9',
            'spoofed, 198.51.100.1, 203.0.113.9 ,10.0.0.2' => '203.0.113.9',
            '2001:db8::9, 2001:db8::2' => '2001:db8::9',
            '[2001:db8::9]' => '2001:db8::9',
            '[2001:db8::9]:4711' => '2001:db8::9',
            '203.0.113.9:4711, 10.0.0.2:80' => '203.0.113.9',
            '203.0.113.9:70000' => '127.0.0.1',
            '*' => '127.0.0.1',
            '*:80' => '127.0.0.1',
            'unix:/tmp/x' => '127.0.0.1',
            '10.0.0.2' => '10.0.0.2',
            'nonsense' => '127.0.0.1',
            '203.0.113.9, nonsense' => '127.0.0.1',
        ];
        foreach ($cases as $field => $wanted) {
            $is($who($here->peer(), "X-Forwarded-For: $field\r\n"), $wanted);
        }
        $is($who($here->peer(), "X-Forwarded-For: 198.51.100.1\r\nX-Forwarded-For: 203.0.113.9\r\n"), '203.0.113.9');
    });
    $s->test('a kept connection of a proxy carries many clients: each request has its own address', static function () use ($server, $who, $is): void {
        $here = $server('trustedProxies: ["127.0.0.1"]');
        $peer = $here->peer();
        $is($who($peer, "X-Forwarded-For: 203.0.113.1\r\n"), '203.0.113.1');
        $is($who($peer, "X-Forwarded-For: 203.0.113.2\r\n"), '203.0.113.2');
        $is($who($peer), '127.0.0.1');
        $is($who($peer, "X-Forwarded-For: 2001:db8::3\r\n"), '2001:db8::3');
        $is($who($peer, "X-Forwarded-For: garbage\r\n"), '127.0.0.1');
        $peer->upgrade('/ws', "X-Forwarded-For: 203.0.113.4\r\n");
        $peer->expectText('203.0.113.4');
    });
    $s->test('limits per address count the client behind a proxy, and a whole IPv6 /64', static function () use ($server): void {
        $here = $server('trustedProxies: ["127.0.0.1"]', 'new Limits(perAddress: 2)');
        $held = [];
        foreach (['203.0.113.1', '2001:db8:0:1::1', '2001:db8:0:2::1'] as $address) {
            for ($i = 0; $i < 2; $i++) {
                $held[] = $here->peer()->upgrade('/ws', "X-Forwarded-For: $address\r\n");
            }
        }
        foreach (['203.0.113.1', '2001:db8:0:1:ffff::2'] as $address) {
            $peer = $here->peer();
            $peer->write("GET /who HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: $address\r\n\r\n");
            $answer = $peer->rest();
            contains($answer, 'HTTP/1.1 429 ');
            contains($answer, "Retry-After: 1\r\n");
        }
        $held[] = $here->peer()->upgrade('/ws', "X-Forwarded-For: 2001:db8:0:3::1\r\n");
        expect($here->stats()['connections_per_address_refused'] === 2, 'counted: ' . json_encode($here->stats()));
        $held[0]->close();
        await(static function () use ($here): bool {
            $peer = $here->peer();
            $peer->write("GET /who HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Forwarded-For: 203.0.113.1\r\n\r\n");

            return str_contains($peer->rest(), 'HTTP/1.1 200 ');
        }, 'room again after one left');
    });

    /* ---- limits per address, directly ---- */
    $s->test('the third connection of an address is refused with 429 and counted', static function () use ($server): void {
        $here = $server('trustedProxies: []', 'new Limits(perAddress: 2)');
        $held = [$here->peer()->upgrade(), $here->peer()->upgrade()];
        $answer = $here->peer()->rest();
        contains($answer, 'HTTP/1.1 429 ');
        contains($answer, "Retry-After: 1\r\n");
        $other = new Peer("tcp://127.0.0.1:$here->port", bind: '127.0.0.2:0');
        $other->upgrade();
        $held[0]->close();
        $answer = '';
        await(static function () use ($here, &$answer): bool {
            return str_contains($answer = $here->get('/stats'), ' 200 ');
        }, 'room after one left');
        expect(preg_match('/"connections_per_address_refused":[1-9]/', $answer) === 1, "counted: $answer");
    });
    $s->test('IPv6: [::1] is served and counted', static function () use ($server, $who, $is): void {
        if (@stream_socket_server('tcp://[::1]:0') === false) {
            throw new Absent('no IPv6');
        }
        $here = $server('trustedProxies: []', 'new Limits(perAddress: 1)', '[::1]:0');
        $peer = new Peer("tcp://[::1]:$here->port");
        $is($who($peer), '::1');
        contains((new Peer("tcp://[::1]:$here->port"))->rest(), 'HTTP/1.1 429 ');
    });

    /* ---- PROXY protocol ---- */
    $v2 = static fn (int $family, string $addresses, int $command = 1): string => "\r\n\r\n\0\r\nQUIT\n" . chr(0x20 | $command) . chr($family) . pack('n', strlen($addresses)) . $addresses;
    $s->test('PROXY v1 and v2: the client is who the head names, also byte by byte', static function () use ($server, $who, $is, $v2): void {
        $here = $server('trustedProxies: ["127.0.0.1"], proxyProtocol: true');
        $six = static fn (string $ip): string => (string) inet_pton($ip);
        $heads = [
            "PROXY TCP4 203.0.113.9 192.0.2.1 5555 80\r\n" => '203.0.113.9',
            "PROXY TCP6 2001:db8::9 2001:db8::1 5555 80\r\n" => '2001:db8::9',
            "PROXY UNKNOWN\r\n" => '127.0.0.1',
            $v2(0x11, $six('203.0.113.8') . $six('192.0.2.1') . pack('nn', 5555, 80)) => '203.0.113.8',
            $v2(0x21, $six('2001:db8::8') . $six('2001:db8::1') . pack('nn', 5555, 80)) => '2001:db8::8',
            $v2(0x11, $six('203.0.113.7') . $six('192.0.2.1') . pack('nn', 5555, 80) . "\x04\0\x03abc") => '203.0.113.7',
            $v2(0, '', 0) => '127.0.0.1',
        ];
        foreach ($heads as $head => $wanted) {
            $peer = $here->peer();
            $peer->write($head);
            $is($who($peer), $wanted);
            $peer = $here->peer();
            foreach (str_split($head) as $byte) {
                $peer->write($byte);
                usleep(300);
            }
            $is($who($peer), $wanted);
        }
    });
    $s->test('PROXY expected and not sent, malformed, or from a stranger: refused', static function () use ($server, $v2): void {
        $here = $server('trustedProxies: ["127.0.0.1"], proxyProtocol: true', 'new Limits(handshakeMs: 600)');
        foreach (["GET /who HTTP/1.1\r\nHost: x\r\n\r\n", "PROXY TCP4 1.2.3.4\r\nGET / HTTP/1.1\r\n\r\n", 'PROXY ' . str_repeat('x', 200), $v2(0x11, 'abc'), "\r\n\r\n\0\r\nQUIT\n\x31\x11\0\x0c" . str_repeat("\1", 12)] as $bytes) {
            $peer = $here->peer();
            $peer->write($bytes);
            expect(!str_contains($peer->rest(), ' 200 '), 'served without a good PROXY head');
        }
        $peer = $here->peer();
        $peer->write('PROXY TCP4 203.0.1'); /* and nothing more */
        expect($peer->rest() === '', 'the deadline of the handshake ends it without a word');
        $stranger = $server('trustedProxies: ["192.0.2.7"], proxyProtocol: true');
        $peer = $stranger->peer();
        $peer->write("PROXY TCP4 203.0.113.9 192.0.2.1 5555 80\r\nGET /who HTTP/1.1\r\nHost: x\r\n\r\n");
        contains($peer->rest(), 'HTTP/1.1 400 ');
    });
    $s->test('limits per address count the client of the PROXY head', static function () use ($server): void {
        $here = $server('trustedProxies: ["127.0.0.1"], proxyProtocol: true', 'new Limits(perAddress: 2)');
        $head = "PROXY TCP4 203.0.113.9 192.0.2.1 5555 80\r\n";
        $held = [];
        for ($i = 0; $i < 2; $i++) {
            $held[$i] = $here->peer();
            $held[$i]->write($head);
            $held[$i]->upgrade();
        }
        $third = $here->peer();
        $third->write("{$head}GET /who HTTP/1.1\r\nHost: x\r\n\r\n");
        expect(!str_contains($third->rest(), ' 200 '), 'the third is served');
        $other = $here->peer();
        $other->write(str_replace('113.9', '113.10', $head));
        $other->upgrade();
    });
};
