--TEST--
Load: TCP round trips, connections a second, bulk, connections held, and greetings that are checked
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
use Tusk\Bench\{EchoServer, Load};

function run(string $mode, int $port, array $options): Load
{
    $load = new Load($mode, "tcp://127.0.0.1:$port", $options + ['warmup' => 0, 'hiccup' => false, 'duration' => '20s', 'timeout' => '5s']);
    $load->start();
    while ($load->poll(5)) {
    }
    return $load;
}

$echo = new EchoServer('tcp');
foreach ([['size' => 1], ['size' => 100_000, 'pipeline' => 3], ['connections' => 30, 'workers' => 3], ['rate' => 1000]] as $options) {
    $load = run('tcp-rr', $echo->port(), $options + ['count' => 200, 'verify' => true]);
    $c = $load->counters(true);
    echo json_encode([$options, $c['sent'], $c['completed'], $c['wrong'], $load->histogram('response')->count()]), "\n";
}
foreach ([[], ['size' => 20], ['connections' => 3, 'hold' => '1ms'], ['rate' => 500]] as $options) {
    $load = run('tcp-rate', $echo->port(), $options + ['count' => 100]);
    $c = $load->counters(true);
    echo json_encode([$options, $c['connected'], $c['sent'], $c['completed'], $load->histogram('tcp')->count()]), "\n";
}
foreach (['sink' => 'up', 'source' => 'down', 'echo' => 'both'] as $serve => $direction) {
    $server = new EchoServer('tcp', options: ['serve' => $serve]);
    $load = new Load('tcp-bulk', "tcp://127.0.0.1:{$server->port()}", ['direction' => $direction, 'duration' => '60s', 'warmup' => 0, 'connections' => 2]);
    $load->start();
    do {
        $load->poll(0.05);
        $c = $load->counters(true);
    } while (($direction !== 'down' && $c['bytes_sent'] < 100_000) || ($direction !== 'up' && $c['bytes_received'] < 100_000));
    $load->stop();
    while ($load->poll(5)) {
    }
    $c = $load->counters(true);
    echo $direction, ' ', json_encode([$c['bytes_sent'] > 100_000, $c['bytes_received'] > 100_000, $load->counters()['open']]), "\n";
}
$load = new Load('tcp-hold', "tcp://127.0.0.1:{$echo->port()}", ['connections' => 300, 'workers' => 2, 'sources' => 3, 'duration' => '20s', 'warmup' => 0]);
$load->start();
while ($load->phase() !== 'measure') {
    $load->poll(0.1);
}
echo 'held: ', $load->counters()['open'], ', sources ', $load->facts()['sources'], "\n";
$load->stop();
while ($load->poll(5)) {
}
echo 'partial: ', json_encode($load->partial()), ', open ', $load->counters()['open'], "\n";

foreach ([
    ['smtp', "220 hello\r\n"],
    ['mysql', "\x05\0\0\0\x0a8.0\0"],
    ['postgres', "R\0\0\0\x08\0\0\0\0"],
    ['smtp', "554 go away\r\n"],
    ['mysql', "220 hello\r\n"],
    ['postgres', 'HTTP/1.1 400 Bad Request'],
] as [$greeting, $words]) {
    $listener = stream_socket_server('tcp://127.0.0.1:0');
    $port = (int) substr(strrchr(stream_socket_get_name($listener, false), ':'), 1);
    if (($pid = pcntl_fork()) === 0) {
        $open = [];
        while ($c = stream_socket_accept($listener, 60)) {
            $said = $greeting === 'postgres' ? fread($c, 100) : '';
            $first = $said === '' || (strlen($said) === 41 && str_contains($said, "user\0postgres\0"));
            fwrite($c, $first ? $words : 'wrong');
            $open[] = $c;
        }
        posix_kill(getmypid(), SIGKILL);
    }
    fclose($listener);
    $load = run('tcp-rate', $port, ['greeting' => $greeting, 'count' => 10, 'connections' => 2]);
    $c = array_filter(array_intersect_key($load->counters(), array_flip(['completed', 'failed_status', 'failed_protocol'])));
    echo $greeting, ' ', json_encode(array_keys($c)), ' ', $load->histogram('first')->count(), ' ', $load->workers()[0]['error'], "\n";
    posix_kill($pid, SIGKILL);
    pcntl_waitpid($pid, $status);
}
?>
--EXPECT--
[{"size":1},200,200,0,200]
[{"size":100000,"pipeline":3},200,200,0,200]
[{"connections":30,"workers":3},200,200,0,200]
[{"rate":1000},200,200,0,200]
[[],100,0,100,100]
[{"size":20},100,100,100,100]
[{"connections":3,"hold":"1ms"},100,0,100,100]
[{"rate":500},100,0,100,100]
up [true,false,0]
down [false,true,0]
both [true,true,0]
held: 300, sources 3
partial: true, open 0
smtp ["completed"] 10 
mysql ["completed"] 10 
postgres ["completed"] 10 
smtp ["failed_status"] 0 the SMTP server answers 554
mysql ["failed_protocol"] 0 this is no MySQL server
postgres ["failed_protocol"] 0 this is no PostgreSQL server
