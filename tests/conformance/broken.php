#!/usr/bin/env php
<?php

declare(strict_types=1);

// Proves that the cases can fail: for each fault of broken-server.php at least the cases named here must fail,
// and all of them must pass against the same server without a fault.

namespace Tusk\Conformance;

require __DIR__ . '/lib/bootstrap.php';

const FAULTS = [
    'accept-unmasked' => ['6455.5.1/unmasked-text', '6455.5.1/unmasked-close', '6455.5.1/unmasked-empty-ping'],
    'skip-utf8' => ['6455.8.1/invalid-c0', '6455.8.1/invalid-surrogate-first', '6455.8.1/invalid-cut-two', '7692.8.1/invalid-ff'],
    'late-utf8' => ['6455.8.1/early-ff', '6455.8.1/second-frame', '6455.8.1/across-ping'],
    'skip-utf8-packed' => ['7692.8.1/invalid-ff', '7692.8.1/invalid-cut'],
    'ignore-rsv' => ['6455.5.2/rsv1-on-binary', '6455.5.2/rsv2-on-text', '6455.5.2/rsv4-on-ping', '7692.6/rsv-2'],
    'rsv1-anywhere' => ['7692.6/rsv1-on-ping', '7692.6/rsv1-on-continuation-of-plain'],
    'any-opcode' => ['6455.5.2/opcode-3', '6455.5.2/opcode-b-empty'],
    'long-control' => ['6455.5.5/ping-of-126'],
    'fragmented-control' => ['6455.5.5/fragmented-ping', '6455.5.5/fragmented-close'],
    'long-lengths' => ['6455.5.2/length-0-in-16', '6455.5.2/length-65535-in-64'],
    'no-limit' => ['6455.10.4/length-2p32', '6455.5.2/text-length-2p63', '6455.10.4/continuation-over-limit'],
    'lone-continuation' => ['6455.5.4/lone-continuation-filled', '6455.5.4/continuation-after-message'],
    'nested' => ['6455.5.4/text-inside-text', '6455.5.4/binary-inside-text'],
    'no-pong' => ['6455.5.5.2/ping-of-1', '6455.5.4/ping-between'],
    'empty-pong' => ['6455.5.5.2/ping-of-7', '6455.5.5.2/ping-of-125'],
    'late-pong' => ['6455.5.4/ping-between', '6455.5.4/pings-between-all'],
    'no-close-echo' => ['6455.7.4/code-1000', '6455.5.5.1/empty'],
    'other-close-code' => ['6455.7.4/code-1000', '6455.7.4/code-4999'],
    'any-close-code' => ['6455.7.4/code-1005-not-allowed', '6455.7.4/code-65535-not-allowed', '6455.7.4/code-999-not-allowed'],
    'one-byte-close' => ['6455.5.5.1/one-byte-0'],
    'any-reason' => ['6455.5.5.1/reason-bad-ff', '6455.5.5.1/reason-bad-surrogate'],
    'goes-on-after-close' => ['6455.5.5.1/after-close-ping', '6455.5.5.1/after-close-text', '6455.5.5.2/ping-after-close'],
    'keeps-open' => ['6455.7.1.1/server-ends-first', '6455.5.2/rsv1-on-text'],
    'wrong-code' => ['6455.5.1/unmasked-text', '6455.8.1/invalid-ff', '6455.10.4/length-2p32'],
    'reset' => ['6455.5.2/rsv1-on-text', '6455.8.1/invalid-ff'],
    'wrong-accept' => ['6455.4.2/plain', '6455.4.2/key-0'],
    'unasked-extension' => ['6455.4.2/plain'],
    'loses-early-bytes' => ['6455.4.2/frames-behind-request', '6455.4.2/bad-frame-behind-request'],
    'any-version' => ['6455.4.4/version-12', '6455.4.4/version-255'],
    'any-key' => ['6455.4.2/key-short', '6455.4.2/key-17-bytes', '6455.4.2/no-sec-websocket-key'],
    'any-method' => ['6455.4.2/method-POST', '6455.4.2/http-1.0'],
    'any-line' => ['6455.4.b/obs-fold-space', '6455.4.b/space-before-colon', '6455.4.b/no-colon', '6455.4.b/nul-in-value'],
    'no-host' => ['6455.4.2/no-host'],
    'wrong-type' => ['6455.5.2/text-keeps-type', '6455.5.2/text-of-1'],
    'masked-answers' => ['6455.5.2/text-of-1'],
    'long-answers' => ['6455.5.2/text-of-1', '6455.5.2/binary-of-125'],
    'any-parameter' => ['7692.7.1/bad-unknown-parameter', '7692.7.1/bad-server-window-7', '7692.7.1/bad-twice-server-window'],
    'keeps-context' => ['7692.7.2/server-forgets-text-1024', '7692.7.2/plain-many'],
];

$wanted = array_slice($argv, 1);
$all = array_values(array_unique(array_merge(...array_values(FAULTS))));
$suite = Suite::load(__DIR__ . '/cases')->cases;
$runs = [];
foreach (['none' => $all] + FAULTS as $fault => $names) {
    if ($wanted !== [] && !in_array($fault, $wanted, true)) {
        continue;
    }
    $server = new Server(PHP_BINARY . ' ' . __DIR__ . "/broken-server.php {port} $fault");
    $server->start();
    $target = new Target(['ws' => $server]);
    $runs[$fault] = [$server, $runner = new Runner($target, new Target([]), 4, false)];
    $cases = [];
    foreach ($names as $name) {
        $cases[$name] = $suite[$name] ?? throw new \LogicException("no case $name");
    }
    $runner->spawn($cases, $fault === 'none' ? null : 0.25);
}
Loop::run();
[$passed, $failed] = [0, 0];
foreach ($runs as $fault => [$server, $runner]) {
    $server->stop();
    $expected = $fault === 'none' ? Outcome::Pass : Outcome::Fail;
    foreach ($runner->results as $name => $row) {
        $row['result'] === $expected ? $passed++ : $failed++;
        if ($row['result'] !== $expected) {
            echo "$fault: $name is {$row['result']->value}, must be $expected->value: {$row['detail']}\n";
        }
    }
}
echo "$passed passed, $failed failed, 0 skipped\n";
exit($failed === 0 ? 0 : 1);
