--TEST--
Load: with a rate every planned operation is sent or counted as dropped; a server that stops for a second is seen in full
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
use Tusk\Bench\{EchoServer, Load};

$server = new EchoServer('ws');
$url = "ws://127.0.0.1:{$server->port()}/";

$load = new Load('ws-echo', $url, ['rate' => 500, 'duration' => '1s', 'warmup' => '200ms', 'workers' => 2]);
$load->start();
while ($load->poll(5)) {
}
$c = $load->counters(true);
printf("%d planned, %d completed, %d timed; %d lags\n", $c['planned'], $c['completed'] + $c['dropped'] + $c['unfinished'],
    $load->histogram('response')->count(), $load->histogram('late')->count() + $load->histogram('blocked')->count());

// The server stands still for a second of a five second window at 400/s: a fifth of the requests arrive meanwhile, and the
// one that waits longest of 99 % waits 0.95 s. Who measures from the actual start only sees one slow answer a connection.
$load = new Load('ws-echo', $url, ['rate' => 400, 'duration' => '5s', 'warmup' => '100ms', 'connections' => 4, 'drain' => '20s']);
$load->start();
while ($load->phase() !== 'measure') {
    $load->poll(0.01);
}
$load->poll(1);
$from = hrtime(true);
posix_kill($server->pids()[0], SIGSTOP);
usleep(1_000_000);
posix_kill($server->pids()[0], SIGCONT);
$stall = (hrtime(true) - $from) / 1e9;
while ($load->poll(5)) {
}
$c = $load->counters(true);
$p99 = $load->histogram('response')->percentile(99) / 1e9;
$analytic = $stall - 5 * 0.01;
var_dump($c['planned'] === 2000, $c['completed'] === 2000, $p99 > 0.95 * $analytic ?: [$p99, $analytic]);
// Four connections: four services are long, all others short; the rest of the wait is said to be blocked.
var_dump($load->histogram('service')->percentile(99) < 0.5 * $load->histogram('response')->percentile(99));
var_dump($c['blocked'] >= 0.9 * 400 * $stall - 4);
// Little's law: mean in flight = rate of completion x mean time from the actual start.
$little = $c['in_flight_sum_ns'] / 1e9 / 5;
$law = $c['completed'] / 5 * $load->histogram('service')->mean() / 1e9;
var_dump(abs($little - $law) < 0.05 * $law + 0.01 ?: [$little, $law]);
?>
--EXPECT--
500 planned, 500 completed, 500 timed; 500 lags
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
