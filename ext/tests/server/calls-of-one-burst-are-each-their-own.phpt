--TEST--
Messages that come together are called one by one, whatever takes them: what one waits, computes or throws is its own
--SKIPIF--
<?php if ((int) getenv('TUSK_SLOW') >= 10) die('skip every handler is slow under valgrind'); ?>
--INI--
log_errors=1
display_errors=0
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Server;
use Tusk\WebSocket\{Connection, Protocol};

function answers(Connection $c, string $m): void { $c->send($m); }

final class Handlers
{
    private string $mark = '!';
    public function own(Connection $c, string $m, mixed $type, string $more = '?'): void { $c->send($m . $this->mark . $more); }
    public function any(mixed ...$all): void { $all[0]->send($all[1] . count($all)); }
    public function bound(): Closure { return function (Connection $c, string $m) { $extra = $m . $this->mark; $c->send($extra); }; }
}

ini_set('error_log', $log = __DIR__ . '/calls-of-one-burst.log');
@unlink($log);
$handlers = new Handlers();
$server = new Server('127.0.0.1:0');
$server->websocket('/work', message: function (Connection $c, string $m) {
    match ($m) {
        'block' => usleep(150000),
        'park' => Tusk\Timer::sleep(0.15),
        'throw' => throw new RuntimeException('of its own'),
        default => null,
    };
    $c->send($m);
});
$server->websocket('/name', message: 'answers'(...));
$server->websocket('/own', message: $handlers->own(...));
$server->websocket('/any', message: $handlers->any(...));
$server->websocket('/bound', message: $handlers->bound());

function burst(int $port, string $path, string ...$messages): string
{
    $peer = Peer::open($port, $path);
    $peer->write(implode('', array_map(static fn (string $m): string => Protocol::encode($m, masked: true), $messages)));
    $got = [];
    while (count($got) < count($messages) && ($frame = $peer->receive()) instanceof Tusk\WebSocket\Frame) {
        $got[] = $frame->payload;
    }
    return "$path: " . implode(' ', $got) . ($frame instanceof Tusk\WebSocket\CloseFrame ? " closed {$frame->code}" : '') . "\n";
}

talk($server, function (int $port) use ($server): void {
    foreach (['/name', '/own', '/any', '/bound'] as $path) {
        echo burst($port, $path, 'a', 'b', 'c');
    }
    echo burst($port, '/work', 'a', 'park', 'b', 'park', 'c');
    echo $server->stats()['slow_handlers'], " slow\n";
    echo burst($port, '/work', 'a', 'block', 'b', 'c', 'd');
    echo $server->stats()['slow_handlers'], " slow\n";
    echo burst($port, '/work', 'a', 'b', 'throw', 'c');
});
echo preg_replace(['/^\[.*?\] /m', '/ (1[4-9]\d|[2-9]\d\d|\d{4,}) ms/', '~/\S*/~', '/^.*of its own.*$/m', '/^(Stack trace|#\d|  thrown).*\n/m'], ['', ' MS', '', 'thrown', ''], file_get_contents($log));
unlink($log);
?>
--EXPECT--
/name: a b c
/own: a!? b!? c!?
/any: a3 b3 c3
/bound: a! b! c!
/work: a park b park c
0 slow
/work: a block b c d
1 slow
/work: a b closed 1011
Tusk: a handler held the loop for MS: calls-of-one-burst-are-each-their-own.php:20
thrown
