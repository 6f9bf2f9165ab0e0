#!/usr/bin/env php
<?php

declare(strict_types=1);

namespace Tusk\Conformance;

require __DIR__ . '/lib/bootstrap.php';

const USAGE = <<<'TEXT'
    Plays the conformance cases against a server, from outside.

    usage: php tests/conformance/run.php [options]
      --server CMD   WebSocket echo server, {port} is put in   (php examples/echo.php {port})
      --http CMD     HTTP server, {port} and {dir} are put in  (php examples/http.php {port} {dir})
      --takeover CMD a second WebSocket echo server that keeps its contexts (tests/conformance/servers/takeover.php)
      --sse CMD      SSE server                                (php examples/sse.php {port})
      --app CMD      HTTP server with the pages of tests/conformance/servers/app.php
      --proxy CMD    HTTP proxy, {port} and {backend} (a port) are put in: the cases of HTTP once more through it
                     (tests/conformance/servers/proxy.php); "none": not played
      --tls none     the cases once more over TLS are not played
      --port N       a WebSocket server that already runs on 127.0.0.1
      --php CMD      what stands for "php" in the commands above, such as "php -d extension=tusk"
      --filter TEXT  only cases whose id begins with TEXT (several by comma; "!" before it leaves out)
      --jobs N       cases side by side (8)
      --json FILE    results for machines (build/conformance.json)
      --expect FILE  results on record (tests/conformance/expected-results.json); "none" compares nothing
      --update       write the record
      --list         names only
      -v             every case as it ends
    exit: 0 as on record, 1 something differs, 2 wrong usage
    TEXT;

/** What costs much and runs the same code behind TLS as without it, byte for byte; by how their ids begin. */
const AS_WITHOUT_TLS = [
    '7692.7.1/', '7692.7.2/client-window-', '7692.7.2/server-window-', '7692.10/', // what is agreed upon, and inflating
    '6455.8.1/valid-', '6455.8.1/invalid-', '6455.7.4/', '6455.4.4/', // texts, codes, versions
    '9112.5/every-byte-', // 256 connections each
    'attack/bomb-', 'attack/noise', 'attack/mutations', 'attack/compressed-', 'attack/declared-', 'attack/unfinished-', 'attack/connect-and-leave', 'attack/idle-open',
    'attack/open-and-close', 'attack/files-', 'attack/large-', 'attack/tiny-', 'attack/pipeline-never-', 'attack/empty-', 'attack/reset-mid-inflate',
];

$options = getopt('vh', ['server:', 'takeover:', 'http:', 'sse:', 'app:', 'proxy:', 'tls:', 'port:', 'php:', 'filter:', 'jobs:', 'json:', 'expect:', 'update', 'list', 'help'], $rest);
if ($options === false || isset($options['h']) || isset($options['help']) || isset($argv[$rest])) {
    echo USAGE, "\n";
    exit(isset($argv[$rest]) ? 2 : 0);
}
$get = static fn (string $name, string $default): string => is_string($options[$name] ?? null) ? $options[$name] : $default;

$root = dirname(__DIR__, 2);
$filter = new Filter($get('filter', ''));
$suite = Suite::load(__DIR__ . '/cases', "$root/tests/attack");
if ($get('takeover', isset($options['server']) || isset($options['port']) ? 'none' : '') !== 'none') {
    $suite->again('7692.', 'takeover');
}
if ($get('proxy', isset($options['http']) || isset($options['app']) || isset($options['port']) ? 'none' : '') !== 'none') {
    $suite->again('91', 'proxy');
}
$hasTls = Bridge::isBuilt() && $get('tls', isset($options['server']) || isset($options['http']) || isset($options['app']) || isset($options['port']) ? 'none' : '') !== 'none';
foreach ($hasTls ? ['6455', '7692', '9110', '9112', 'attack/'] : [] as $family) {
    $suite->again($family, 'tls', 'server', array_filter(AS_WITHOUT_TLS, static fn (string $id): bool => str_starts_with($id, $family)));
}
$cases = array_filter(
    $suite->cases,
    static fn (Script $case): bool => in_array('server', $case->roles, true) && $filter->takes($case->id),
);
if (isset($options['list'])) {
    foreach ($cases as $case) {
        echo $case->id, $case->isStrict ? " (strict)" : "", "  $case->title\n";
    }
    echo count($cases), " cases\n";
    exit(0);
}

