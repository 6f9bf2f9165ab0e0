#!/usr/bin/env php
<?php

declare(strict_types=1);

// The soak: a crowd of processes makes and drops connections in every manner, members of it are killed at random, and at
// the end the server's memory and descriptors must be where they were after the first tenth.

namespace Tusk\Conformance;

require dirname(__DIR__) . '/conformance/lib/bootstrap.php';

const USAGE = <<<'TEXT'
    usage: php tests/soak/soak.php [options]
      --server CMD       {port} is put in (php examples/echo.php {port})
      --scale X          part of a million connections and ten million messages (0.03: about 20 s)
      --crowd N          processes side by side (2)
      --growth MIB       resident memory may grow by this after the first tenth (4)
    TEXT;

$options = getopt('h', ['server:', 'scale:', 'crowd:', 'growth:', 'help']);
if ($options === false || isset($options['h']) || isset($options['help'])) {
    echo USAGE, "\n";
    exit(0);
}
$get = static fn (string $name, string $default): string => is_string($options[$name] ?? null) ? $options[$name] : $default;
$root = dirname(__DIR__, 2);
@mkdir("$root/build", 0777, true);
$server = new Server($get('server', PHP_BINARY . " $root/examples/echo.php {port}"), 0, "$root/build/soak.log");
$server->start();
register_shutdown_function($server->stop(...));
$before = $server->descriptors();
$connections = (int) (1e6 * (float) $get('scale', '0.03'));
$each = 25; // the share of connections that talk is under a half: ten million messages for a million connections
$started = microtime(true);
mt_srand(1);

/** @var array<int, array{process: resource, pipe: resource, done: int, messages: int, faults: int, until: float}> $crowd */
$crowd = [];
[$made, $messages, $faults, $killed, $seed] = [0, 0, 0, 0, 1];
$warm = null;
$spoken = 0.0;
while ($made < $connections || $crowd !== []) {
    while (count($crowd) < (int) $get('crowd', '2') && $made < $connections) {
        $share = min(5000, $connections - $made);
        $command = [PHP_BINARY, __DIR__ . '/crowd.php', (string) $server->port, (string) $share, (string) $each, (string) $seed++];
        $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], STDERR], $pipes) ?: exit(3);
        stream_set_blocking($pipes[1], false);
        $crowd[] = ['process' => $process, 'pipe' => $pipes[1], 'done' => 0, 'messages' => 0, 'faults' => 0, 'until' => microtime(true) + mt_rand(5, 80) / 10];
    }
    usleep(20000);
    foreach ($crowd as $id => &$member) {
        while (($line = fgets($member['pipe'])) !== false) {
            [$done, $said, $wrong] = array_map(intval(...), explode(' ', $line));
            $made += $done - $member['done'];
            $messages += $said - $member['messages'];
            $faults += $wrong - $member['faults'];
            [$member['done'], $member['messages'], $member['faults']] = [$done, $said, $wrong];
        }
        $runs = proc_get_status($member['process'])['running'];
        if ($runs && microtime(true) > $member['until']) {
            proc_terminate($member['process'], 9); // with whatever it has open
            $killed++;
            $runs = false;
        }
        if (!$runs) {
            fclose($member['pipe']);
            proc_close($member['process']);
            unset($crowd[$id]);
        }
    }
    unset($member);
    if ($warm === null && $made >= $connections / 10) {
        $warm = $server->residentMiB();
    }
    if (microtime(true) - $spoken > 5) {
        $spoken = microtime(true);
        printf("%d connections, %d messages, %.1f MiB, %d descriptors\n", $made, $messages, $server->residentMiB(), $server->descriptors());
    }
    if (!$server->isRunning()) {
        echo "the server ended\n0 passed, 1 failed, 0 skipped\n";
        exit(1);
    }
}
for ($until = microtime(true) + 15; microtime(true) < $until && $server->descriptors() > $before; usleep(50000)) {
    continue;
}
$growth = $server->residentMiB() - (float) $warm;
printf("%d connections, %d messages, %d processes killed in %.0f s\n", $made, $messages, $killed, microtime(true) - $started);
$checks = [
    sprintf('memory: %.1f MiB after a tenth, %+.1f MiB at the end', (float) $warm, $growth) => $growth <= (float) $get('growth', '4'),
    "descriptors: $before before, {$server->descriptors()} at the end" => $server->descriptors() <= $before,
    "wrong or missing answers: $faults" => $faults === 0,
];
foreach ($checks as $text => $good) {
    echo $good ? 'ok' : 'NOT OK', "  $text\n";
}
$passed = count(array_filter($checks));
printf("%d passed, %d failed, 0 skipped\n", $passed, count($checks) - $passed);
exit($passed === count($checks) ? 0 : 1);
