--TEST--
A Loopback of the pool's parent is refused in a worker, whose loop is another one: it crashed there, as getDriver() did. One made there serves
--FILE--
<?php
use Tusk\Http\Response;
use Tusk\Server;
use Tusk\Parallel\Pool;
use Tusk\Testing\Loopback;

final class Held
{
    public static Server $server;
    public static ?Tusk\WebSocket\Server $small;
    public static ?Loopback $loopback;
    public static object $peer;
    public static object $stream;

    public static function server(): Server
    {
        $server = new Server();
        $server->get('/', fn () => Response::text('served'));
        $server->websocket('/ws', fn ($peer, $said) => $peer->send($said));
        $server->events('/events', fn () => null);
        return $server;
    }

    public static function inWorker(bool $loop): void
    {
        if ($loop) {
            Tusk\Timer::cancel(Tusk\Timer::delay(1, fn () => null)); // it has a loop now
        }
        foreach ([
            'settle' => fn () => self::$loopback->settle(),
            'request' => fn () => self::$loopback->request('GET', '/'),
            'raw' => fn () => self::$loopback->raw("GET / HTTP/1.1\r\n\r\n"),
            'connect' => fn () => self::$loopback->connect('/ws'),
            'events' => fn () => self::$loopback->events('/events'),
            'again' => fn () => (new Loopback(self::$server))->request('GET', '/'),
            'send' => fn () => self::$peer->send('x'),
            'receive' => fn () => self::$peer->receive(),
            'next' => fn () => self::$stream->receive(),
            'close' => fn () => self::$peer->close(),
            'leave' => fn () => self::$stream->close(),
        ] as $name => $use) {
            try {
                $use();
                echo "$name: done\n";
            } catch (LogicException $e) {
                echo "$name: {$e->getMessage()}\n";
            }
        }
        var_dump(self::$server->getDriver() === self::$small->getDriver());
        echo (new Loopback(self::server()))->request('GET', '/')->body, "\n";
    }
}

Held::$server = Held::server();
Held::$small = new Tusk\WebSocket\Server();
Held::$loopback = new Loopback(Held::$server);
Held::$peer = Held::$loopback->connect('/ws');
Held::$stream = Held::$loopback->events('/events');
$pool = new Pool(workers: 1, max: 1);
foreach ([false, true] as $loop) {
    $task = $pool->task([Held::class, 'inWorker'], $loop);
    $task->await(10);
    echo $loop ? "with a loop\n" : "without\n", $task->output();
}
$pool->close();
Held::$peer->send('still here');
echo Held::$peer->receive(), "\n";
?>
--EXPECT--
without
settle: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
request: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
raw: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
connect: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
events: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
again: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
send: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
receive: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
next: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
close: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
leave: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
bool(true)
served
with a loop
settle: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
request: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
raw: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
connect: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
events: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
again: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
send: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
receive: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
next: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
close: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
leave: A loopback cannot be used where its server was not made (a pool's worker, a fork): make both there
bool(true)
served
still here
