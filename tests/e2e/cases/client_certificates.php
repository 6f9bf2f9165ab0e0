<?php

declare(strict_types=1);

// Certificates of clients: asked for and not demanded, seen by every kind of handler, gone with their authority.

namespace Tusk\E2e;

return static function (Suite $s): void {
    /** `$tls` stands behind certificate and key; `$options` are further ones of the server. */
    $server = static function (string $tls, string $options = ''): Script {
        $one = Certificates::of('one.test');

        return new Script(<<<PHP
            \$who = fn (?Tusk\\TlsInfo \$t): string => \$t === null ? 'plain' : implode(' ', [\$t->version, \$t->serverName ?? '-', \$t->alpn ?? '-',
                \$t->resumed ? 'resumed' : 'full', \$t->clientCertificate?->commonName ?? 'nobody']);
            \$server = new Server(['127.0.0.1:0'], new Tls('$one.pem', '$one.key', $tls) $options);
            \$server->onStart(\$started);
            \$kept = null;
            \$server->get('/', fn (Request \$r) => Response::text(\$who(\$r->tls())));
            \$server->get('/whole', fn (Request \$r) => Response::json((array) \$r->tls()?->clientCertificate));
            \$server->get('/waits', function (Request \$r) use (\$who) {
                Timer::sleep(0.01);

                return Response::text(\$who(\$r->tls()));
            });
            \$server->get('/keep', function (Request \$r) use (&\$kept) {
                \$kept = \$r;

                return Response::text('kept');
            });
            \$server->get('/kept', function () use (&\$kept, \$who) {
                return Response::text(\$who(\$kept->tls()));
            });
            \$server->get('/open', fn () => Response::text((string) \$server->stats()['connections_open']));
            \$server->websocket('/ws',
                authorize: fn (Request \$r) => \$r->tls()?->clientCertificate?->commonName,
                open: fn (Connection \$c) => \$c->send("\$c->identity: " . \$who(\$c->tls())),
                message: fn (Connection \$c) => \$c->send(\$who(\$c->tls())),
                close: function (Connection \$c) use (\$who) { echo 'closed: ', \$who(\$c->tls()), "\\n"; });
            \$server->events('/events', function (EventStream \$e) use (\$who) {
                Timer::sleep(0.01);
                \$e->send(\$who(\$e->tls()));
                \$e->close();
            });
            exit(\$server->run());
            PHP);
    };
    $asked = static fn (string $more = ''): string => "clientCa: '" . Certificates::ca() . ".pem'$more";
    $shown = static function (string $name): array {
        $file = Certificates::of($name);

        return ['local_cert' => "$file.pem", 'local_pk' => "$file.key"];
    };
    $versions = ['1.2' => STREAM_CRYPTO_METHOD_TLSv1_2_CLIENT, '1.3' => STREAM_CRYPTO_METHOD_TLSv1_3_CLIENT];
    $get = static function (Peer $peer, string $path = '/'): string {
        $peer->write("GET $path HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        $answer = $peer->rest();

        return substr($answer, (int) strpos($answer, "\r\n\r\n") + 4);
    };
    $isRefused = static function (\Closure $connects, string $what): void {
        try {
            $peer = $connects();
            $peer->write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            $got = $peer->rest();
        } catch (Failed) {
            return;
        }
        expect($got === '', "$what is served: $got");
    };

    $s->test('client certificates: who shows one is known to every handler, who shows none is served where it is optional', static function () use ($server, $asked, $shown, $versions, $get, $isRefused): void {
        $here = $server($asked(', clientOptional: true'));
        foreach ($versions as $version => $method) {
            foreach (['nobody' => [], 'user.test' => $shown('user.test')] as $name => $ssl) {
                $ssl += ['crypto_method' => $method, 'peer_name' => 'One.test', 'SNI_enabled' => true, 'alpn_protocols' => 'http/1.1'];
                $wanted = "$version one.test http/1.1 full $name";
                foreach (['/', '/waits'] as $path) {
                    expect(($got = $get($here->tlsPeer($ssl), $path)) === $wanted, "$path: $got, not $wanted");
                }
                contains($get($here->tlsPeer($ssl), '/events'), "data: $wanted\n", 'the event stream');
                $peer = $here->tlsPeer($ssl);
                if ($name === 'nobody') {
                    $peer->write("GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
                    contains($peer->until("\r\n\r\n"), 'HTTP/1.1 401 ', 'the answer to who shows none');
                    continue;
                }
                $peer->upgrade();
                $peer->expectText("$name: $wanted");
                $peer->send('who am I?');
                $peer->expectText($wanted);
                $peer->close();
                $here->awaitLog("closed: $wanted");
            }
            $ssl = $shown('user.test') + ['crypto_method' => $method];
            $held = $here->tlsPeer($ssl);
            $held->write("GET /keep HTTP/1.1\r\nHost: x\r\n\r\n");
            $held->until('kept');
            expect(($got = $get($here->tlsPeer(), '/kept')) === "$version - - full user.test", "of a request that was kept: $got");
            $held->close();
            await(static fn (): bool => $get($here->tlsPeer(), '/open') === '1', 'it is gone');
            expect(($got = $get($here->tlsPeer(), '/kept')) === "$version - - full user.test", "of one that was asked before: $got");
            $held = $here->tlsPeer($ssl);
            $held->write("GET /keep HTTP/1.1\r\nHost: x\r\n\r\n");
            $held->until('kept');
            $held->close();
            await(static fn (): bool => $get($here->tlsPeer(), '/open') === '1', 'the other one is gone');
            expect(($got = $get($here->tlsPeer(), '/kept')) === 'plain', "of one that was not, once it is gone: $got");
            command('openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=stranger -keyout ' . folder() . '/s.key -out ' . folder() . '/s.pem');
            $isRefused(static fn (): Peer => $here->tlsPeer(['local_cert' => folder() . '/s.pem', 'local_pk' => folder() . '/s.key', 'crypto_method' => $method]), "$version: a stranger");
        }
    });
    $s->test('client certificates: all of one is told as openssl tells it', static function () use ($server, $asked, $shown, $get): void {
        $here = $server($asked(', clientOptional: true'));
        $told = (array) json_decode($get($here->tlsPeer($shown('user.test')), '/whole'), true);
        $pem = (string) file_get_contents(Certificates::of('user.test') . '.pem');
        $parsed = openssl_x509_parse($pem);
        expect($told === [
            'subject' => 'CN=user.test',
            'issuer' => 'CN=Tusk test CA',
            'commonName' => 'user.test',
            'serial' => $parsed['serialNumberHex'],
            'dnsNames' => ['user.test'],
            'emailAddresses' => [],
            'uris' => [],
            'ipAddresses' => ['127.0.0.1'],
            'notBefore' => $parsed['validFrom_time_t'],
            'notAfter' => $parsed['validTo_time_t'],
            'fingerprint' => openssl_x509_fingerprint($pem, 'sha256'),
            'pem' => $pem,
        ], 'told: ' . json_encode($told));
    });
    $s->test('client certificates: not demanded and not asked for, nobody is known', static function () use ($server, $shown, $get): void {
        $here = $server('');
        expect(($got = $get($here->tlsPeer($shown('user.test')))) === '1.3 - - full nobody', $got);
    });
    $s->test('client certificates: workers know them too, and neither a session nor a worker keeps one whose authority was taken away', static function () use ($server, $shown, $versions, $get, $isRefused): void {
        $authorities = folder() . '/optional.pem';
        copy(Certificates::ca() . '.pem', $authorities);
        $here = $server("clientCa: '$authorities', clientOptional: true", ', workers: 2');
        $line = static fn (string $option, bool $certificate): string => "openssl s_client -connect 127.0.0.1:$here->port -ign_eof $option"
            . ($certificate ? ' -cert ' . Certificates::of('user.test') . '.pem -key ' . Certificates::of('user.test') . '.key' : '');
        $ask = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        foreach (['1.2' => '-tls1_2', '1.3' => '-tls1_3'] as $version => $option) {
            $session = folder() . "/optional$version";
            for ($i = 0; $i < 6; $i++) {
                contains(command($line("$option -sess_out $session", true), $ask)[1], "$version - - full user.test", "$version: a worker's answer");
            }
            if (is_file($session)) {
                contains(command($line("$option -sess_in $session", true), $ask)[1], "$version - - full user.test", "$version: offering the session");
                contains(command($line("$option -sess_in $session", false), $ask)[1], "$version - - full nobody", "$version: offering the session without the certificate");
            }
        }
        copy(Certificates::of('another.test') . '.pem', $authorities);
        $here->signal(SIGHUP);
        await(static function () use ($here, $shown): bool {
            try {
                $peer = $here->tlsPeer($shown('user.test'));
                $peer->write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

                return !str_contains($peer->rest(), 'user.test');
            } catch (Failed) {
                return true;
            }
        }, 'workers of the new authorities');
        await(static fn (): bool => substr_count($here->log(), 'port ') >= 4, 'both workers are new');
        foreach ($versions as $version => $method) {
            for ($i = 0; $i < 6; $i++) {
                $isRefused(static fn (): Peer => $here->tlsPeer($shown('user.test') + ['crypto_method' => $method]), "$version: whose authority is gone");
                expect(($got = $get($here->tlsPeer(['crypto_method' => $method]))) === "$version - - full nobody", "$version: $got");
            }
            $session = folder() . "/optional$version";
            if (is_file($session)) {
                $option = $version === '1.2' ? '-tls1_2' : '-tls1_3';
                expect(!str_contains(command($line("$option -sess_in $session", false), $ask)[1], 'user.test'), "$version: the session stands for the certificate");
            }
        }
    });
    $s->test('client certificates: onHandshake of the WebSocket server sees whose it is, and may refuse', static function () use ($asked, $shown): void {
        $one = Certificates::of('one.test');
        $here = new Script(<<<PHP
            \$server = new Tusk\\WebSocket\\Server();
            \$server->listen('127.0.0.1', 0);
            \$server->tls(new Tls('$one.pem', '$one.key', {$asked(', clientOptional: true')}));
            \$server->onStart(fn () => print("port \$server->port\\n"));
            \$server->onHandshake(function (Tusk\\WebSocket\\Request \$r): void {
                if (\$r->tls()?->clientCertificate === null) {
                    throw new Tusk\\WebSocket\\HandshakeException();
                }
            });
            \$server->onMessage(fn (Connection \$c, string \$m) => \$c->send(\$c->tls()->clientCertificate->subject));
            \$server->run();
            PHP);
        $peer = $here->tlsPeer($shown('user.test'))->upgrade('/');
        $peer->send('who am I?');
        $peer->expectText('CN=user.test');
        $nobody = $here->tlsPeer();
        $nobody->write("GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        contains($nobody->until("\r\n\r\n"), 'HTTP/1.1 403 ', 'the answer to who shows none');
    });
    $s->test('client certificates: optional without an authority is refused', static function () use ($server): void {
        $one = Certificates::of('one.test');
        $here = new Script("new Tls('$one.pem', '$one.key', clientOptional: true);", listening: false);
        expect($here->end() === 255, 'a status of 255');
        contains($here->log(), 'Argument #8 ($clientOptional) must be false without $clientCa: nobody is asked for a certificate', 'the log');
    });
};
