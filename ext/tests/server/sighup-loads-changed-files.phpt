--TEST--
With bootstrap: each worker loads the application itself, so SIGHUP brings changed code, under opcache and with one worker as well; who cannot load it takes nobody's place, and history goes on
--EXTENSIONS--
pcntl
posix
opcache
--INI--
opcache.enable=1
opcache.enable_cli=1
opcache.revalidate_freq=2
--FILE--
<?php
require __DIR__ . '/workers.inc';
use Tusk\Server;

ini_set('display_errors', '0');
ini_set('error_log', $log = tempnam(sys_get_temp_dir(), 'tusk'));
$app = tempnam(sys_get_temp_dir(), 'tusk-app');

/** As a deployment does it; opcache keeps only what is older than two seconds. */
function deploy(string $app, string $version): void
{
    static $age = 10_000;
    file_put_contents("$app.new", str_replace('VERSION', $version, <<<'PHP'
        <?php
        use Tusk\Http\{Request, Response};
        use Tusk\WebSocket\Connection;

        final class Version
        {
            public const TEXT = 'VERSION';
        }
        $server->get('/who', fn () => Response::json(['pid' => getmypid(), 'worker' => $server->worker(), 'version' => Version::TEXT]));
        $server->post('/publish', fn (Request $r) => Response::json(['position' => (string) $server->publish('t', $r->body)]));
        $server->websocket('/ws', open: function (Connection $c) use ($server): void {
            $c->send("worker {$server->worker()} " . getmypid());
            $c->subscribe('t', since: $c->query('since'));
        });
        PHP));
    touch("$app.new", time() - ($age -= 100));
    rename("$app.new", $app);
}

$until = fn (int $port, int $workers, string $version) => until(
    fn () => array_unique(array_column(whoAre($port, $workers), 'version')) === [$version],
    "version $version",
);
foreach ([1, 2] as $workers) {
    deploy($app, 'first');
    $server = new Server(workers: $workers, bootstrap: fn (Server $server) => require $app);
    beside($server, function (int $port, int $master) use ($until, $workers, $app, $log): void {
        $until($port, $workers, 'first');
        $pids = array_column(whoAre($port, $workers), 'pid');
        echo count($pids), ' workers, ', in_array($master, $pids, true) ? 'the master among them' : 'and the master', "\n";
        $before = publish($port, 'before')['position'];
        $old = new Subscriber($port, false);

        deploy($app, 'second');
        posix_kill($master, SIGHUP);
        $until($port, $workers, 'second');
        echo $old->next(), "\n";
        publish($port, 'behind');
        echo implode(', ', (new Subscriber($port, false, $before))->take(1)), "\n";

        deploy($app, "third' syntax error");
        $pids = array_column(whoAre($port, $workers), 'pid');
        posix_kill($master, SIGHUP);
        until(fn () => str_contains(file_get_contents($log), 'its successor failed, the others stay'), 'the log says that it failed');
        $until($port, $workers, 'second');
        var_dump(array_column(whoAre($port, $workers), 'pid') === $pids);
        echo preg_match('~^.*Tusk: the bootstrap failed: ParseError: syntax error.*$~m', file_get_contents($log)), "\n";
        file_put_contents($log, '');

        deploy($app, 'fourth');
        posix_kill($master, SIGHUP);
        $until($port, $workers, 'fourth');
    });
}
unlink($log);
unlink($app);
?>
--EXPECT--
1 workers, and the master
(close 1001 server stops)
behind
bool(true)
1
run: 0
the application waits for its own child: found
2 workers, and the master
(close 1001 server stops)
behind
bool(true)
1
run: 0
the application waits for its own child: found
