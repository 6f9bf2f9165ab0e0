--TEST--
What many connections get in one turn leaves together where io_uring is, one by one with tusk.io_uring off, and is the same
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Server;
use Tusk\Testing\Loopback;
use Tusk\WebSocket\Connection;

function crowd(): array
{
    $server = new Server();
    $server->websocket('/', open: fn (Connection $c) => $c->subscribe('all'), message: fn (Connection $c, string $m) => $server->publish('all', $m));
    $loop = new Loopback($server);
    $clients = array_map(fn () => $loop->connect('/'), range(1, 20));
    foreach (['short', str_repeat('long ', 2000)] as $text) {
        $clients[3]->send($text);
        foreach ($clients as $client) {
            $client->receive() === $text || print "not what was sent\n";
        }
    }
    return $server->stats();
}

$with = crowd();
ini_set('tusk.io_uring', '0');
$without = crowd();
var_dump($with['send_calls'] === $without['send_calls'], $without['batches'], $without['batched']);
// Forbidden or not built in: the log said so above, once, and nothing else differs.
var_dump($with['batches'] === 0 ? $with['batched'] === 0 : $with['batched'] >= 4 * $with['batches']);
?>
--EXPECTREGEX--
(?:.*io_uring: unavailable.*\n)?bool\(true\)
int\(0\)
int\(0\)
bool\(true\)
