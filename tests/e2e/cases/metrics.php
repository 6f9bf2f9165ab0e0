<?php

declare(strict_types=1);

// What /metrics tells of each target and each named route, read by the strict parser of Prometheus's own client library.

namespace Tusk\E2e;

use function Tusk\Tests\free_port;

/** Samples as the parser has them, "name{label=value,…}" => value; a text that is no OpenMetrics fails. @return array<string, float> */
function open_metrics(int $port): array
{
    $read = <<<'PYTHON'
        import json, sys
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
        out = {}
        for family in text_string_to_metric_families(sys.stdin.read()):
            for s in family.samples:
                key = s.name + ("{" + ",".join("%s=%s" % (k, s.labels[k]) for k in sorted(s.labels)) + "}" if s.labels else "")
                if key in out: raise SystemExit("twice: " + key)
                out[key] = s.value
        print(json.dumps(out))
        PYTHON;
    static $there = null;
    $there ??= command('/usr/bin/python3 -c "import prometheus_client.openmetrics.parser"')[0] === 0;
    if (!$there) {
        throw new Absent('no prometheus_client for Python (python3-prometheus-client)');
    }
    $text = (string) file_get_contents("http://127.0.0.1:$port/metrics");
    [$status, $json] = command('/usr/bin/python3 -c ' . escapeshellarg($read), $text);
    expect($status === 0, "$json in $text");

    return (array) json_decode($json, true, 3, JSON_THROW_ON_ERROR);
}

/**
 * Waits until these samples have these values: a worker tells what it counted within 100 ms, and counts a session when its client may have
 * seen the end already.
 *
 * @param array<string, int> $values without what all names begin with
 *
 * @return array<string, float> all of them
 */
function metrics_become(int $port, array $values): array
{
    $all = [];
    $wrong = '';
    try {
        await(static function () use ($port, $values, &$all, &$wrong): bool {
            $all = open_metrics($port);
            $wrong = '';
            foreach ($values as $name => $value) {
                $is = $all["tusk_proxy_$name"] ?? null;
                $wrong = $is == $value ? $wrong : "$name is " . json_encode($is) . ", not $value";
            }

            return $wrong === '';
        }, 'metrics');
    } catch (Failed $e) {
        throw new Failed("{$e->getMessage()}: $wrong");
    }

    return $all;
}

