--TEST--
In its bootstrap a worker adds routes, handlers and timers, publishes, and knows its number; listeners are the master's, and later nothing is added; a Loopback calls it once
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/workers.inc';
use Tusk\Http\{Request, Response};
use Tusk\{Server, Timer};
use Tusk\Testing\Loopback;
use Tusk\WebSocket\Connection;

ini_set('error_log', '/dev/null'); // of the buffer that is left open
function tried(callable $call): string
{
    try {
        $call();
        return 'done';
    } catch (Throwable $e) {
        return get_class($e) . ': ' . $e->getMessage();
    }
}

$files = sys_get_temp_dir() . '/tusk-files-' . getmypid();
mkdir($files);
file_put_contents("$files/a.txt", 'of the folder');
$bootstrap = function (Server $server) use ($files): void {
    $said = [
        'listen' => tried(fn () => $server->listen('127.0.0.1:0')),
        'admin' => tried(fn () => $server->admin('127.0.0.1:0')),
        'run' => tried(fn () => $server->run()),
        'twice' => tried(function () use ($server): void {
            $server->get('/twice', fn () => Response::text(''));
            $server->get('/twice', fn () => Response::text(''));
        }),
    ];
    ob_start();
    echo 'it is dropped';
    $ticks = 0;
    Timer::repeat(0.001, function () use (&$ticks): void { $ticks++; });
    $position = $server->worker() === 0 ? (string) $server->publish('t', 'from the bootstrap') : null;
    $server->websocket('/ws', open: function (Connection $c) use ($server): void {
        $c->send("worker {$server->worker()} " . getmypid());
        $c->subscribe('t', since: $c->query('since'));
    });
    $server->get('/who', fn () => Response::json(['pid' => getmypid(), 'worker' => $server->worker(), 'position' => $position]));
    $server->get('/said', fn () => Response::json($said + ['later' => tried(fn () => $server->get('/later', fn () => Response::text('')))]));
    $server->get('/ticks', function () use (&$ticks): Response { return Response::json($ticks); });
    $server->get('/buffers', fn () => Response::json(ob_get_level()));
    $server->get('/throws', fn () => throw new DomainException('x'));
    $server->onError(fn (Throwable $e, ?Request $r) => Response::json(get_class($e)));
    $server->files('/files', $files);
    $server->fallback(fn () => Response::json('the fallback'));
};
$server = new Server(workers: 2, bootstrap: $bootstrap);
beside($server, function (int $port): void {
    $published = whoAre($port, 2)[0]['position'];
    echo implode("\n", get($port, '/said')), "\n", get($port, '/throws'), ', ', get($port, '/nowhere'), ', ', get($port, '/buffers'), " buffers\n";
    until(fn () => get($port, '/ticks') > 3, 'the timer goes on');
    echo file_get_contents("http://127.0.0.1:$port/files/a.txt"), "\n";
    echo (new Subscriber($port, false, substr($published, 0, -1) . '0'))->next(), "\n"; // from the first one on
});

$called = 0;
$tested = new Server(bootstrap: function (Server $server) use (&$called): void {
    $called++;
    $server->get('/', fn () => Response::text($server->worker() === null ? 'no worker' : 'a worker'));
});
echo (new Loopback($tested))->request('GET', '/')->body, ', ', (new Loopback($tested))->request('GET', '/')->body, ", called $called times\n";
$failing = new Server(bootstrap: fn () => throw new DomainException('no database'));
echo tried(fn () => new Loopback($failing)), ', ', tried(fn () => new Loopback($failing)), "\n";
$half = new Server(listen: '127.0.0.1:0', bootstrap: function (Server $server): void {
    $server->get('/', fn () => Response::text(''));
    throw new DomainException('no cache');
});
echo tried(fn () => new Loopback($half)), ', ', tried(fn () => new Loopback($half)), ', ', tried(fn () => $half->run()), "\n";
$half = null;
echo tried(fn () => new Loopback(new Server(bootstrap: fn (Server $server) => new Loopback($server)))), "\n";
echo tried(function (): void {
    $server = new Server(listen: '127.0.0.1:0', bootstrap: fn (Server $server) => print tried(fn () => $server->run()) . "\n");
    new Loopback($server);
    $server->run();
}), "\n";
echo tried(fn () => new Server(bootstrap: fn (int $no) => 0)), "\n";
echo tried(fn () => new Server(bootstrap: fn () => yield 1)), "\n";
$cycle = new Server(bootstrap: function () use (&$cycle): void {});
unset($cycle);
echo gc_collect_cycles() > 0 ? "collected\n" : "kept\n";
unlink("$files/a.txt");
rmdir($files);
?>
--EXPECT--
LogicException: Listeners cannot be added once the server runs
LogicException: Listeners cannot be added once the server runs
LogicException: The server runs already
LogicException: There is a GET route for "/twice" already
LogicException: Routes cannot be added once the server runs
DomainException, the fallback, 0 buffers
of the folder
from the bootstrap
run: 0
the application waits for its own child: found
no worker, no worker, called 1 times
DomainException: no database, DomainException: no database
DomainException: no cache, DomainException: no cache, LogicException: The bootstrap was called in this process already, and its workers would not call it: a Loopback wants its own server
done
LogicException: The bootstrap was called in this process already, and its workers would not call it: a Loopback wants its own server
LogicException: The bootstrap was called in this process already, and its workers would not call it: a Loopback wants its own server
TypeError: Tusk\Server::__construct(): Argument #9 ($bootstrap) must take Tusk\Server as its first parameter (the Server), int $no declared
ValueError: Tusk\Server::__construct(): Argument #9 ($bootstrap) must not use yield: its code would never run
collected
