--TEST--
Load: options are described, and what cannot be is said before anything starts
--FILE--
<?php
use Tusk\Bench\Load;

$options = Load::options('ws-echo');
echo json_encode($options['size']), "\n", json_encode($options['arrivals']), "\n";
var_dump(isset($options['rooms']), isset(Load::options('fanout')['rooms']));
foreach ([
    fn () => Load::options('udp'),
    fn () => new Load('udp', 'ws://127.0.0.1/'),
    fn () => new Load('ws-echo', 'tcp://127.0.0.1:1'),
    fn () => new Load('ws-echo', 'ws://127.0.0.1/', ['conections' => 5]),
    fn () => new Load('ws-echo', 'ws://127.0.0.1/', ['connections' => 0]),
    fn () => new Load('ws-echo', 'ws://127.0.0.1/', ['duration' => 'long']),
    fn () => new Load('ws-echo', 'ws://127.0.0.1/', ['verify' => null]),
    fn () => new Load('ws-echo', 'ws://127.0.0.1/', [1 => 5]),
    fn () => new Load('ws-echo', 'ws://127.0.0.1/', ['rate' => 5.5, 'think' => 1]),
    fn () => (new Load('ws-echo', 'ws://192.0.2.1/'))->start(),
    fn () => (new Load('ws-echo', 'ws://no-such-host.invalid/'))->start(),
    fn () => (new Load('ws-echo', 'ws://127.0.0.1/', ['connections' => '100k', 'sources' => 1]))->start(),
    fn () => (new Load('ws-echo', 'wss://127.0.0.1/', ['tls-ca' => '/nowhere.pem']))->start(),
    fn () => (new Load('ws-echo', 'ws://127.0.0.1/'))->histogram('latency'),
    fn () => (new Load('ws-echo', 'ws://127.0.0.1/'))->poll(-1),
] as $bad) {
    try {
        $bad();
        echo "taken\n";
    } catch (Throwable $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
}
$load = new Load('ws-echo', 'ws://127.0.0.1/');
echo $load->phase(), ' ', json_encode([$load->poll(0), $load->counters()['sent'], $load->intervals(), $load->workers(), $load->facts()]), "\n";
$load->stop();
?>
--EXPECTF--
{"type":"size","default":"64","unit":"bytes","help":"of a message"}
{"type":"uniform|poisson","default":"uniform","unit":"","help":"how planned operations are spread"}
bool(false)
bool(true)
ValueError: Tusk\Bench\Load::options(): Argument #1 ($mode) must be a mode, "udp" given
ValueError: Tusk\Bench\Load::__construct(): Argument #1 ($mode) is of no use: there is no mode "udp"
ValueError: Tusk\Bench\Load::__construct(): Argument #2 ($url) is of no use: mode ws-echo takes ws://, wss://, http:// and https:// URLs, not "tcp://127.0.0.1:1"
ValueError: mode ws-echo has no option "conections"
ValueError: connections must be from 1 to 1000000, 0 given
ValueError: duration must be a time such as 10, 250ms, 2s or 5m, "long" given
ValueError: Tusk\Bench\Load::__construct(): Argument #3 ($options) has a value for "verify" that is no text, number or bool
ValueError: Tusk\Bench\Load::__construct(): Argument #3 ($options) must have the names of options as keys
ValueError: think belongs to the closed model and rate to the open one: give one of them
RuntimeException: 192.0.2.1 is not an address of this machine's loopback: give allow-remote if the server there is yours
RuntimeException: the host "no-such-host.invalid" was not found
RuntimeException: 100000 connections need %d source addresses of %d ports each: give sources %d or more
RuntimeException: CA file '/nowhere.pem': %s
ValueError: Tusk\Bench\Load::histogram(): Argument #1 ($name) must be the name of a histogram, "latency" given
ValueError: Tusk\Bench\Load::poll(): Argument #1 ($seconds) must be between 0 and 86400
connect [false,0,[],[],[]]
