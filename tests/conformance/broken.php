#!/usr/bin/env php
<?php

declare(strict_types=1);

// Proves that the cases can fail: peers that are wrong in one way each, of every role. For each fault exactly the cases
// that broken/faults.php names must fail, and the others of their families pass; without a fault all of them pass.

namespace Tusk\Conformance;

require __DIR__ . '/lib/bootstrap.php';

const USAGE = <<<'TEXT'
    usage: php tests/conformance/broken.php [options] [ROLE|FAULT...]
      --jobs N   faults side by side (10)
      --all      every case of the role, not only those that a fault names
      --show     say which cases fail, and demand nothing
    roles: ws-server, tls-server, http-server, sse-server, proxy, ws-client, http-client, sse-client
    TEXT;

$options = getopt('h', ['jobs:', 'all', 'show', 'help'], $rest);
if ($options === false || isset($options['h']) || isset($options['help'])) {
    echo USAGE, "\n";
    exit(0);
}
$wanted = array_slice($argv, $rest);
$jobs = max(1, is_string($options['jobs'] ?? null) ? (int) $options['jobs'] : 10);
if (!Bridge::isBuilt()) {
    echo "skipped: tls-server (a build without OpenSSL)\n";
}
$suite = Suite::load(__DIR__ . '/cases', dirname(__DIR__) . '/attack');

/** @var list<array{BrokenRole, string, list<string>, array<string, Script>}> $queue role, fault, patterns of what must fail, pool */
$queue = [];
foreach (BrokenRole::all($suite) as $role) {
    $pool = isset($options['all']) ? $role->cases : $role->pool();
    foreach (['none' => []] + $role->faults as $fault => $patterns) {
        if ($wanted === [] || in_array($role->name, $wanted, true) || in_array($fault, $wanted, true)) {
            $queue[] = [$role, $fault, $patterns, $pool];
        }
    }
}
// What waits for deadlines begins first.
usort($queue, static fn (array $a, array $b): int => count($b[0]->slow($b[2])) <=> count($a[0]->slow($a[2])));

[$passed, $failed] = [0, 0];
for ($job = 0; $job < $jobs; $job++) {
    Loop::spawn(static function () use (&$queue, &$passed, &$failed, $options): void {
        while (($next = array_shift($queue)) !== null) {
            [$role, $fault, $patterns, $pool] = $next;
            $results = $role->play($fault, $patterns, $pool, isset($options['all']));
            $names = array_keys(array_filter($results, static fn (array $row): bool => $row['result'] === Outcome::Fail));
            if (isset($options['show'])) {
                echo "$role->name $fault: ", implode(' ', $names), "\n";
                continue;
            }
            foreach ($results as $name => $row) {
                $mustFail = BrokenRole::names($patterns, $name);
                $good = $row['result'] === ($mustFail ? Outcome::Fail : Outcome::Pass);
                $good ? $passed++ : $failed++;
                if (!$good) {
                    echo "$role->name, $fault: $name is {$row['result']->value}, must ", $mustFail ? 'fail' : 'pass', ": {$row['detail']}\n";
                }
            }
        }
    });
}
// Between two cases of a client minutes may pass. It waits for orders longer than a read of any socket of its does.
foreach (['http-client' => ['method' => 'GET', 'url' => 'http://127.0.0.1:1/', 'headers' => [], 'body' => ''], 'sse-client' => ['stop' => true]] as $client => $order) {
    if ($wanted !== [] && !in_array($client, $wanted, true) || isset($options['show'])) {
        continue;
    }
    Loop::spawn(static function () use ($client, $order, &$passed, &$failed): void {
        $subject = new Subject(PHP_BINARY . ' -n -d default_socket_timeout=0 ' . __DIR__ . "/broken/$client.php", '/dev/null');
        try {
            Loop::sleep(0.5);
            $subject->tell($order);
            $subject->hear(10.0);
            $passed++;
        } catch (Failed $fault) {
            $failed++;
            echo "$client, asked nothing for long: {$fault->getMessage()}\n";
        } finally {
            $subject->stop();
        }
    });
}
Loop::run();
echo "$passed passed, $failed failed, 0 skipped\n";
exit($failed === 0 ? 0 : 1);
