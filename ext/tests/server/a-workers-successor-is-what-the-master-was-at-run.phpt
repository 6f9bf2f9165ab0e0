--TEST--
A worker's successor is a fork of the master, which serves nobody: what the dead one and the master's other workers had grown to is not in it
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/workers.inc';
use Tusk\Http\Response;
use Tusk\{Server, Timer};

final class Held
{
    public static int $ticks = 0;
    public static string $text = '';
}

$server = new Server(workers: 2);
Timer::repeat(0.01, fn () => Held::$ticks++);
$server->get('/who', fn () => Response::json(['pid' => getmypid(), 'worker' => $server->worker(), 'parent' => posix_getppid(), 'bytes' => strlen(Held::$text)]));
$server->get('/grow', function (): Response {
    Held::$text = str_repeat('x', 8 << 20);
    return Response::json(getmypid());
});
beside($server, function (int $port): void {
    $master = whoAre($port, 2)[0]['parent'];
    for ($death = 0; $death < 3; $death++) {
        until(fn () => !in_array(0, array_column(whoAre($port, 2), 'bytes'), true) || get($port, '/grow') === 0, 'both have grown');
        $old = whoAre($port, 2);
        posix_kill($old[0]['pid'], SIGKILL);
        until(fn () => !in_array($old[0]['pid'], array_column(whoAre($port, 2), 'pid'), true), 'another in its place');
        foreach (whoAre($port, 2) as $who) {
            if (!in_array($who['pid'], array_column($old, 'pid'), true)) {
                echo $who['parent'] === $master ? "the master's, " : 'of somebody else, ', $who['bytes'], " bytes\n";
            }
        }
    }
});
echo Held::$ticks, ' ', strlen(Held::$text), " in the master\n";
?>
--EXPECT--
the master's, 0 bytes
the master's, 0 bytes
the master's, 0 bytes
run: 0
the application waits for its own child: found
0 0 in the master
