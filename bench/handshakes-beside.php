#!/usr/bin/env php
<?php

// SPDX-License-Identifier: MIT
// p99 of guests over TLS beside a flood of TLS handshakes, and beside one of connections without TLS at the same rate.
declare(strict_types=1);

const USAGE = <<<'HELP'
    usage: php bench/handshakes-beside.php [--pairs 24] [--slice 0.25] [--rate 500] [--handshakes 0] [--attacks none,requests,hellos]
    20 guests over TLS send 2,000 small messages a second together, in slices without and with the flood in turns over the same connections (build/bench/driver ws-beside, which
    `make bench-tools` builds). "hellos" are --rate TLS handshakes a second that end with the server's answer to the first message; "requests" as many opening handshakes without TLS
    to another port of the same server; "none" compares quiet with quiet. --handshakes is Limits::$handshakes of the server. The server is on the first processor, all
    others are on the second. Prints p50 and p99 of both kinds of slices, the ratio of the slices' p99 with its 95 % interval, and what the flood made.

    HELP;
$options = getopt('h', ['help', 'pairs:', 'slice:', 'rate:', 'handshakes:', 'attacks:']);
if (isset($options['h']) || isset($options['help'])) {
    echo USAGE;
    exit(0);
}
$number = static fn (string $name, float $default): float => isset($options[$name]) ? (float) $options[$name] : $default;
$root = dirname(__DIR__);
require "$root/tests/ports.php";
require "$root/bench/lib/autoload.php";
chdir($root);
Tusk\Bench\Target\Tools::orExit('bench/handshakes-beside.php');
[$sealed, $plain] = [Tusk\Tests\free_port(), Tusk\Tests\free_port()];
$folder = sys_get_temp_dir() . '/tusk-beside-' . getmypid();
mkdir($folder);
exec("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -keyout $folder/key.pem -out $folder/cert.pem 2>&1", $said, $status);
$status === 0 || throw new RuntimeException(implode("\n", $said));
$handshakes = (int) $number('handshakes', 0);
file_put_contents("$folder/server.php", <<<PHP
    <?php
    \$server = new Tusk\\Server('127.0.0.1:$sealed', tls: new Tusk\\Tls('$folder/cert.pem', '$folder/key.pem'), limits: new Tusk\\Limits(handshakes: $handshakes));
    \$server->listen('127.0.0.1:$plain');
    \$server->websocket('/', message: fn (\$c, \$m, \$type) => \$c->send(\$m, \$type));
    \$server->onListen(fn () => print("ready\\n"));
    exit(\$server->run());
    PHP);
$nowhere = ['file', '/dev/null', 'w'];
$server = proc_open(['taskset', '-c', '0', PHP_BINARY, '-n', '-d', "extension=$root/build/ext/modules/tusk.so", "$folder/server.php"], [$nowhere, ['pipe', 'w'], STDERR], $pipes)
    ?: throw new RuntimeException('no server');
try {
    fgets($pipes[1]) === "ready\n" || throw new RuntimeException('the server does not listen');
    $pid = proc_get_status($server)['pid'];
    foreach (explode(',', (string) ($options['attacks'] ?? 'none,requests,hellos')) as $attack) {
        $command = [$root . '/' . Tusk\Bench\Target\Tools::DRIVER, 'ws-beside', '--cpu', '1', '--pid', $pid, '--port', $sealed, '--tls', '--conns', '20', '--size', '32', '--rate', '2000', '--binary',
            '--pairs', (int) $number('pairs', 24), '--slice', $number('slice', 0.25), '--attack', $attack, '--attack-rate', $number('rate', 500),
            '--attack-port', $attack === 'requests' ? $plain : $sealed];
        $line = (string) shell_exec(implode(' ', array_map(static fn (mixed $word): string => escapeshellarg((string) $word), $command)));
        $told = json_decode($line, true) ?? throw new RuntimeException("the driver said: $line");
        $told['errors'] === 0 || throw new RuntimeException($told['error']);
        $logs = array_map(static fn (array $pair): float => log($pair[1] / $pair[0]), $told['pairs_us']);
        $mean = array_sum($logs) / count($logs);
        $spread = 1.96 * sqrt(array_sum(array_map(static fn (float $l): float => ($l - $mean) ** 2, $logs)) / max(1, count($logs) - 1) / count($logs));
        printf(
            "%-8s %5.0f/s  attacked / quiet, p99 of slices: %.2f (%.2f - %.2f)  p50 %.0f -> %.0f us  p99 %.0f -> %.0f us  lower quartile of slices %.0f -> %.0f us  server busy %.0f -> %.0f %%  host took %.0f, %.0f %%\n",
            $attack,
            $told['made_per_second'],
            exp($mean),
            exp($mean - $spread),
            exp($mean + $spread),
            ...array_map(static fn (string $name): float => $told[$name], ['quiet_p50_us', 'attacked_p50_us', 'quiet_p99_us', 'attacked_p99_us', 'quiet_low_us', 'attacked_low_us']),
            ...array_map(static fn (string $name): float => 100 * $told[$name], ['quiet_util', 'attacked_util', 'quiet_stolen', 'attacked_stolen']),
        );
    }
} finally {
    proc_terminate($server, SIGKILL);
    proc_close($server);
    array_map(unlink(...), glob("$folder/*") ?: []);
    rmdir($folder);
}
