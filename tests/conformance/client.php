#!/usr/bin/env php
<?php

declare(strict_types=1);

namespace Tusk\Conformance;

require __DIR__ . '/lib/bootstrap.php';

const USAGE = <<<'TEXT'
    Plays the conformance cases to clients, from outside: the server's part is ours.

    usage: php tests/conformance/client.php [options]
      --client CMD   WebSocket client, {url} is put in: it must connect, send every message back, and end when the
                     connection does                (php tests/conformance/clients/echo-client.php {url})
      --http CMD     HTTP client, told by its standard input what to ask      (.../clients/http-client.php)
      --sse CMD      event-stream client, told by its standard input where to (.../clients/sse-client.php)
      --php CMD      what stands for "php" in the commands above, such as "php -d extension=tusk"
      --tls none     the cases once more over TLS are not played
      --filter TEXT  only cases whose id begins with TEXT (several by comma; "!" before it leaves out)
      --jobs N       clients side by side (4)
      --json FILE    results for machines (build/conformance-client.json)
      --expect FILE  results on record (tests/conformance/expected-results.json); "none" compares nothing
      --update       write the record
      -v             every case as it ends
    exit: 0 as on record, 1 something differs, 2 wrong usage
    TEXT;

/** What is a client's business and no proxy's, or what the case's reader does not read; by how their ids begin. */
const NOT_THE_PROXYS = [
    'client-9110.5.5/refused-', 'client-9110.9/refused-', 'client-9112.3.2/refused-', 'client-9112.6.2/framing-is-the-clients', // of a client's own interface
    'client-9110.9/method-TRACE', // 405: a proxy does not pass it on
    'client-9112.5/line-space-colon', 'client-9112.5/line-tab-colon', 'client-9112.7.1/broken-trailer-space-colon', // a proxy takes the white space out (RFC 9112, 5.1): +proxy/spaced- has them
    'client-9112.5.2/folded-', // 502, which RFC 9112, 5.2 allows a proxy: +proxy/folded- has them
    'client-9112.6/too-large-', 'client-9112.9.8/late-', 'client-9112.9.8/drip', // limits that the client's caller sets
    'client-9112.4/reason-high', 'client-9112.4/reason-tab', 'client-9110.15/status-600', 'client-9110.15/status-999', // taken and passed on; lib/Http.php reads less
];

/** Whose bytes TLS may cut, hold back or end otherwise: answers to handshakes, fragments, closing, bodies without a length, cut ones, connections used again. */
const OVER_TLS = ['6455.4.1/chopped', '6455.4.1/frames-', '6455.4.1/plain', '6455.5.4/', '6455.5.5.1/', '6455.5.5.2/', 'client-9112.6.3/until-', 'client-9112.8/', 'client-9112.9'];

/** What the player decides by what it has written or not read, which says little of what lies behind a bridge. */
const NOT_BEHIND_A_BRIDGE = ['client-9112.9.2/unasked-', 'client-9112.9.3.1/closed-while-', 'client-9112.9.5/'];

$options = getopt('vh', ['client:', 'http:', 'sse:', 'php:', 'tls:', 'filter:', 'jobs:', 'json:', 'expect:', 'update', 'help'], $rest);
if ($options === false || isset($options['h']) || isset($options['help']) || isset($argv[$rest])) {
    echo USAGE, "\n";
    exit(isset($argv[$rest]) ? 2 : 0);
}
$get = static fn (string $name, string $default): string => is_string($options[$name] ?? null) ? $options[$name] : $default;
$root = dirname(__DIR__, 2);
$filter = new Filter($get('filter', ''));
$suite = Suite::load(__DIR__ . '/cases');
$isOurs = !isset($options['client']) && !isset($options['http']) && !isset($options['sse']);
if ($isOurs) {
    $suite->again('client-91', 'proxy', 'client', NOT_THE_PROXYS);
}
$hasTls = $isOurs && Bridge::isBuilt() && $get('tls', '') !== 'none';
foreach ($hasTls ? OVER_TLS : [] as $family) {
    $suite->again($family, 'tls', 'client', array_filter(NOT_BEHIND_A_BRIDGE, static fn (string $id): bool => str_starts_with($id, $family)));
}
$cases = array_filter(
    $suite->cases,
    static fn (Script $c): bool => in_array('client', $c->roles, true) && $c->body === null && $filter->takes($c->id),
);
@mkdir("$root/build", 0777, true);
$started = hrtime(true);
$php = $get('php', PHP_BINARY) . ' ' . __DIR__ . '/clients';
$proxy = new Server($get('php', PHP_BINARY) . ' ' . __DIR__ . '/servers/proxy.php {port}', 0, "$root/build/conformance-client-proxy.log");
if ($isOurs) {
    $proxy->start();
    register_shutdown_function($proxy->stop(...));
}
$commands = ['ws' => $get('client', ''), 'http-client' => $get('http', ''), 'sse-client' => $get('sse', '')];
$commands = array_filter($commands, strlen(...)) // who names one means that one
    ?: ['ws' => "$php/echo-client.php {url}", 'http-client' => "$php/http-client.php", 'sse-client' => "$php/sse-client.php",
        'http-client+proxy' => "$php/proxied-client.php $proxy->port"];
$certificates = $hasTls ? Bridge::certificate() : '';
if ($hasTls) {
    $commands += ['ws+tls' => "$php/echo-client.php {url} $certificates/cert.pem", 'http-client+tls' => "$php/http-client.php $certificates/cert.pem"];
}
$bridge = "--certificate $certificates/cert.pem --key $certificates/key.pem --cut 777 --record 1000";
$runner = new ClientRunner($commands, "$root/build/conformance-client.log", isset($options['v']), $bridge);
$runner->run($cases, max(1, (int) $get('jobs', '4')));
$report = new Report($runner->results);
$report->writeJson($get('json', "$root/build/conformance-client.json"));
exit($report->finish(
    $get('expect', __DIR__ . '/expected-results.json'),
    'client',
    $filter->isEmpty(),
    isset($options['update']),
    (hrtime(true) - $started) / 1e9,
));
