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
      --filter TEXT  only cases whose id begins with TEXT (several by comma; "!" before it leaves out)
      --jobs N       clients side by side (4)
      --json FILE    results for machines (build/conformance-client.json)
      --expect FILE  results on record (tests/conformance/expected-results.json); "none" compares nothing
      --update       write the record
      -v             every case as it ends
    exit: 0 as on record, 1 something differs, 2 wrong usage
    TEXT;

$options = getopt('vh', ['client:', 'http:', 'sse:', 'php:', 'filter:', 'jobs:', 'json:', 'expect:', 'update', 'help'], $rest);
if ($options === false || isset($options['h']) || isset($options['help']) || isset($argv[$rest])) {
    echo USAGE, "\n";
    exit(isset($argv[$rest]) ? 2 : 0);
}
$get = static fn (string $name, string $default): string => is_string($options[$name] ?? null) ? $options[$name] : $default;
$root = dirname(__DIR__, 2);
$filter = new Filter($get('filter', ''));
$cases = array_filter(
    Suite::load(__DIR__ . '/cases')->cases,
    static fn (Script $c): bool => in_array('client', $c->roles, true) && $c->body === null && $filter->takes($c->id),
);
@mkdir("$root/build", 0777, true);
$started = hrtime(true);
$php = $get('php', PHP_BINARY) . ' ' . __DIR__ . '/clients';
$commands = ['ws' => $get('client', ''), 'http-client' => $get('http', ''), 'sse-client' => $get('sse', '')];
$commands = array_filter($commands, strlen(...)) // who names one means that one
    ?: ['ws' => "$php/echo-client.php {url}", 'http-client' => "$php/http-client.php", 'sse-client' => "$php/sse-client.php"];
$runner = new ClientRunner($commands, "$root/build/conformance-client.log", isset($options['v']));
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
