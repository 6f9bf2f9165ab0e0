<?php

declare(strict_types=1);

// The proxy between real programs: PostgreSQL with psql and pgbench, nginx, HAProxy.

namespace Tusk\E2e;

use Tusk\Tests\Servers\{Daemon, Postgres};

use function Tusk\Tests\free_port;

/** A PostgreSQL of the tests' own with TLS, and the databases "shop" and "stock". */
function postgres(): Postgres
{
    static $one = null;
    if ($one === null) {
        needs('psql');
        $one = started(Postgres::class);
        foreach (['shop', 'stock'] as $database) {
            [$status, $text] = psql($one->port, 'postgres', "create database $database");
            expect($status === 0, $text);
        }
    }

    return $one;
}

/**
 * A daemon with a port and a certificate that goes at the end of all tests.
 *
 * @template T of Daemon
 * @param class-string<T> $daemon
 * @return T
 */
function started(string $daemon, string ...$options): Daemon
{
    $missing = $daemon::missing();
    if ($missing !== null) {
        throw new Absent($missing);
    }
    $one = $daemon::start(free_port(), Certificates::of('db.example.org'), ...$options);
    register_shutdown_function($one->stop(...));

    return $one;
}

/** @return array{int, string} */
function psql(int $port, string $database, string $sql, string $more = 'sslmode=disable'): array
{
    return command('psql -X -A -t ' . escapeshellarg("host=127.0.0.1 port=$port user=tusk dbname=$database connect_timeout=20 $more") . ' -c ' . escapeshellarg($sql));
}

/**
 * So many queries that take a minute, each of a psql of its own through this port, are interrupted once all of them run on that server: psql cancels by a
 * connection of its own, which names no database.
 *
 * @return string what all of them said
 */
function interrupted(int $count, int $port, int $server): string
{
    $line = "psql -X 'host=127.0.0.1 port=$port user=tusk dbname=shop sslmode=disable' -c 'select pg_sleep(60)'";
    $all = array_map(static fn (): Program => new Program($line), range(1, $count));
    $said = static fn (): string => implode(array_map(static fn (Program $one): string => $one->log(), $all));
    $run = "select count(*) from pg_stat_activity where state = 'active' and query = 'select pg_sleep(60)'";
    await(static fn (): bool => psql($server, 'shop', $run) === [0, "$count\n"], "$count queries run: {$said()}");
    array_map(static fn (Program $one) => $one->signal(SIGINT), $all);
    await(static fn (): bool => array_filter($all, static fn (Program $one): bool => $one->runs()) === [], 'all have ended', 30);

    return $said();
}

/** A proxy whose resolver is this PHP expression of $lookup, or whose whole making is given. */
function proxy(string $make, string $resolver): Script
{
    return new Script(<<<PHP
        use Tusk\Proxy\{Access, Callback, Engine, First, Http as HttpProxy, Lookup, Protocol, Refused, Route, Tcp, TlsMode, UpstreamTls, Validation};
        spl_autoload_register(fn (\$class) => @include '{$GLOBALS['library']}/' . strtr(substr(\$class, 5), '\\\\', '/') . '.php');
        \$validation = Validation::publicOnly()->allow('127.0.0.0/8');
        \$resolver = new Callback(function (Lookup \$lookup) { return $resolver; });
        \$proxy = $make;
        \$proxy->onStart(\$started);
        exit(\$proxy->run());
        PHP);
}

