--TEST--
Load: what is published reaches everybody, over WebSocket and event streams, in rooms, past slow readers and resumptions; who loses or doubles is caught
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
use Tusk\Bench\{EchoServer, Load};
use Tusk\WebSocket\{Connection, MessageType, Server};

function run(string $mode, int $port, array $options, string $path = '/'): Load
{
    $load = new Load($mode, "http://127.0.0.1:$port$path", $options + ['warmup' => 0, 'hiccup' => false, 'duration' => '20s', 'timeout' => '10s', 'drain' => '10s']);
    $load->start();
    while ($load->poll(5)) {
    }
    return $load;
}

function show(string $name, Load $load): void
{
    $c = $load->counters();
    $m = $load->counters(true);
    printf("%s: sent %d, expected %d, received %d, completed %d, lost %d, duplicated %d, reordered %d, delivery %d, spread %d, response %d\n",
        $name, $m['sent'], $m['expected'], $c['received'], $m['completed'], $c['lost'], $c['duplicated'], $c['reordered'],
        $load->histogram('delivery')->count(), $load->histogram('spread')->count(), $load->histogram('response')->count());
}

$server = new EchoServer('fanout');
$port = $server->port();
show('ws', run('fanout', $port, ['connections' => 20, 'count' => 50]));
show('rate, two workers', run('fanout', $port, ['connections' => 21, 'count' => 50, 'rate' => 1000, 'workers' => 2, 'size' => 3000, 'binary' => true]));
show('publishers', run('fanout', $port, ['connections' => 10, 'count' => 60, 'publishers' => 3, 'pipeline' => 4]));
show('rooms', run('fanout', $port, ['connections' => 12, 'count' => 40, 'rooms' => 4, 'publishers' => 4], '/room/{room}'));
show('rooms by POST', run('fanout', $port, ['connections' => 12, 'count' => 40, 'rooms' => 4, 'publish' => 'http', 'workers' => 2], '/room/{room}'));
show('sse, POST', run('fanout', $port, ['connections' => 10, 'count' => 50, 'transport' => 'sse', 'publish' => 'http']));
show('wrapped', run('fanout', $port, ['connections' => 5, 'count' => 20, 'message' => '{"room":{room},"text":"{data}"}', 'subscribe' => 'hello {room}']));
show('ws from POST', run('fanout', $port, ['connections' => 5, 'count' => 20, 'publish' => 'http', 'publish-body' => 'data={data}']));
show('slow', $load = run('fanout', $port, ['connections' => 10, 'slow' => 3, 'slow-rate' => 100, 'count' => 50, 'rate' => 500]));

$load = run('sse', $port, ['connections' => 4, 'count' => 100, 'rate' => 500, 'publish-url' => "http://127.0.0.1:$port/", 'reconnect-every' => 10]);
show('resumed', $load);
echo json_encode([$load->counters()['reconnects'] >= 36, $load->histogram('reconnect')->count() >= 36, $load->histogram('first')->count() >= 36]), "\n";
$ticks = new EchoServer('sse', options: ['rate' => 200, 'size' => 30]);
$load = new Load('sse', "http://127.0.0.1:{$ticks->port()}/", ['connections' => 3, 'duration' => '60s', 'reconnect-every' => 7]);
$load->start();
while ($load->counters()['received'] <= 50 || $load->histogram('upgrade')->count() === 0) {
    $load->poll(0.05);
}
$load->stop();
while ($load->poll(5)) {
}
$c = $load->counters();
echo 'ticks: ', json_encode([$c['received'] > 20, $c['duplicated'], $c['reordered'], $c['resets'], $load->histogram('upgrade')->count() > 0]), "\n";
{
    $echo = new EchoServer('http');
    $load = run('sse', $echo->port(), ['connections' => 2, 'duration' => '300ms']);
    echo 'no stream: ', json_encode(array_keys(array_filter($load->counters()))), ' ', $load->workers()[0]['error'], "\n";
}

// Every tenth message is lost for one, doubled for another, late for a third, and has another last byte for a fourth.
[$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
if (($pid = pcntl_fork()) === 0) {
    $liar = new Server();
    $liar->listen('127.0.0.1', 0);
    $all = [];
    $n = 0;
    $late = null;
    $liar->onOpen(function (Connection $c) use (&$all): void {
        $all[] = $c;
    });
    $liar->onMessage(function (Connection $from, string $m, MessageType $t) use (&$all, &$n, &$late): void {
        $n++;
        foreach ($all as $i => $c) {
            if ($c === $from || ($i === 0 && $n % 10 === 0)) {
                continue;
            }
            if ($i === 2 && $n % 10 === 0) {
                $late = $m;
                continue;
            }
            $c->send($i === 3 && $n % 10 === 0 ? substr($m, 0, -1) . '!' : $m, $t);
            if ($i === 1 && $n % 10 === 0) {
                $c->send($m, $t);
            }
            if ($i === 2 && $late !== null) {
                $c->send($late, $t);
                $late = null;
            }
        }
    });
    $liar->onStart(fn () => fwrite($there, "$liar->port\n"));
    $liar->run();
    posix_kill(getmypid(), SIGKILL);
}
show('liar', $load = run('fanout', (int) fgets($here), ['connections' => 4, 'count' => 55, 'rate' => 500, 'opening' => 1, 'drain' => '300ms']));
echo json_encode([$load->counters()['wrong'], $load->counters(true)['wrong'], $load->workers()[0]['error']]), "\n";
posix_kill($pid, SIGKILL);
?>
--EXPECT--
ws: sent 50, expected 1000, received 1000, completed 50, lost 0, duplicated 0, reordered 0, delivery 1000, spread 50, response 0
rate, two workers: sent 50, expected 1050, received 1050, completed 50, lost 0, duplicated 0, reordered 0, delivery 1050, spread 50, response 0
publishers: sent 60, expected 600, received 600, completed 60, lost 0, duplicated 0, reordered 0, delivery 600, spread 60, response 0
rooms: sent 40, expected 120, received 120, completed 40, lost 0, duplicated 0, reordered 0, delivery 120, spread 40, response 0
rooms by POST: sent 40, expected 120, received 120, completed 40, lost 0, duplicated 0, reordered 0, delivery 120, spread 40, response 40
sse, POST: sent 50, expected 500, received 500, completed 50, lost 0, duplicated 0, reordered 0, delivery 500, spread 50, response 50
wrapped: sent 20, expected 100, received 100, completed 20, lost 0, duplicated 0, reordered 0, delivery 100, spread 20, response 0
ws from POST: sent 20, expected 100, received 100, completed 20, lost 0, duplicated 0, reordered 0, delivery 100, spread 20, response 20
slow: sent 50, expected 350, received 350, completed 50, lost 0, duplicated 0, reordered 0, delivery 350, spread 50, response 0
resumed: sent 100, expected 400, received 400, completed 100, lost 0, duplicated 0, reordered 0, delivery 400, spread 100, response 100
[true,true,true]
ticks: [true,0,0,0,true]
no stream: ["connected","failed_protocol","bytes_sent","bytes_received"] the answer to the subscription is no event stream
liar: sent 55, expected 220, received 210, completed 55, lost 5, duplicated 5, reordered 5, delivery 210, spread 50, response 0
[5,5,"a delivery differs from what was published"]
