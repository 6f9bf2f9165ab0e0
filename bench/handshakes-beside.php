#!/usr/bin/env php
<?php

// SPDX-License-Identifier: MIT
// p99 of guests over TLS beside a flood of TLS handshakes: slices without and with it in turns, over the same connections.
declare(strict_types=1);

const USAGE = <<<'HELP'
    usage: php -d extension=build/ext/modules/tusk.so bench/handshakes-beside.php [--pairs 24] [--slice 0.25] [--floods 2] [--handshakes 200]
    20 guests over TLS send 2,000 small messages a second together, one after the other, each at its time: one that waits for the answer before counts that as well. Meanwhile
    `openssl s_time -new` (--floods processes of the lowest priority, stopped for every other slice) shakes hands as fast as it can. --handshakes is Limits::$handshakes of the server. The server is on the
    first processor, all others are on the second. Prints p50 and p99 of both kinds of slices, their ratio with its 95 % interval, and handshakes a second.

    HELP;
$options = getopt('h', ['help', 'pairs:', 'slice:', 'floods:', 'handshakes:']);
if (isset($options['h']) || isset($options['help'])) {
    echo USAGE;
    exit(0);
}
$number = static fn (string $name, float $default): float => isset($options[$name]) ? (float) $options[$name] : $default;
$folder = sys_get_temp_dir() . '/tusk-beside-' . getmypid();
mkdir($folder);
exec("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -keyout $folder/key.pem -out $folder/cert.pem 2>&1", $said, $status);
$status === 0 || throw new RuntimeException(implode("\n", $said));
$handshakes = (int) $number('handshakes', 200);
file_put_contents("$folder/server.php", <<<PHP
    <?php
    \$server = new Tusk\\Server('127.0.0.1:0', tls: new Tusk\\Tls('$folder/cert.pem', '$folder/key.pem'), limits: new Tusk\\Limits(handshakes: $handshakes));
    \$server->websocket('/', message: fn (\$c, \$m) => \$c->send(\$m === 'count' ? (string) \$server->stats()['connections_total'] : \$m));
    \$server->onListen(fn () => print("\$server->port\\n"));
    exit(\$server->run());
    PHP);
$nowhere = ['file', '/dev/null', 'w'];
$module = dirname(__DIR__) . '/build/ext/modules/tusk.so';
$server = proc_open(['taskset', '-c', '0', PHP_BINARY, '-n', '-d', "extension=$module", "$folder/server.php"], [$nowhere, ['pipe', 'w'], STDERR], $pipes) ?: throw new RuntimeException('no server');
$port = (int) fgets($pipes[1]);
exec('taskset -cp 1 ' . getmypid());

function frame(string $text): string
{
    return "\x81" . chr(0x80 | strlen($text)) . "\0\0\0\0" . $text;
}

/** The text of the next frame, of 125 bytes at most. */
function answer(mixed $guest): string
{
    for ($got = ''; strlen($got) < 2 || strlen($got) < 2 + ord($got[1]);) {
        $got .= fread($guest, 256) ?: throw new RuntimeException('a guest was let go');
    }

    return substr($got, 2);
}
$guests = [];
for ($i = 0; $i < 20; $i++) {
    $context = stream_context_create(['ssl' => ['verify_peer' => false, 'verify_peer_name' => false]]);
    $guests[] = $guest = stream_socket_client("ssl://127.0.0.1:$port", $code, $text, 10, STREAM_CLIENT_CONNECT, $context) ?: throw new RuntimeException($text);
    fwrite($guest, "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    for ($head = ''; !str_ends_with($head, "\r\n\r\n");) {
        $head .= fgets($guest) ?: throw new RuntimeException('no upgrade');
    }
}
$ask = static function () use ($guests): int {
    fwrite($guests[0], frame('count'));

    return (int) answer($guests[0]);
};
$stolen = static fn (): array => array_map(intval(...), preg_split('/\s+/', (string) fgets(fopen('/proc/stat', 'r'))) ?: []);

/** Microseconds from the time at which each message was due to its answer. */
$slice = static function (float $seconds) use ($guests): array {
    $times = [];
    $begin = hrtime(true);
    for ($i = 0, $all = (int) ($seconds * 2000); $i < $all; $i++) {
        $due = $begin + $i * 500_000;
        while (hrtime(true) < $due) {
            continue;
        }
        $guest = $guests[$i % count($guests)];
        fwrite($guest, frame('sixteen bytes ok'));
        answer($guest);
        $times[] = (hrtime(true) - $due) / 1000;
    }

    return $times;
};
$floods = [];
for ($i = 0; $i < (int) $number('floods', 2); $i++) {
    $floods[] = proc_open(['nice', '-n', '19', 'openssl', 's_time', '-connect', "127.0.0.1:$port", '-new', '-time', '3600'], [$nowhere, $nowhere, $nowhere], $none) ?: throw new RuntimeException('no flood');
}
$all = [[], []];
$tails = [[], []];
$made = [0, 0];
$taken = [[0, 1], [0, 1]];
$percentile = static function (array $times, float $part): float {
    sort($times);

    return $times[(int) ($part * (count($times) - 1))];
};
try {
    $slice(0.5);
    for ($pair = 0; $pair < (int) $number('pairs', 24); $pair++) {
        foreach ($pair % 2 === 0 ? [0, 1] : [1, 0] as $attacked) {
            foreach ($floods as $flood) {
                proc_terminate($flood, $attacked ? SIGCONT : SIGSTOP);
            }
            usleep(20_000);
            [$count, $ticks] = [$ask(), $stolen()];
            $times = $slice($number('slice', 0.25));
            [$counted, $ticked] = [$ask(), $stolen()];
            $made[$attacked] += $counted - $count;
            $taken[$attacked][0] += $ticked[8] - $ticks[8];
            $taken[$attacked][1] += array_sum($ticked) - array_sum($ticks);
            array_push($all[$attacked], ...$times);
            $tails[$attacked][] = $percentile($times, 0.99);
        }
    }
} finally {
    foreach ([...$floods, $server] as $child) {
        proc_terminate($child, SIGKILL);
        proc_close($child);
    }
    array_map(unlink(...), glob("$folder/*") ?: []);
    rmdir($folder);
}
$logs = array_map(static fn (float $quiet, float $attacked): float => log($attacked / $quiet), ...$tails);
$mean = array_sum($logs) / count($logs);
$spread = 1.96 * sqrt(array_sum(array_map(static fn (float $l): float => ($l - $mean) ** 2, $logs)) / max(1, count($logs) - 1) / count($logs));
printf("attacked / quiet, p99 of slices: %.2f (%.2f - %.2f)\n", exp($mean), exp($mean - $spread), exp($mean + $spread));
foreach (['quiet', 'attacked'] as $i => $name) {
    printf(
        "%-8s p50 %.0f us, p99 %.0f us, lower quartile of the slices' p99 %.0f us; %.0f handshakes a second; the host took %.0f %%\n",
        $name,
        $percentile($all[$i], 0.5),
        $percentile($all[$i], 0.99),
        $percentile($tails[$i], 0.25),
        $made[$i] / count($tails[$i]) / $number('slice', 0.25),
        100 * $taken[$i][0] / $taken[$i][1],
    );
}