@mkdir("$root/build", 0777, true);
$php = $get('php', PHP_BINARY);
$servers = $lab = [];
$defaults = [
    'ws' => ['server', 'examples/echo.php', '{port}'],
    'ws+takeover' => ['takeover', 'tests/conformance/servers/takeover.php', '{port}'],
    'http' => ['http', 'examples/http.php', '{port} {dir}'],
    'sse' => ['sse', 'examples/sse.php', '{port}'],
    'app' => ['app', 'tests/conformance/servers/app.php', '{port}'],
];
foreach ($defaults as $kind => [$option, $file, $arguments]) {
    $isOurs = !isset($options['port']) && ($kind !== 'ws+takeover' || !isset($options['server']));
    $command = $get($option, $isOurs && is_file("$root/$file") ? "$php $root/$file $arguments" : 'none');
    if ($kind === 'ws' && isset($options['port'])) {
        $servers[$kind] = $lab[$kind] = new Server(null, (int) $get('port', '0'));
    } elseif ($command !== 'none') {
        $servers[$kind] = new Server($command, 0, "$root/build/conformance-$kind.log");
        $lab[$kind] = new Server($command, 0, "$root/build/conformance-$kind-alone.log");
        $servers[$kind]->start();
    }
}
$proxy = $get('proxy', "$php $root/tests/conformance/servers/proxy.php {port} {backend}");
foreach (['http', 'app'] as $kind) {
    if (isset($servers[$kind])) {
        $command = str_replace('{backend}', (string) $servers[$kind]->port, $proxy);
        $servers["$kind+proxy"] = new Server($command, 0, "$root/build/conformance-$kind-proxy.log");
        $lab["$kind+proxy"] = new Server($command, 0, "$root/build/conformance-$kind-proxy-alone.log");
        if ($command !== 'none') {
            $servers["$kind+proxy"]->start();
        }
    }
}
// Sealed bytes arrive in pieces that fit no record, of WebSockets in several records for what was one write; HTTP is spoken over TLS 1.2.
foreach ($hasTls ? ['ws' => ['examples/echo.php {port}', '--cut 777 --record 1000'], 'http' => ['tests/conformance/servers/http-tls.php {port} {dir}', '--tls 12 --cut 1200'],
    'app' => ['tests/conformance/servers/app.php {port}', '--tls 12 --record 300']] : [] as $kind => [$file, $bridge]) {
    $command = "$php $root/$file " . Bridge::certificate();
    $servers["$kind+tls"] = new Server($command, 0, "$root/build/conformance-$kind-tls.log", $bridge);
    $lab["$kind+tls"] = new Server($command, 0, "$root/build/conformance-$kind-tls-alone.log", $bridge);
    $servers["$kind+tls"]->start();
}
if ($servers === []) {
    echo "skipped: conformance (examples/echo.php is not there)\n0 passed, 0 failed, 1 skipped\n";
    exit(0);
}
register_shutdown_function(static function () use ($servers, $lab): void {
    foreach ([...array_values($servers), ...array_values($lab)] as $server) {
        $server->stop();
    }
});

$started = hrtime(true);
$runner = new Runner(new Target($servers), new Target($lab), max(1, (int) $get('jobs', '8')), isset($options['v']));
$runner->run($cases);
$report = new Report($runner->results);
$report->writeJson($get('json', "$root/build/conformance.json"));
exit($report->finish(
    $get('expect', __DIR__ . '/expected-results.json'),
    'server',
    $filter->isEmpty(),
    isset($options['update']),
    (hrtime(true) - $started) / 1e9,
));
