--TEST--
Load: handshakes by count and by rate, within bands, held, dropped, with echoes, with a first message, and a storm of reconnects
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
use Tusk\Bench\{EchoServer, Load};
use Tusk\WebSocket\{Connection, Server};

function run(int $port, array $options): Load
{
    $load = new Load('ws-handshake', "ws://127.0.0.1:$port/", $options + ['warmup' => 0, 'hiccup' => false]);
    $load->start();
    while ($load->poll(5)) {
    }
    return $load;
}

function show(string $name, Load $load): void
{
    $c = $load->counters(true);
    $counts = array_map(fn ($h) => "$h " . $load->histogram($h)->count(), ['response', 'tcp', 'upgrade', 'first', 'close_frame', 'close_end', 'reconnect']);
    printf("%s: %d connected, %d opened, %d completed, %d open; %s\n", $name, $c['connected'], $c['opened'], $c['completed'],
        $load->counters()['open'], implode(', ', $counts));
}

$server = new EchoServer('ws');
$port = $server->port();
show('count', $load = run($port, ['count' => 200, 'samples' => 1000, 'workers' => 2]));
$samples = $load->samples();
$bad = array_filter($samples, fn ($s) => $s['failed'] || $s['tcp'] <= 0 || $s['tls'] !== 0 || $s['upgrade'] <= 0 || $s['close'] <= 0 || $s['start'] <= 0);
echo count($samples), ' samples, ', count($bad), ' of them incomplete, ', count($load->samples(150, 20)), ' ', count($load->samples(200)), "\n";
show('rate', run($port, ['rate' => 400, 'duration' => '500ms', 'connections' => 50]));
show('bands', $load = run($port, ['count' => 300, 'connections' => 60, 'high' => 20, 'low' => 5]));
var_dump($load->counters()['throttled'] > 0, run($port, ['count' => 100, 'connections' => 5])->counters()['throttled'] > 0);
show('drop', run($port, ['count' => 100, 'drop' => true]));
$start = hrtime(true);
show('hold', run($port, ['count' => 20, 'connections' => 20, 'hold' => '300ms']));
var_dump(hrtime(true) - $start > 300_000_000);
$load = run($port, ['count' => 20, 'connections' => 20, 'exchanges' => 3, 'size' => 70000, 'samples' => 20, 'hold' => '50ms']);
$pairs = array_merge(...array_column($load->samples(), 'exchanges'));
printf("exchanges: %d answered, %d in order, %d wrong, %d opened, %d closed\n", count(array_filter($pairs, fn ($p) => $p[1] > 0)),
    count(array_filter($pairs, fn ($p) => $p[1] >= $p[0])), $load->counters()['wrong'], $load->counters()['opened'], $load->counters()['closed']);
show('storm', run($port, ['connections' => 200, 'reconnect-storm' => true, 'workers' => 2]));
$refused = run(1, ['count' => 50]);
echo json_encode([$refused->counters()['failed_refused'] > 0, $refused->counters()['opened'], $refused->workers()[0]['error']]), "\n";

[$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
if (($pid = pcntl_fork()) === 0) {
    $greeter = new Server();
    $greeter->listen('127.0.0.1', 0);
    $greeter->onOpen(fn (Connection $c) => $c->send('hello'));
    $greeter->onMessage(fn () => null);
    $greeter->onStart(fn () => fwrite($there, "$greeter->port\n"));
    $greeter->run();
    posix_kill(getmypid(), SIGKILL);
}
show('first', run((int) fgets($here), ['count' => 30, 'first' => true]));
posix_kill($pid, SIGKILL);
?>
--EXPECT--
count: 200 connected, 200 opened, 200 completed, 0 open; response 200, tcp 200, upgrade 200, first 0, close_frame 200, close_end 200, reconnect 0
200 samples, 0 of them incomplete, 20 0
rate: 200 connected, 200 opened, 200 completed, 0 open; response 200, tcp 200, upgrade 200, first 0, close_frame 200, close_end 200, reconnect 0
bands: 300 connected, 300 opened, 300 completed, 0 open; response 300, tcp 300, upgrade 300, first 0, close_frame 300, close_end 300, reconnect 0
bool(true)
bool(false)
drop: 100 connected, 100 opened, 100 completed, 0 open; response 100, tcp 100, upgrade 100, first 0, close_frame 0, close_end 0, reconnect 0
hold: 20 connected, 20 opened, 20 completed, 0 open; response 20, tcp 20, upgrade 20, first 0, close_frame 20, close_end 20, reconnect 0
bool(true)
exchanges: 60 answered, 60 in order, 0 wrong, 20 opened, 20 closed
storm: 200 connected, 200 opened, 0 completed, 0 open; response 0, tcp 200, upgrade 200, first 0, close_frame 0, close_end 0, reconnect 200
[true,0,"connection refused"]
first: 30 connected, 30 opened, 30 completed, 0 open; response 30, tcp 30, upgrade 30, first 30, close_frame 30, close_end 30, reconnect 0
