--TEST--
Load: a run by count sends, receives and completes exactly that, in several processes; every answer is compared
--FILE--
<?php
use Tusk\Bench\{EchoServer, Histogram, Load};

$server = new EchoServer('ws');
foreach ([
    ['workers' => 2, 'connections' => 5],
    ['pipeline' => 7, 'connections' => 3, 'binary' => true],
    ['size' => 0],
    ['size' => '70KiB', 'connections' => 2, 'pipeline' => 2],
    ['fragment' => 10, 'size' => 95],
    ['chop' => 5, 'size' => 33],
    ['deflate' => true, 'size' => 3000],
    ['think' => '1ms', 'connections' => 10],
] as $options) {
    $load = new Load('ws-echo', "ws://127.0.0.1:{$server->port()}/", $options + ['count' => 300, 'warmup' => 0, 'verify' => true]);
    $load->start();
    while ($load->poll(5)) {
    }
    $all = $load->counters();
    $in = $load->counters(true);
    printf("%s %s: %d planned, %d sent, %d received, %d completed, %d open, %d in flight; response %d, service %d; %s\n",
        json_encode($options), $load->phase(), $in['planned'], $in['sent'], $all['received'], $in['completed'], $all['open'], $all['in_flight'],
        $load->histogram('response')->count(), $load->histogram('service')->count(), json_encode($load->partial()));
    foreach (['wrong', 'lost', 'duplicated', 'reordered', 'timed_out', 'failed_closed', 'failed_protocol'] as $bad) {
        if ($all[$bad] !== 0) {
            echo "$bad $all[$bad]\n";
        }
    }
}
$intervals = $load->intervals();
$sum = new Histogram();
foreach ($intervals as $interval) {
    $sum->merge($interval['response']);
}
echo count($intervals) >= 2 ? 'intervals' : 'no intervals', ' hold ', $sum->count(), ' answers; ', $intervals[0]['phase'], ' comes first, ',
    end($intervals)['phase'], " last\n";
echo implode(' ', array_keys($load->workers()[0])), "\n", implode(' ', array_keys($load->facts())), "\n";
?>
--EXPECT--
{"workers":2,"connections":5} done: 300 planned, 300 sent, 300 received, 300 completed, 0 open, 0 in flight; response 300, service 300; false
{"pipeline":7,"connections":3,"binary":true} done: 300 planned, 300 sent, 300 received, 300 completed, 0 open, 0 in flight; response 300, service 300; false
{"size":0} done: 300 planned, 300 sent, 300 received, 300 completed, 0 open, 0 in flight; response 300, service 300; false
{"size":"70KiB","connections":2,"pipeline":2} done: 300 planned, 300 sent, 300 received, 300 completed, 0 open, 0 in flight; response 300, service 300; false
{"fragment":10,"size":95} done: 300 planned, 300 sent, 300 received, 300 completed, 0 open, 0 in flight; response 300, service 300; false
{"chop":5,"size":33} done: 300 planned, 300 sent, 300 received, 300 completed, 0 open, 0 in flight; response 300, service 300; false
{"deflate":true,"size":3000} done: 300 planned, 300 sent, 300 received, 300 completed, 0 open, 0 in flight; response 300, service 300; false
{"think":"1ms","connections":10} done: 300 planned, 300 sent, 300 received, 300 completed, 0 open, 0 in flight; response 300, service 300; false
intervals hold 300 answers; connect comes first, close last
pid phase user system switches error
window started workers sources run_id tls_version tls_cipher window_completed window_sent window_received window_opened window_bytes_sent window_bytes_received
