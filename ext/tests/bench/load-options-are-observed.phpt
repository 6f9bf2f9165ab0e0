--TEST--
Load: idle connections, a subprotocol, ramps, arrivals by seed, pinned and spinning workers show in what is counted
--FILE--
<?php
use Tusk\Bench\{EchoServer, Load};

$server = new EchoServer('ws');
$run = function (array $options) use ($server): Load {
    $load = new Load('ws-echo', "ws://127.0.0.1:{$server->port()}/", $options + ['warmup' => 0, 'hiccup' => false]);
    $load->start();
    while ($load->poll(5)) {
    }
    return $load;
};
$idle = $run(['idle' => 30, 'connections' => 5, 'count' => 50])->counters();
echo "idle: $idle[opened] opened, $idle[completed] completed\n";
$refused = $run(['subprotocol' => 'chat.v1']);
echo 'subprotocol: ', $refused->counters()['opened'], ' ', $refused->workers()[0]['error'], "\n";
// 400/s: half of it on average over the ramp of 0.5 s, then 0.3 s of all of it.
$ramp = $run(['rate' => 400, 'ramp' => '500ms', 'duration' => '300ms', 'pin' => true, 'spin' => true]);
echo 'ramp: ', $ramp->counters()['planned'], ' planned, ', $ramp->counters(true)['planned'], " of them in the window\n";
$planned = fn (int $seed): int => $run(['rate' => 2000, 'arrivals' => 'poisson', 'seed' => $seed, 'duration' => '300ms'])->counters()['planned'];
$first = $planned(7);
var_dump($first === $planned(7), $first > 400 && $first < 800, $first !== $planned(8));
var_dump($run(['count' => 20, 'hiccup' => true, 'think' => '20ms', 'connections' => 1])->histogram('hiccup')->count() > 0);
var_dump($run(['count' => 5])->histogram('hiccup')->count());
$warm = $run(['rate' => 200, 'warmup' => '200ms', 'duration' => '100ms']);
echo 'warm-up: ', $warm->counters()['completed'], ' completed, ', $warm->counters(true)['completed'], ' and ', $warm->histogram('response')->count(), " in the window\n";
?>
--EXPECT--
idle: 35 opened, 50 completed
subprotocol: 0 the server did not pick the subprotocol
ramp: 220 planned, 120 of them in the window
bool(true)
bool(true)
bool(true)
bool(true)
int(0)
warm-up: 60 completed, 20 and 20 in the window
