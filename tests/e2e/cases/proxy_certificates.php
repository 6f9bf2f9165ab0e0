<?php

declare(strict_types=1);

// Certificates of clients before a proxy: a resolver sees them, a route that depends on one is nobody else's, and who shows none may be served.

namespace Tusk\E2e;

return static function (Suite $s): void {
    $GLOBALS['library'] = dirname(__DIR__, 3) . '/php/src';
    $named = static fn (string $name): Script => new Script(<<<PHP
        \$server = new Server('127.0.0.1:0');
        \$server->onStart(\$started);
        \$server->get('/', fn () => Response::text('$name'));
        exit(\$server->run());
        PHP);
    $tls = static function (string $more = ', clientOptional: true'): string {
        $pair = Certificates::of('one.test');
        $ca = Certificates::ca();

        return "tls: new Tls('$pair.pem', '$pair.key', clientCa: '$ca.pem'$more)";
    };
    $shown = static function (string $name): array {
        $file = Certificates::of($name);

        return ['local_cert' => "$file.pem", 'local_pk' => "$file.key"];
    };
    $get = static function (Peer $peer): string {
        $peer->write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        $answer = $peer->rest();

        return substr($answer, (int) strpos($answer, "\r\n\r\n") + 4);
    };
    $asked = static fn (string $then): string => "[print('asked: ' . (\$lookup->certificate?->commonName ?? 'nobody') . ' ' . implode(',', \$lookup->fieldsRead()) . \";\\n\"), $then][1]";

    foreach (['HttpProxy' => '', 'Tcp' => ', first: First::Client'] as $kind => $more) {
        $s->test("proxy certificates: a resolver of $kind routes by them, and who shows another one gets another route", static function () use ($kind, $more, $named, $tls, $shown, $get, $asked): void {
            [$members, $public] = [$named('members'), $named('public')];
            $proxy = proxy(
                "new $kind(\$resolver, '127.0.0.1:0', validation: \$validation, {$tls()}$more)",
                $asked("Route::to(\$lookup->certificate?->commonName === 'user.test' ? '127.0.0.1:$members->port' : '127.0.0.1:$public->port', ttl: 60)"),
            );
            foreach ([[], $shown('user.test'), $shown('other.test'), [], $shown('user.test')] as $i => $ssl) {
                $got = $get($proxy->tlsPeer($ssl));
                expect($got === ['public', 'members', 'public', 'public', 'members'][$i], "client $i: $got");
            }
            $log = $proxy->log();
            foreach (['nobody', 'user.test', 'other.test'] as $name) { // the fourth and the fifth had an answer that was kept
                expect(substr_count($log, "asked: $name certificate;\n") === 1, "$name: $log");
            }
            expect($proxy->stop() === 0, 'exit code');
        });
    }

    $s->test('proxy certificates: TLS in the middle of SMTP shows one, and the route is asked for anew', static function () use ($tls, $shown, $asked): void {
        $backend = new Script(<<<'PHP'
            $server = stream_socket_server('tcp://127.0.0.1:0');
            echo 'port ', substr(strrchr(stream_socket_get_name($server, false), ':'), 1), "\n";
            $open = [];
            while (true) {
                $read = [$server, ...$open];
                stream_select($read, $none, $none, null);
                foreach ($read as $one) {
                    if ($one === $server) {
                        $new = stream_socket_accept($server);
                        $open[(int) $new] = $new;
                        fwrite($new, "220 back.test ESMTP\r\n");
                    } elseif (($line = fgets($one)) === false) {
                        unset($open[(int) $one]);
                    } else {
                        fwrite($one, "250 back.test\r\n");
                    }
                }
            }
            PHP);
        $proxy = proxy("new Tusk\\Proxy\\Smtp(\$resolver, '127.0.0.1:0', validation: \$validation, {$tls()})", $asked("Route::to('127.0.0.1:$backend->port', ttl: 60)"));
        $context = stream_context_create(['ssl' => $shown('user.test') + ['verify_peer' => false, 'verify_peer_name' => false]]);
        $client = stream_socket_client("tcp://127.0.0.1:$proxy->port", timeout: PATIENCE, context: $context);
        stream_set_timeout($client, (int) PATIENCE);
        $says = static function (string $line) use ($client): string {
            fwrite($client, $line);
            do {
                $answer = (string) fgets($client);
            } while (($answer[3] ?? ' ') === '-');

            return $answer;
        };
        $says('');
        contains($says("EHLO a.test\r\n"), '250 ');
        contains($says("STARTTLS\r\n"), '220 ');
        expect(stream_socket_enable_crypto($client, true, STREAM_CRYPTO_METHOD_TLS_CLIENT) === true, 'no TLS');
        contains($says("EHLO a.test\r\n"), '250 ');
        contains($proxy->log(), "asked: nobody certificate;\nasked: user.test certificate;", 'what was asked');
        fclose($client);
        expect($proxy->stop() === 0, 'exit code');
        $backend->signal(SIGKILL);
    });

    $s->test('proxy certificates: tusk proxy serves who shows none only where it is told to', static function () use ($named, $shown, $get): void {
        $backend = $named('served');
        $pair = Certificates::of('one.test');
        foreach (['', '--client-optional'] as $option) {
            [$port, $err] = [\Tusk\Tests\free_port(), folder() . '/proxy.err'];
            $process = proc_open(
                [PHP_BINARY, dirname(__DIR__, 3) . '/bin/tusk', 'proxy', 'http', '--listen', "127.0.0.1:$port", '--to', "127.0.0.1:$backend->port",
                    '--certificate', "$pair.pem", '--key', "$pair.key", '--client-ca', Certificates::ca() . '.pem', ...($option === '' ? [] : [$option])],
                [1 => ['file', $err, 'w'], 2 => ['file', $err, 'w']],
                $pipes,
            );
            expect(is_resource($process), 'tusk does not start');
            try {
                await(static fn (): bool => str_contains((string) file_get_contents($err), 'listening'), 'the proxy listens');
                $peer = static fn (array $ssl): Peer => new Peer("ssl://127.0.0.1:$port", $ssl + ['verify_peer' => false, 'verify_peer_name' => false]);
                expect($get($peer($shown('user.test'))) === 'served', 'who shows one is not served');
                try {
                    $got = $get($peer([]));
                } catch (Failed) {
                    $got = '';
                }
                expect($got === ($option === '' ? '' : 'served'), "who shows none, with \"$option\": $got");
            } finally {
                proc_terminate($process, SIGTERM);
                expect(proc_close($process) === 0, 'exit code');
            }
        }
    });
};