return static function (Suite $s): void {
    $GLOBALS['library'] = dirname(__DIR__, 3) . '/php/src';

    foreach (['Copy', 'Splice'] as $engine) {
        $s->test("proxy: psql, TLS of its own and pgbench through the engine $engine", static function () use ($engine): void {
            $server = postgres();
            $proxy = proxy("new Tcp(\$resolver, '127.0.0.1:0', validation: \$validation, engine: Engine::$engine, first: First::Server)", "'127.0.0.1:$server->port'");
            expect(psql($proxy->port, 'shop', 'select 41 + 1, current_database()') === [0, "42|shop\n"], 'select');
            [$status, $text] = psql($proxy->port, 'shop', 'select ssl from pg_stat_ssl where pid = pg_backend_pid()', 'sslmode=require');
            expect([$status, $text] === [0, "t\n"], "TLS from end to end: $text");
            [$status, $text] = psql($proxy->port, 'shop', "select md5(string_agg(repeat(n::text, 100), ',' order by n)), sum(length(repeat(n::text, 100))) from generate_series(1, 20000) n");
            expect(psql($server->port, 'shop', "select md5(string_agg(repeat(n::text, 100), ',' order by n)), sum(length(repeat(n::text, 100))) from generate_series(1, 20000) n") === [$status, $text], 'the same answer');
            [$status, $rows] = psql($proxy->port, 'shop', 'select repeat(n::text, 50) from generate_series(1, 50000) n');
            expect($status === 0 && md5($rows) === md5(psql($server->port, 'shop', 'select repeat(n::text, 50) from generate_series(1, 50000) n')[1]), 'many rows');
            needs('pgbench');
            command("pgbench -h 127.0.0.1 -p $server->port -U tusk -i -q shop");
            [$status, $text] = command("pgbench -h 127.0.0.1 -p $proxy->port -U tusk -n -S -c 10 -j 2 -t 100 shop");
            expect($status === 0 && str_contains($text, 'number of transactions actually processed: 1000/1000'), "pgbench: $text");
            expect($proxy->stop() === 0, 'exit code');
        });
    }

    $s->test('proxy: PostgreSQL is routed by database, refused in its own words, and a cancel request finds its backend', static function (): void {
        $server = postgres();
        $proxy = proxy(
            "new Tcp(\$resolver, '127.0.0.1:0', validation: \$validation, first: First::Client, protocol: Protocol::Postgres)",
            "match (\$lookup->database) { 'shop', 'stock' => '127.0.0.1:$server->port', 'away' => '127.0.0.1:1', 'secret' => throw new Refused(403, 'not for you'), "
                . "'broken' => throw new \\RuntimeException('the table of routes is gone'), 'private' => '10.255.255.1:5432', "
                . "'renamed' => Route::to('127.0.0.1:$server->port', database: 'stock'), default => null }",
        );
        expect(psql($proxy->port, 'shop', 'select current_database()') === [0, "shop\n"], 'shop');
        expect(psql($proxy->port, 'stock', 'select current_database()', 'sslmode=prefer') === [0, "stock\n"], 'a client that would like TLS goes on without');
        expect(psql($proxy->port, 'renamed', 'select current_database()') === [0, "stock\n"], 'the route names another database');
        foreach (['secret' => 'not for you', 'unknown' => 'there is no route', 'broken' => 'the resolver failed', 'away' => '', 'private' => ''] as $database => $reason) {
            [$status, $text] = psql($proxy->port, $database, 'select 1');
            expect($status === 2 && str_contains($text, 'FATAL') && str_contains($text, $reason), "$database: $text");
        }
        expect(substr_count($proxy->log(), 'the table of routes is gone') === 1, 'logged once: ' . $proxy->log());
        contains(interrupted(1, $proxy->port, $server->port), 'canceling statement due to user request', 'psql');
        expect($proxy->stop() === 0, 'exit code');
    });

    $s->test('proxy: psql cancels through whichever of four workers, and a reload under pgbench loses no connection', static function (): void {
        needs('pgbench');
        $server = postgres();
        $proxy = proxy(
            "new Tcp(\$resolver, '127.0.0.1:0', validation: \$validation, first: First::Client, protocol: Protocol::Postgres, workers: 4)",
            "\$lookup->database === 'shop' ? '127.0.0.1:$server->port' : null",
        );
        // The kernel gives the cancelling connection to the same worker once in four times: ten in a row that all do are one in a million.
        $text = interrupted(10, $proxy->port, $server->port);
        expect(substr_count($text, 'canceling statement due to user request') === 10, $text);

        file_put_contents($script = folder() . '/one.sql', "select 1;\n");
        $bench = new Program("pgbench -n -C -c 8 -j 2 -t 200 -f $script -h 127.0.0.1 -p $proxy->port -U tusk shop");
        for ($generation = 2; $generation <= 4; $generation++) {
            $proxy->signal(SIGHUP);
            await(fn (): bool => substr_count($proxy->log(), "port $proxy->port\n") >= 4 * $generation, "generation $generation: " . $proxy->log());
        }
        await(fn (): bool => !$bench->runs(), 'pgbench ends', 180); // 1,600 processes of PostgreSQL: a minute where two cores are busy
        contains($bench->log(), 'number of transactions actually processed: 1600/1600', 'pgbench');
        expect($proxy->stop() === 0, 'exit code');
    });

    $s->test('proxy: PostgreSQL over TLS that ends at the proxy, and TLS again to the backend', static function (): void {
        $server = postgres();
        $pair = Certificates::of('db.example.org');
        $ca = Certificates::ca() . '.pem';
        $proxy = proxy(
            "new Tcp(\$resolver, '127.0.0.1:0', validation: \$validation, first: First::Client, protocol: Protocol::Postgres, tls: new Tls('$pair.pem', '$pair.key'), downstream: TlsMode::Require)",
            "Route::to('127.0.0.1:$server->port', tls: \$lookup->database === 'shop' ? new UpstreamTls(ca: '$ca', name: 'db.example.org') : null)",
        );
        $checked = "hostaddr=127.0.0.1 host=db.example.org sslmode=verify-full sslrootcert=$ca";
        $ssl = 'select current_database(), ssl from pg_stat_ssl where pid = pg_backend_pid()';
        [$status, $text] = psql($proxy->port, 'shop', $ssl, $checked);
        expect([$status, $text] === [0, "shop|t\n"], "TLS on both sides: $text" . $proxy->log());
        [$status, $text] = psql($proxy->port, 'stock', $ssl, $checked);
        expect([$status, $text] === [0, "stock|f\n"], "TLS on the client's side: $text" . $proxy->log());
        [$status, $rows] = psql($proxy->port, 'shop', 'select repeat(n::text, 50) from generate_series(1, 50000) n', $checked);
        expect($status === 0 && md5($rows) === md5(psql($server->port, 'shop', 'select repeat(n::text, 50) from generate_series(1, 50000) n')[1]), 'many rows');
        [$status, $text] = psql($proxy->port, 'shop', 'select 1');
        expect($status === 2 && str_contains($text, 'FATAL'), "without TLS: $text");
        expect($proxy->stop() === 0, 'exit code');
    });

    $s->test('proxy: HAProxy tells the client by a PROXY header, and takes ours', static function (): void {
        [$in, $out] = [free_port(), free_port()];
        foreach ([1, 2] as $version) {
            // client -> HAProxy (adds a header) -> Tusk (reads it, sends its own) -> HAProxy (reads it, adds X-Forwarded-For) -> a server
            $server = new Script(<<<'PHP'
                $server = new Server('127.0.0.1:0');
                $server->onStart($started);
                $server->get('/who', fn (Request $r) => Response::text('who=' . $r->header('x-forwarded-for') . ';'));
                exit($server->run());
                PHP);
            $proxy = proxy(
                "new Tcp(\$resolver, '127.0.0.1:0', validation: \$validation, trustedProxies: ['127.0.0.1'], proxyProtocol: true, first: First::Server)",
                "str_starts_with(\$lookup->peer, '127.0.0.7') ? Route::to('127.0.0.1:$out', proxyProtocol: $version) : null",
            );
            $send = $version === 1 ? 'send-proxy' : 'send-proxy-v2';
            $haproxy = haproxy("defaults\n timeout connect 5s\n timeout client 30s\n timeout server 30s\n"
                . "frontend a\n mode tcp\n bind 127.0.0.1:$in\n default_backend b\nbackend b\n mode tcp\n server t 127.0.0.1:$proxy->port $send\n"
                . "frontend c\n mode http\n bind 127.0.0.1:$out accept-proxy\n option forwardfor\n default_backend d\nbackend d\n mode http\n server s 127.0.0.1:$server->port\n", $in);
            [$status, $text] = command("curl -s --interface 127.0.0.7 http://127.0.0.1:$in/who");
            expect([$status, $text] === [0, 'who=127.0.0.7;'], "version $version: $text " . $proxy->log());
            unset($haproxy);
            expect($proxy->stop() === 0, 'exit code');
        }
    });

    $s->test('proxy: nginx behind the HTTP proxy: kept connections, a large file, a form, what is refused', static function (): void {
        needs('curl');
        $folder = folder();
        $port = free_port();
        file_put_contents("$folder/large", random_bytes(3 << 20));
        $nginx = nginx("server { listen 127.0.0.1:$port; root $folder; location = /hello { return 200 \"hello \$host\\n\"; } "
            . "location = /form { client_max_body_size 1m; return 200 \"got \$content_length\\n\"; } }", $port);
        $proxy = proxy(
            "new HttpProxy(\$resolver, '127.0.0.1:0', validation: \$validation)",
            "match (\$lookup->host) { 'away' => '127.0.0.1:1', 'private' => '10.255.255.1:80', 'broken' => throw new \\RuntimeException('routes are gone'), "
                . "'full' => throw new Refused(503, 'come again'), 'secret' => throw new Refused(403), 'unknown' => null, default => '127.0.0.1:$port' }",
        );
        $url = "http://127.0.0.1:$proxy->port";
        [$status, $text] = command("curl -s -w '%{num_connects} ' $url/hello $url/hello $url/hello -H 'Host: shop'");
        expect([$status, $text] === [0, "hello shop\n1 hello shop\n0 hello shop\n0 "], $text);
        [$status, $text] = command("bash -c " . escapeshellarg("curl -s $url/large -H 'Host: shop' | md5sum | cut -c1-32"));
        expect(trim($text) === md5_file("$folder/large"), 'a large file');
        [$status, $text] = command("curl -s $url/form -H 'Host: shop' -H 'Expect: 100-continue' -F file=@/etc/passwd");
        contains($text, 'got ');
        expect(trim(command("curl -s -o /dev/null -w '%{http_code}' $url/none -H 'Host: shop'")[1]) === '404', 'a status of the backend');
        foreach (['away' => '502', 'private' => '403', 'broken' => '500', 'full' => '503', 'secret' => '403', 'unknown' => '404'] as $host => $code) {
            [$status, $text] = command("curl -s -o /dev/null -w '%{http_code}' $url/hello -H 'Host: $host'");
            expect($text === $code, "$host: $text");
        }
        expect(substr_count($proxy->log(), 'routes are gone') === 1, 'logged once: ' . $proxy->log());
        expect($proxy->stop() === 0, 'exit code');
        unset($nginx);
    });
};
