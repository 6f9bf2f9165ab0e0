--TEST--
Load: answers of another size, payloads by seed, slow readers' rate, pinned and spinning workers, as the other side and the system see them
--SKIPIF--
<?php if (!is_readable("/proc/self/status")) die("skip /proc is needed"); ?>
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
use Tusk\Bench\{EchoServer, Load};

$finish = function (Load $load): Load {
    $load->start();
    while ($load->poll(5)) {
    }
    return $load;
};
$quiet = ['warmup' => 0, 'hiccup' => false];

/** A server that answers each 100 bytes with 7, and tells the first 100 it got. */
$listener = stream_socket_server('tcp://127.0.0.1:0');
[$told, $tell] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$child = pcntl_fork();
if ($child === 0) {
    while ($peer = stream_socket_accept($listener, 10)) {
        for ($first = true; strlen($in = (string) stream_get_contents($peer, 100)) === 100; $first = false) {
            $first && fwrite($tell, md5($in));
            fwrite($peer, 'seven..');
        }
    }
    posix_kill(posix_getpid(), SIGKILL);
}
$address = stream_socket_get_name($listener, false);
$rr = fn (int $seed): Load => $finish(new Load('tcp-rr', "tcp://$address/", $quiet + ['connections' => 1, 'count' => 10, 'size' => 100, 'reply' => 7, 'seed' => $seed]));
$sums = [];
foreach ([3, 3, 4] as $seed) {
    $c = $rr($seed)->counters();
    $sums[] = fread($told, 32);
}
echo "reply: $c[completed] completed, $c[bytes_sent] sent, $c[bytes_received] received\n";
var_dump($sums[0] === $sums[1], $sums[0] !== $sums[2]);
posix_kill($child, SIGKILL);
pcntl_waitpid($child, $status);

$server = new EchoServer('fanout');
$received = fn (string $rate): int => $finish(new Load('fanout', "ws://127.0.0.1:{$server->port()}/", $quiet
    + ['connections' => 4, 'slow' => 2, 'slow-rate' => $rate, 'count' => 50, 'rate' => 200, 'size' => 2000]))->counters()['bytes_received'];
var_dump($received('0') < $received('10MiB'));

$echo = new EchoServer('ws');
foreach ([true, false] as $pin) {
    $load = new Load('ws-echo', "ws://127.0.0.1:{$echo->port()}/", $quiet + ['connections' => 1, 'pin' => $pin, 'workers' => 1, 'duration' => '10s']);
    $load->start();
    while ($load->counters()['completed'] === 0) {
        $load->poll(0.01);
    }
    preg_match('/^Cpus_allowed_list:\s*(\S+)/m', (string) file_get_contents("/proc/{$load->workers()[0]['pid']}/status"), $allowed);
    $load->stop();
    while ($load->poll(5)) {
    }
    preg_match('/^Cpus_allowed_list:\s*(\S+)/m', (string) file_get_contents('/proc/self/status'), $own);
    echo $pin ? 'pinned: ' . $allowed[1] : 'free: ' . json_encode($allowed[1] === $own[1]), "\n";
}

// 10,000 planned starts a second lie as close as the time that is spun through before each: who spins never sleeps.
$sleeps = [];
for ($try = 0; $try < 5 && ($sleeps[1] ?? 0) < 400; $try++) { // a busy machine leaves nobody time to sleep
    $sleeps = [];
    foreach ([true, false] as $spin) {
        $load = new Load('ws-echo', "ws://127.0.0.1:{$echo->port()}/", $quiet + ['connections' => 50, 'spin' => $spin, 'rate' => '10k', 'duration' => '60s']);
        $load->start();
        $asleep = function () use ($load): int {
            preg_match('/^voluntary_ctxt_switches:\s*(\d+)/m', (string) file_get_contents("/proc/{$load->workers()[0]['pid']}/status"), $m);
            return (int) $m[1];
        };
        while ($load->counters()['completed'] === 0) {
            $load->poll(0.001);
        }
        $before = $asleep();
        while ($load->counters()['completed'] < 5000) {
            $load->poll(0.01);
        }
        $sleeps[] = $asleep() - $before;
        $load->stop();
        while ($load->poll(5)) {
        }
    }
}
echo 'spinning: ', $sleeps[0] < $sleeps[1] / 4 ? 'sleeps seldom' : json_encode($sleeps), "\n";
?>
--EXPECT--
reply: 10 completed, 1000 sent, 70 received
bool(true)
bool(true)
bool(true)
pinned: 0
free: true
spinning: sleeps seldom
