<?php

declare(strict_types=1);

// TLS with peers that are not ours: openssl, curl, PHP's streams.

namespace Tusk\E2e;

use function Tusk\Tests\free_port;

return static function (Suite $s): void {
    $server = static function (string $tls, string $limits = 'new Limits()'): Script {
        return new Script(<<<PHP
            \$server = new Server('127.0.0.1:0', tls: new Tls($tls), limits: $limits);
            \$server->onStart(\$started);
            \$server->get('/', fn (Request \$r) => Response::text(\$r->secure ? 'secure' : 'plain'));
            \$server->get('/large', fn () => Response::text(str_repeat('0123456789abcdef', 1 << 20)));
            \$server->files('/files', dirname(__FILE__));
            \$server->websocket('/ws', message: fn (Connection \$c, string \$m, MessageType \$t) => \$c->send(\$m === 'stats' ? json_encode(\$server->stats()) : \$m, \$t));
            exit(\$server->run());
            PHP);
    };
    $pair = static fn (string $path): string => "'$path.pem', '$path.key'";
    $client = static fn (Script $here, string $options, string $request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"): string
        => command("openssl s_client -connect 127.0.0.1:$here->port -CAfile " . Certificates::ca() . ".pem -ign_eof $options", $request)[1];
    $name = static function (Peer $peer): string {
        $certificate = stream_context_get_params($peer->stream)['options']['ssl']['peer_certificate'];

        return openssl_x509_parse($certificate)['subject']['CN'];
    };
    $capture = ['capture_peer_cert' => true];

    $s->test('tls: openssl s_client speaks 1.2 and 1.3, nothing older, and gets http/1.1 by ALPN', static function () use ($server, $pair, $client): void {
        $here = $server($pair(Certificates::of('one.test')));
        foreach (['-tls1_2' => 'TLSv1.2', '-tls1_3' => 'TLSv1.3'] as $option => $version) {
            $text = $client($here, "$option -alpn h2,http/1.1 -servername one.test -verify_hostname one.test");
            contains($text, $version, 's_client');
            contains($text, 'Verify return code: 0 (ok)', 's_client');
            contains($text, 'ALPN protocol: http/1.1', 's_client');
            contains($text, 'secure', 's_client');
        }
        expect(!str_contains($client($here, '-tls1_1 -cipher DEFAULT@SECLEVEL=0'), 'secure'), 'TLS 1.1 is served');
        $only = $server($pair(Certificates::of('one.test')) . ', minVersion: "1.3"');
        expect(!str_contains($client($only, '-tls1_2'), 'secure'), 'TLS 1.2 is served though 1.3 is the least');
        contains($client($only, '-tls1_3'), 'secure', 's_client');
    });
    $s->test('tls: of the ciphers of TLS 1.2 only those given are spoken', static function () use ($server, $pair, $client): void {
        $here = $server($pair(Certificates::of('one.test')) . ', ciphers: "ECDHE-ECDSA-AES256-GCM-SHA384"');
        contains($client($here, '-tls1_2'), 'Cipher is ECDHE-ECDSA-AES256-GCM-SHA384', 's_client');
        expect(!str_contains($client($here, '-tls1_2 -cipher ECDHE-ECDSA-AES128-GCM-SHA256'), 'secure'), 'another cipher is spoken');
        contains($client($here, '-tls1_3'), 'secure', 's_client');
    });
    $s->test('tls: no renegotiation', static function () use ($server, $pair): void {
        $here = $server($pair(Certificates::of('one.test')));
        $file = folder() . '/renegotiation.txt';
        $out = ['file', $file, 'w'];
        $process = proc_open(['openssl', 's_client', '-connect', "127.0.0.1:$here->port", '-tls1_2'], [['pipe', 'r'], $out, ['file', $file, 'a']], $pipes)
            ?: throw new Failed('no s_client');
        $said = static fn (string $pattern): bool => preg_match($pattern, (string) file_get_contents($file)) === 1;
        await(static fn (): bool => $said('/Verify return code/'), 's_client is connected');
        fwrite($pipes[0], "R\n"); /* asks for it */
        await(static fn (): bool => $said('/RENEGOTIATING/'), 's_client asks for it');
        await(static fn (): bool => $said('/no renegotiation|handshake failure|alert/i') || !proc_get_status($process)['running'], 'an answer');
        @fwrite($pipes[0], "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        fclose($pipes[0]);
        proc_close($process);
        expect(!$said('/secure/') && $said('/no renegotiation|handshake failure|alert/i'), 'it was renegotiated: ' . file_get_contents($file));
        $here->tlsPeer()->upgrade();
    });
    $s->test('tls: who breaks its rules behind the handshake is let go and counted, who fails in it is counted as that', static function () use ($server, $pair): void {
        $here = $server($pair(Certificates::of('one.test')));
        $guest = $here->tlsPeer()->upgrade();
        $counts = static function () use ($guest): array {
            $guest->send('stats');
            $all = (array) json_decode($guest->receive()[1], true);

            return [$all['protocol_errors'], $all['handshakes_refused'], $all['connections_open']];
        };
        $file = folder() . '/keys.txt';
        $process = proc_open(['openssl', 's_client', '-connect', "127.0.0.1:$here->port", '-tls1_3'], [['pipe', 'r'], ['file', $file, 'w'], ['file', $file, 'a']], $pipes)
            ?: throw new Failed('no s_client');
        await(static fn (): bool => str_contains((string) file_get_contents($file), 'Verify return code'), 's_client is connected');
        await(static function () use ($process, $pipes): bool {
            @fwrite($pipes[0], "K\n"); // new keys, and nothing else, again and again

            return !proc_get_status($process)['running'];
        }, 'it is let go');
        fclose($pipes[0]);
        proc_close($process);
        await(static fn (): bool => $counts() === [1, 0, 1], 'it is counted: ' . json_encode($counts()));
        $garbage = $here->peer();
        $garbage->write("\x16\3\1\0\4rubb");
        $garbage->rest();
        await(static fn (): bool => $counts() === [1, 1, 1], 'no handshake: ' . json_encode($counts()));
        $here->tlsPeer()->close(); // without a word of TLS
        await(static fn (): bool => $counts() === [1, 1, 1], 'an end breaks no rule: ' . json_encode($counts()));
    });
    $s->test('tls: curl verifies the certificate and the name', static function () use ($server, $pair): void {
        needs('curl');
        $here = $server($pair(Certificates::of('one.test')));
        $curl = "curl -sS --max-time 8 --cacert " . Certificates::ca() . ".pem --resolve one.test:$here->port:127.0.0.1 --resolve two.test:$here->port:127.0.0.1";
        [$status, $text] = command("$curl https://one.test:$here->port/");
        expect($status === 0 && $text === 'secure', "curl: $status $text");
        [$status] = command("$curl https://two.test:$here->port/");
        expect($status === 60, "another name was accepted: $status");
        [$status, $text] = command("$curl -w '%{http_code}' http://one.test:$here->port/");
        expect($status === 0 && $text === "TLS is spoken here: the address begins with https:// (or wss://).\n400", "plain HTTP on the TLS port: $status $text");
        [$status] = command("$curl -f -I http://one.test:$here->port/");
        expect($status === 22, "HEAD by plain HTTP on the TLS port: $status");
        foreach (['GET /', 'POST /', 'PUT /', 'DELETE /', 'PATCH /', 'OPTIONS *', 'TRACE /', 'CONNECT a:1', 'PRI *'] as $line) {
            $plain = $here->peer();
            $plain->write("$line HTTP/1.1\r\nHost: x\r\n\r\n");
            contains($plain->rest(), "HTTP/1.1 400 Bad Request\r\n", "the answer to a plain $line");
        }
    });
    $s->test('tls: SNI picks among several certificates, wildcards too', static function () use ($server, $pair, $name, $capture): void {
        $two = Certificates::of('two.test');
        $wild = Certificates::of('*.wild.test', 'wild');
        $here = $server($pair(Certificates::of('one.test')) . ", sni: ['two.test' => ['$two.pem', '$two.key'], '*.wild.test' => ['$wild.pem', '$wild.key']]");
        foreach (['two.test' => 'two.test', 'TWO.test' => 'two.test', 'a.wild.test' => '*.wild.test', 'other.test' => 'one.test', 'one.test' => 'one.test'] as $asked => $wanted) {
            $got = $name($here->tlsPeer($capture + ['peer_name' => $asked, 'SNI_enabled' => true]));
            expect($got === $wanted, "asked for $asked, got $got");
        }
    });
    $s->test('tls: client certificates, when asked for', static function () use ($server, $pair, $client): void {
        $one = Certificates::of('one.test');
        $user = Certificates::of('user.test');
        $here = $server($pair($one) . ", clientCa: '" . Certificates::ca() . ".pem'");
        contains($client($here, "-cert $user.pem -key $user.key"), 'secure', 's_client');
        expect(!str_contains($client($here, ''), 'secure'), 'served without a certificate');
        $line = 'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=stranger -keyout ' . folder() . '/s.key -out ' . folder() . '/s.pem';
        command($line);
        expect(!str_contains($client($here, '-cert ' . folder() . '/s.pem -key ' . folder() . '/s.key'), 'secure'), 'served with the certificate of a stranger');
    });
    $s->test('tls: a client whose authority was taken away does not come back by its session', static function () use ($server, $pair, $client): void {
        $user = Certificates::of('user.test');
        $authorities = folder() . '/authorities.pem';
        copy(Certificates::ca() . '.pem', $authorities);
        $here = $server($pair(Certificates::of('one.test')) . ", clientCa: '$authorities'");
        foreach (['-tls1_2', '-tls1_3'] as $version) {
            $session = folder() . "/session$version";
            contains($client($here, "$version -cert $user.pem -key $user.key -sess_out $session"), 'secure', 's_client');
            if (is_file($session)) {
                expect(!str_contains($client($here, "$version -sess_in $session"), 'secure'), "$version: the session stands for the certificate");
            }
        }
        copy(Certificates::of('another.test') . '.pem', $authorities);
        $here->signal(SIGHUP);
        $here->awaitLog('certificates reloaded');
        foreach (['-tls1_2', '-tls1_3'] as $version) {
            $session = is_file(folder() . "/session$version") ? '-sess_in ' . folder() . "/session$version" : '';
            expect(!str_contains($client($here, "$version -cert $user.pem -key $user.key $session"), 'secure'), "$version: served after the reload");
        }
    });
    $s->test('tls: certificates are read again at SIGHUP and when a file changes, no connection is lost', static function () use ($server, $pair, $name, $capture): void {
        $live = folder() . '/live';
        $use = static function (string $from) use ($live): void {
            foreach (['key', 'pem'] as $kind) {
                copy("$from.$kind", "$live.$kind.new");
                rename("$live.$kind.new", "$live.$kind");
            }
        };
        $use(Certificates::of('one.test'));
        $here = $server($pair($live));
        $held = $here->tlsPeer($capture)->upgrade();
        expect($name($held) === 'one.test', 'the first certificate');
        $use(Certificates::of('two.test'));
        $here->signal(SIGHUP);
        $here->awaitLog('certificates reloaded');
        expect($name($here->tlsPeer($capture)) === 'two.test', 'not the new certificate');
        $held->send('still');
        $held->expectText('still');
        file_put_contents("$live.pem", 'broken');
        $here->signal(SIGHUP);
        $here->awaitLog('not reloaded');
        expect($name($here->tlsPeer($capture)) === 'two.test', 'a broken file took the old certificate away');
        $use(Certificates::of('one.test')); /* and now nobody says so */
        await(static fn (): bool => $name($here->tlsPeer($capture)) === 'one.test', 'the changed file is read');
        $held->send('here');
        $held->expectText('here');
    });
    $s->test('tls: large answers arrive whole, also when the server stops meanwhile', static function () use ($server, $pair): void {
        needs('curl');
        $here = $server($pair(Certificates::of('one.test')));
        $file = folder() . '/large.bin';
        file_put_contents($file, random_bytes(1 << 20) . str_repeat('tail', 4 << 20));
        foreach (['/large' => 16 << 20, '/files/large.bin' => filesize($file)] as $path => $size) {
            [$status, $text] = command("curl -sSk --max-time 15 -o " . folder() . "/got -w '%{size_download}' https://127.0.0.1:$here->port$path");
            expect($status === 0 && (int) $text === $size, "$path: status $status, $text of $size bytes");
        }
        expect(sha1_file(folder() . '/got') === sha1_file($file), 'other bytes');
        $peer = $here->tlsPeer();
        $peer->write("GET /files/large.bin HTTP/1.1\r\nHost: x\r\n\r\n");
        $peer->until("\r\n\r\n");
        $here->signal(SIGTERM);
        $got = strlen($peer->rest());
        expect($got === filesize($file), "$got of " . filesize($file) . ' bytes before the end');
        expect($here->end() === 0, 'a clean end');
    });
    $s->test('tls: a last answer waits for who reads nothing for seconds, in the clear as well', static function () use ($server, $pair): void {
        $tls = $pair(Certificates::of('one.test'));
        foreach ([$tls => 'tlsPeer', '' => 'peer'] as $files => $peer) {
            $here = $files !== '' ? $server($files, 'new Limits(handshakeMs: 5000)') : new Script(<<<'PHP'
                $server = new Server('127.0.0.1:0', limits: new Limits(handshakeMs: 5000));
                $server->onStart($started);
                $server->get('/large', fn () => Response::text(str_repeat('0123456789abcdef', 1 << 20)));
                exit($server->run());
                PHP);
            $slow = $here->$peer();
            $slow->write("GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            $slow->until("\r\n\r\n");
            $here->peer()->rest(); /* says nothing, and is closed after five seconds */
            $got = strlen($slow->rest());
            expect($got === 16 << 20, "$got bytes of " . (16 << 20));
        }
    });
    $s->test('tls: who never reads is stopped at the limits of its queue and gets its Close, and others notice nothing', static function () use ($pair): void {
        $one = $pair(Certificates::of('one.test'));
        $here = new Script(<<<PHP
            \$server = new Server('127.0.0.1:0', tls: new Tls($one), limits: new Limits(queuedBytes: 2 << 20));
            \$server->onStart(\$started);
            \$server->websocket('/echo', message: fn (Connection \$c, string \$m, MessageType \$t) => \$c->send(\$m === 'stats' ? json_encode(\$server->stats()) : \$m, \$t));
            \$server->websocket('/room', open: fn (Connection \$c) => \$c->subscribe('room'),
                message: fn () => \$server->publish('room', str_repeat('0123456789abcdef', 4096)));
            exit(\$server->run());
            PHP);
        $guest = $here->tlsPeer()->upgrade('/echo');
        $stats = static function () use ($guest): array {
            $guest->send('stats');

            return (array) json_decode($guest->receive()[1], true);
        };
        $before = $here->memory('VmRSS');
        $stalled = [];
        for ($i = 0; $i < 10; $i++) { /* each sends as much as is taken of it, and reads nothing */
            $stalled[] = $peer = $here->tlsPeer()->upgrade('/echo');
            stream_set_blocking($peer->stream, false);
            for ($sent = 0, $idle = 0; $idle < 20; $sent += $count) {
                $count = $peer->write(Peer::frame(str_repeat('e', 16000), 2));
                $idle = $count === 0 ? $idle + 1 : 0;
                expect($sent < 64 << 20, 'it is never stopped');
                if ($count === 0) {
                    $guest->send('tick');
                    $guest->expectText('tick');
                }
            }
        }
        await(static fn (): bool => $stats()['queue_paused'] >= 10, 'reading of all of them has stopped');
        $grown = $here->memory('VmRSS') - $before;
        expect($grown < 10 * 4096 + 16384, "$grown KiB more, for ten queues of 2 MiB at most");
        $slow = $here->tlsPeer()->upgrade('/room');
        $quick = $here->tlsPeer()->upgrade('/room');
        for ($i = 0; $i < 400; $i++) { /* 25 MiB: what the kernel takes for the slow one, and more than its queue */
            $quick->send('once more');
            expect(strlen($quick->receive()[1]) === 65536, 'a publication');
        }
        expect($stats()['overflow_closed'] === 1, 'the queue of the slow one has overflowed: ' . json_encode($stats()));
        $slow->expectClose(1013);
        $guest->send('still here');
        $guest->expectText('still here');
        array_map(static fn (Peer $peer) => $peer->close(), $stalled);
        await(static fn (): bool => $stats()['connections_open'] <= 3 && $stats()['queued_bytes'] < 65536, 'nothing stays of them');
    });
    $s->test('tls: a handshake has a deadline, however slowly it comes', static function () use ($server, $pair): void {
        $here = $server($pair(Certificates::of('one.test')), 'new Limits(handshakeMs: 700)');
        $silent = $here->peer();
        $slow = $here->peer();
        stream_set_blocking($slow->stream, false);
        $hello = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" . str_repeat("\1", 501);
        foreach (str_split($hello) as $sent => $byte) { /* half a minute, if it is let */
            $slow->write($byte);
            usleep(60000);
            if (@fread($slow->stream, 1) !== '' || feof($slow->stream)) {
                break;
            }
        }
        expect($sent < 511, 'it was let come to its end');
        $silent->rest();
        $garbage = $here->peer();
        $garbage->write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        expect(preg_match('~^HTTP/1\.1 400 ~', $plain = $garbage->rest()) === 1 && !str_contains($plain, '200'), "plain HTTP answered: $plain");
    });
    $s->test('tls: half a handshake keeps its place from nobody for longer than a fifth of its time', static function () use ($server, $pair): void {
        $here = $server($pair(Certificates::of('one.test')), 'new Limits(handshakes: 2, handshakeMs: 15_000)'); /* longer than a peer waits */
        [$silent, $half] = [$here->peer(), $here->peer()];
        $half->write("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" . str_repeat("\1", 200));
        $served = $here->tlsPeer()->upgrade();
        $served->send('hello');
        expect($served->receive()[1] === 'hello', 'the echo');
        expect($silent->rest() === '', 'it was told something'); /* the other one may stay: nobody waits any more */
    });
    $s->test('tls: a flood of handshakes does not starve who is served', static function () use ($server, $pair): void {
        $here = $server($pair(Certificates::of('one.test')));
        $served = $here->tlsPeer()->upgrade();
        $counts = static function () use ($served): array {
            $served->send('stats');

            return (array) json_decode($served->receive()[1], true);
        };
        $floods = [];
        try {
            for ($i = 0; $i < 2; $i++) { /* it lasts until we end it: who has to wait behind all of it waits for ever */
                $nowhere = ['file', '/dev/null', 'r+'];
                $floods[] = proc_open(['openssl', 's_time', '-connect', "127.0.0.1:$here->port", '-new', '-time', '600'], [$nowhere, $nowhere, $nowhere], $pipes) ?: throw new Failed('no flood');
            }
            await(static fn (): bool => $counts()['connections_total'] > 20, 'the flood is there');
            for ($before = $counts()['connections_total'], $echoes = 0; $echoes < 200; $echoes++) {
                $served->send('tick');
                $served->expectText('tick');
            }
            await(static fn (): bool => $counts()['connections_total'] > $before, 'the flood goes on');
        } finally {
            foreach ($floods as $flood) {
                proc_terminate($flood, SIGKILL);
                proc_close($flood);
            }
        }
    });
    $s->test('a certificate that expires while it is served is told before and when, and by /metrics, by a server and by a proxy', static function (): void {
        needs('openssl');
        $dir = folder();
        file_put_contents("$dir/ca.cnf", "[ca]\ndefault_ca=d\n[d]\ndatabase=$dir/index.txt\nserial=$dir/serial\nnew_certs_dir=$dir\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n");
        command("openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=brief -keyout $dir/brief.key -out $dir/brief.csr");
        foreach ([
            'server' => "\$s = new Server('127.0.0.1:0', tls: \$tls); \$s->onStart(\$started);",
            'proxy' => <<<PHP
                \$route = new class implements \Tusk\Proxy\Resolver {
                    public function resolve(\Tusk\Proxy\Lookup \$l): \Tusk\Proxy\Route { throw new \Tusk\Proxy\Refused(404, 'nobody'); }
                };
                \$s = new \Tusk\Proxy\Tcp(\$route, '127.0.0.1:0', tls: \$tls);
                \$s->onStart(\$started);
                PHP,
        ] as $kind => $made) {
            file_put_contents("$dir/index.txt", '');
            file_put_contents("$dir/serial", "01\n");
            $from = gmdate('ymdHis\Z', time() - 600);
            $end = time() + 4; // of some ten minutes of life a quarter is more than that
            command("openssl ca -batch -config $dir/ca.cnf -selfsign -keyfile $dir/brief.key -in $dir/brief.csr -startdate $from -enddate " . gmdate('ymdHis\Z', $end) . " -out $dir/brief.pem");
            $admin = free_port();
            $here = new Script("\$tls = new Tls('$dir/brief.pem', '$dir/brief.key'); $made \$s->admin('127.0.0.1:$admin'); exit(\$s->run());");
            $here->awaitLog("warning: certificate file '$dir/brief.pem' expires on ");
            $here->awaitLog("certificate file '$dir/brief.pem' has expired on ", 20.0);
            $metrics = (string) file_get_contents("http://127.0.0.1:$admin/metrics");
            expect(preg_match("~^tusk_{$kind}_certificate_expires_seconds\{file=\"" . preg_quote("$dir/brief.pem") . '"\} (-\d+)$~m', $metrics, $m) === 1 && abs((int) $m[1] - ($end - time())) <= 2, "$kind: $metrics");
            expect(substr_count($here->log(), 'brief.pem') === 2, "$kind, each once: {$here->log()}");
        }
    });
};