return static function (Suite $s): void {
    $backend = static fn (): Script => new Script(<<<'PHP'
        $server = new Server('127.0.0.1:0');
        $server->onStart($started);
        $server->get('/', fn () => Response::text('four'));
        $server->get('/slow', function () { Timer::sleep(0.06); return Response::text('slow'); });
        $server->post('/', fn (Request $r) => Response::text('', 201));
        exit($server->run());
        PHP);
    $get = static function (Script $proxy, string $host, string $path = '/'): string {
        $peer = $proxy->peer();
        $peer->write("GET $path HTTP/1.1\r\nHost: $host\r\nConnection: close\r\n\r\n");

        return $peer->rest();
    };

    $s->test('metrics: requests are counted for each target and each route, of all workers, and survive a killed one', static function () use ($backend, $get): void {
        $one = $backend();
        $dead = free_port();
        $admin = free_port();
        $proxy = new Script(<<<PHP
            use Tusk\Proxy\{Http, Lookup, Resolver, Route, Target, Validation};
            final class ByHost implements Resolver
            {
                public function resolve(Lookup \$l): Route
                {
                    return match (true) {
                        \$l->host === 'moved' => Route::respond(Response::text('', 308), name: 'moved'),
                        \$l->host === 'both' => Route::to([new Target('127.0.0.1:$dead'), new Target('127.0.0.1:$one->port', 0)], name: 'a "quoted\\\\" one'),
                        default => Route::to('127.0.0.1:$one->port', ttl: 0, name: \$l->host),
                    };
                }
            }
            \$proxy = new Http(new ByHost(), '127.0.0.1:0', validation: Validation::none(), workers: 2, limits: new Tusk\Proxy\Limits(metrics: 4, ejectFailures: 1));
            \$proxy->admin('127.0.0.1:$admin');
            \$proxy->onListen(\$started);
            \$proxy->onStart(fn () => error_log('worker is ' . getmypid()));
            exit(\$proxy->run());
            PHP);
        $target = "target=127.0.0.1:$one->port";
        for ($i = 0; $i < 12; $i++) {
            contains($get($proxy, 'shop'), 'four');
        }
        contains($get($proxy, 'shop', '/nowhere'), ' 404 ');
        contains($get($proxy, 'shop', '/slow'), 'slow');
        contains($get($proxy, 'both'), 'four');
        contains($get($proxy, 'moved'), ' 308 ');
        $all = metrics_become($admin, $told = ["target_sessions_total{{$target}}" => 15, "target_responses_total{code=2xx,$target}" => 14, "target_responses_total{code=4xx,$target}" => 1,
            "target_up{{$target}}" => 1, "target_first_byte_seconds_count{{$target}}" => 15, "target_first_byte_seconds_bucket{le=+Inf,$target}" => 15,
            "target_up{target=127.0.0.1:$dead}" => 0, "target_dial_failures_total{target=127.0.0.1:$dead}" => 1, "target_ejections_total{target=127.0.0.1:$dead}" => 1,
            "target_sessions_total{target=127.0.0.1:$dead}" => 0, "target_retries_total{{$target}}" => 1,
            'route_sessions_total{route=shop}' => 14, 'route_responses_total{code=4xx,route=shop}' => 1, 'route_responses_total{code=3xx,route=moved}' => 1,
            'route_sessions_total{route=a "quoted\\" one}' => 1, 'route_active{route=shop}' => 0]);
        $page = explode("## Of a target, of a route\n", (string) file_get_contents(dirname(__DIR__, 3) . '/docs/reference/counters.md'))[1];
        preg_match_all('~^\| (`[^|]*`) \| (\w+) \|~m', explode("\n## ", $page)[0], $lines);
        preg_match_all('~^tusk_proxy_(target|route)_(\w+?)(?:_total|_bucket|_count|_sum|)\{~m', implode("\n", array_keys($all)), $found);
        foreach (['target', 'route'] as $of) {
            $documented = implode(' ', array_filter($lines[1], static fn (int $i): bool => in_array($lines[2][$i], [$of, 'both'], true), ARRAY_FILTER_USE_KEY));
            preg_match_all('~`(\w+)[`{]~', $documented, $names);
            $have = array_unique(array_filter($found[2], static fn (int $i): bool => $found[1][$i] === $of, ARRAY_FILTER_USE_KEY));
            expect(array_diff($names[1], $have) === [] && array_diff($have, $names[1]) === [], "the page of counters has not those of a $of: " . implode(' ', $have));
        }
        $bytes = $all["tusk_proxy_target_bytes_down_total{{$target}}"];
        expect($bytes > 14 * 4, "$bytes bytes");
        expect($all["tusk_proxy_target_first_byte_seconds_sum{{$target}}"] > 0.06 && $all["tusk_proxy_target_first_byte_seconds_bucket{le=0.05,$target}"] < 15, 'the slow one');
        preg_match_all('~worker is (\d+)~', $proxy->log(), $workers);
        posix_kill((int) $workers[1][0], SIGKILL);
        await(static fn (): bool => substr_count($proxy->log(), 'worker is') === 3, 'another worker');
        $after = metrics_become($admin, $told); // no more than before, either: all of it has long been told
        expect($after["tusk_proxy_target_bytes_down_total{{$target}}"] == $bytes, 'bytes of a killed worker');
        // Names past the limit are one.
        for ($i = 0; $i < 8; $i++) {
            contains($get($proxy, "tenant$i"), 'four');
        }
        $after = metrics_become($admin, ['route_sessions_total{route=other}' => 7]);
        expect(count(array_filter(array_keys($after), static fn (string $n): bool => str_starts_with($n, 'tusk_proxy_route_active'))) === 5, 'rows of routes');
        await(static fn (): bool => open_metrics($admin)['tusk_proxy_metrics_other_total'] >= 7, 'their counter');
        expect($proxy->stop() === 0, 'exit code');
    });

    $s->test('metrics: what the page of counters calls a gauge is one', static function (): void {
        $admin = free_port();
        $server = new Script(<<<PHP
            \$server = new Server('127.0.0.1:0');
            \$server->admin('127.0.0.1:$admin');
            \$server->onStart(\$started);
            exit(\$server->run());
            PHP);
        $all = open_metrics($admin);
        preg_match_all('~^# TYPE tusk_server_(\w+) gauge$~m', (string) file_get_contents("http://127.0.0.1:$admin/metrics"), $told);
        $reference = (string) file_get_contents(dirname(__DIR__, 3) . '/docs/reference/counters.md');
        $page = explode("## Of a proxy\n", $reference)[0];
        preg_match_all('~^\| (`[^|]*`) \| gauge \|~m', $page, $lines);
        preg_match_all('~`(\w+)`~', implode(' ', $lines[1]), $names);
        $have = array_diff($told[1], ['draining', 'limit_used', 'limit_bound']);
        sort($have);
        sort($names[1]);
        expect($have === $names[1], 'gauges are ' . implode(' ', $have) . '; the page has ' . implode(' ', $names[1]));
        preg_match_all('~^process_\w+~m', implode("\n", array_keys($all)), $process);
        preg_match_all('~`(process_\w+)`~', $reference, $names);
        expect($process[0] === $names[1], 'of the process: ' . implode(' ', $process[0]) . '; the page has ' . implode(' ', $names[1]));
        expect($server->stop() === 0, 'exit code');
    });

    $s->test('metrics: a TCP session that goes on is counted while it does, and what its target does to it', static function (): void {
        $server = stream_socket_server('tcp://127.0.0.1:0') ?: throw new Failed('no backend');
        $address = (string) stream_socket_get_name($server, false);
        $admin = free_port();
        $proxy = new Script(<<<PHP
            use Tusk\Proxy\{First, Lookup, Resolver, Route, Tcp, Validation};
            final class Db implements Resolver
            {
                public function resolve(Lookup \$l): Route
                {
                    return Route::to('$address', name: 'db');
                }
            }
            \$proxy = new Tcp(new Db(), '127.0.0.1:0', validation: Validation::none(),
                first: First::Server, limits: new Tusk\Proxy\Limits(backendFirstMs: 300));
            \$proxy->admin('127.0.0.1:$admin');
            \$proxy->onStart(\$started);
            exit(\$proxy->run());
            PHP);
        $client = $proxy->peer();
        $backend = Peer::of(stream_socket_accept($server, PATIENCE));
        $backend->write('hello');
        $client->until('hello');
        $client->write('0123456789');
        $backend->until('0123456789');
        metrics_become($admin, ["target_active{target=$address}" => 1, 'route_active{route=db}' => 1]);
        $client->stream = $backend->stream = null;
        metrics_become($admin, ['route_bytes_up_total{route=db}' => 10, "target_bytes_down_total{target=$address}" => 5]);
        $client = $proxy->peer(); // and the backend says nothing
        $client->rest();
        metrics_become($admin, ["target_answer_timeouts_total{target=$address}" => 1, "target_first_byte_seconds_count{target=$address}" => 1]);
        expect($proxy->stop() === 0, 'exit code');
    });
};
