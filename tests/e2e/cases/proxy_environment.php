<?php

declare(strict_types=1);

// The proxies of examples/, told by environment variables alone.

namespace Tusk\E2e;

use function Tusk\Tests\free_port;

return static function (Suite $s): void {
    /** @param array<string, int|string> $variables */
    $proxy = static function (string $kind, int $port, array $variables): Program {
        $root = dirname(__DIR__, 3);
        $line = 'env';
        foreach (['LISTEN' => "127.0.0.1:$port"] + $variables as $name => $value) {
            $line .= ' ' . strtoupper($kind) . "_$name=" . escapeshellarg((string) $value);
        }

        return (new Program("$line " . PHP_BINARY . " -d extension=$root/build/ext/modules/tusk.so $root/examples/proxy-$kind.php"))->awaitPort($port);
    };
    $http = static fn (): Script => new Script(<<<'PHP'
        $server = new Server('127.0.0.1:0');
        $server->onStart($started);
        $server->get('/', fn () => Response::text('four'));
        exit($server->run());
        PHP);

    $s->test('proxy environment: workers, sockmap, limits, an access log and the admin listener', static function () use ($proxy, $http): void {
        $backend = $http();
        [$port, $admin] = [free_port(), free_port()];
        $log = folder() . '/environment.log';
        $one = $proxy('tcp', $port, ['BACKEND_ENDPOINT' => "127.0.0.1:$backend->port", 'WORKERS' => 2, 'SOCKMAP_ENABLED' => 'true', 'ADMIN' => "127.0.0.1:$admin",
            'ACCESS_LOG' => $log, 'LIMITS' => 'halfClosedMs=5s', 'CONNECTIONS' => 50]);
        contains((string) file_get_contents("http://127.0.0.1:$port/"), 'four');
        await(static fn (): bool => str_contains((string) file_get_contents("http://127.0.0.1:$admin/metrics"), "tusk_proxy_crew_workers 2\n"), 'both workers');
        await(static fn (): bool => str_contains((string) @file_get_contents($log), '"done"'), 'the record');
        expect(preg_match('~Sockmap: (enabled|unavailable) \(.+\)~', $one->log()) === 1, 'what became of the sockmap: ' . $one->log());
        contains((string) file_get_contents("http://127.0.0.1:$admin/health"), 'ok');
    });
    $s->test('proxy environment: TLS ends there, and who shows no certificate of the CA gets nothing', static function () use ($proxy, $http): void {
        $backend = $http();
        $port = free_port();
        $server = Certificates::of('example.org');
        $client = Certificates::of('client.test');
        $ca = Certificates::ca();
        $one = $proxy('tcp', $port, ['BACKEND_ENDPOINT' => "127.0.0.1:$backend->port", 'PROTOCOL' => 'tls', 'TLS' => 'require', 'TLS_CERTIFICATE' => "$server.pem", 'TLS_KEY' => "$server.key",
            'TLS_CLIENT_CA' => "$ca.pem"]);
        $ask = static fn (string $options): string => command(
            "openssl s_client -connect 127.0.0.1:$port -servername example.org -CAfile $ca.pem -ign_eof $options",
            "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        )[1];
        contains($ask("-cert $client.pem -key $client.key -tls1_3"), 'four');
        contains($ask("-cert $client.pem -key $client.key -tls1_2"), 'four');
        $without = $ask('');
        expect(!str_contains($without, 'four'), 'a client without a certificate was served');
        expect(!str_contains($ask("-cert $client.pem -key $client.key -tls1_1 -cipher DEFAULT@SECLEVEL=0"), 'four'), 'TLS 1.1');
        unset($one);
    });
    $s->test('proxy environment: HTTP and SMTP', static function () use ($proxy, $http): void {
        $backend = $http();
        $port = free_port();
        $one = $proxy('http', $port, ['BACKEND_ENDPOINT' => "127.0.0.1:$backend->port*3", 'ENGINE' => 'copy', 'FORWARDING' => 'set', 'LIMITS' => 'http.poolSize=2']);
        contains((string) file_get_contents("http://127.0.0.1:$port/"), 'four');
        $server = stream_socket_server('tcp://127.0.0.1:0') ?: throw new Failed('no backend');
        $mail = free_port();
        $two = $proxy('smtp', $mail, ['BACKEND_ENDPOINT' => stream_socket_get_name($server, false), 'PER_SOURCE' => 1]);
        do { // the connection that found it listening may not be gone yet
            $client = new Peer("tcp://127.0.0.1:$mail");
            $client->write("NOOP\r\n");
        } while (!str_starts_with($client->until("\r\n"), '220 '));
        $client->until('250 ');
        $client->write("EHLO client.test\r\n");
        Peer::of(stream_socket_accept($server, PATIENCE))->write("220 mx ready\r\n");
        contains((new Peer("tcp://127.0.0.1:$mail"))->rest(), '421 ');
        contains($two->log(), "127.0.0.1 is over its limit at 127.0.0.1:$mail (perSource 1) and is closed");
        unset($one);
    });
    $s->test('proxy environment: a map that is broken while it serves is a line of the log, and the routes of before stay', static function () use ($http): void {
        $backend = $http();
        $port = free_port();
        $map = folder() . '/routes.txt';
        file_put_contents($map, "* 127.0.0.1:$backend->port\n");
        $one = (new Program(dirname(__DIR__, 3) . "/bin/tusk proxy http --listen 127.0.0.1:$port --any-address --by host --map " . escapeshellarg($map)))->awaitPort($port);
        file_put_contents($map, "* 127.0.0.1:$backend->port\nshop nowhere\n");
        await(static fn (): bool => str_contains($one->log(), 'nowhere'), 'the line in the log');
        contains((string) file_get_contents("http://127.0.0.1:$port/"), 'four');
        unlink($map);
        await(static fn (): bool => str_contains($one->log(), 'no readable file'), 'that the map is gone');
        contains((string) file_get_contents("http://127.0.0.1:$port/"), 'four');
        expect(preg_match_all('~^.*routes.*$~m', $one->log(), $lines) === 2 && !str_contains($one->log(), 'uncaught'), $one->log());
        contains($lines[0][0], "Tusk: $map:2: \"nowhere\" is no target such as 10.0.0.7:443 or [fd00::7]:443; the routes of before stay");
        contains($lines[0][1], "Tusk: The routes cannot be read: there is no readable file $map; the routes of before stay");
    });
};
