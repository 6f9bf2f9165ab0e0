--TEST--
A server or proxy of the parent that is run in a pool's worker, or in a fork with a timer of its own, is refused: it said "system call failed", or served nobody. One made there runs, and so does one in a plain fork
--FILE--
<?php
use Tusk\Http\Response;
use Tusk\Parallel\Pool;
use Tusk\Proxy;
use Tusk\Server;
use Tusk\Timer;

final class Held
{
    /** @var array<string, object> */
    public static array $hosts;

    public static function run(): void
    {
        foreach (self::$hosts as $name => $host) {
            try {
                $host->run();
                echo "$name: ran\n";
            } catch (Throwable $e) {
                echo "$name: ", $e::class, ": {$e->getMessage()}\n";
            }
        }
    }

    public static function ownOne(): void
    {
        $server = new Server(listen: '127.0.0.1:0');
        $server->onStart(fn () => $server->stop());
        echo 'one made here: ', var_export($server->run(), true), "\n";
    }
}

function inFork(Closure $do): void
{
    $pid = pcntl_fork();
    if ($pid === 0) {
        $do();
        posix_kill(posix_getpid(), SIGKILL); // what a fork has of its parent's loop is not its to free
    }
    pcntl_waitpid($pid, $status);
}

Held::$hosts = [
    'server' => new Server(listen: '127.0.0.1:0'),
    'with workers' => new Server(listen: '127.0.0.1:0', workers: 2),
    'plain' => new Tusk\WebSocket\Server(),
    'proxy' => new Proxy\Tcp(new class implements Proxy\Resolver {
        public function resolve(Proxy\Lookup $lookup): Proxy\Route
        {
            throw new Proxy\Refused('none');
        }
    }, '127.0.0.1:0'),
];
Held::$hosts['plain']->listen('127.0.0.1', 0);
$pool = new Pool(workers: 1, max: 1);
foreach (['run', 'ownOne'] as $method) {
    $task = $pool->task([Held::class, $method]);
    $task->await(10);
    echo $task->output();
}
$pool->close();
inFork(function (): void {
    Timer::cancel(Timer::delay(1.0, fn () => null));
    Held::run();
    Held::ownOne();
});
inFork(function (): void {
    $server = Held::$hosts['server'];
    $server->onStart(fn () => $server->stop());
    echo 'in a plain fork: ', var_export($server->run(), true), "\n";
});
?>
--EXPECT--
server: LogicException: A server does not run where it was not made (a pool's worker, a fork): make it there
with workers: LogicException: A server does not run where it was not made (a pool's worker, a fork): make it there
plain: Error: A server does not run where it was not made (a pool's worker, a fork): make it there
proxy: LogicException: A proxy does not run where it was not made (a pool's worker, a fork): make it there
one made here: 0
server: LogicException: A server does not run where it was not made (a pool's worker, a fork): make it there
with workers: LogicException: A server does not run where it was not made (a pool's worker, a fork): make it there
plain: Error: A server does not run where it was not made (a pool's worker, a fork): make it there
proxy: LogicException: A proxy does not run where it was not made (a pool's worker, a fork): make it there
one made here: 0
in a plain fork: 0
