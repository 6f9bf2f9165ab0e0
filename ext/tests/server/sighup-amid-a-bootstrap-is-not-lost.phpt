--TEST--
A SIGHUP that comes while a worker loads the application is not lost: what had loaded the files of before, or fails, is followed; what the bootstrap returns may throw as it goes
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/workers.inc';
use Tusk\Server;

ini_set('display_errors', '0');
ini_set('error_log', $log = tempnam(sys_get_temp_dir(), 'tusk'));
$app = tempnam(sys_get_temp_dir(), 'tusk-app');
$gate = "$app.gate";

/** What loads `$version` and, behind `$then`, has loaded it. Each has a second of its own: opcache knows versions by that. */
function deploy(string $app, string $version, string $then = ''): void
{
    file_put_contents("$app.new", "<?php\n\$server->get('/who', fn () => Tusk\\Http\\Response::json(['pid' => getmypid(), 'worker' => \$server->worker(), 'version' => '$version']));\n$then");
    static $age = 10_000;
    touch("$app.new", time() - ($age -= 100));
    rename("$app.new", $app);
}

/** Says that it waits, and waits until it is let go on. */
$waits = 'file_put_contents("$gate.here", getmypid()); while (file_exists($gate)) { usleep(1000); clearstatcache(); }';
$waiting = function () use ($gate): bool {
    clearstatcache();
    return file_exists("$gate.here") && unlink("$gate.here");
};
deploy($app, 'first');
$server = new Server(workers: 2, bootstrap: function (Server $server) use ($app, $gate) { return require $app; });
beside($server, function (int $port, int $master) use ($app, $gate, $log, $waits, $waiting): void {
    $serves = fn (string $version) => until(
        fn () => array_unique(array_column(whoAre($port, 2), 'version')) === [$version],
        "version $version",
    );
    $pid = whoAre($port, 2)[0]['pid'];
    touch($gate);
    deploy($app, 'first', $waits);
    posix_kill($pid, SIGKILL);
    until($waiting, 'another one loads');
    deploy($app, 'second');
    posix_kill($master, SIGHUP);
    usleep(20_000); // the signal is heard
    unlink($gate);
    $serves('second');
    echo "who had not served yet is followed\n";

    touch($gate);
    deploy($app, 'third', "$waits throw new DomainException('broken');");
    posix_kill($master, SIGHUP);
    until($waiting, 'a successor loads');
    deploy($app, 'fourth');
    posix_kill($master, SIGHUP);
    usleep(20_000);
    unlink($gate);
    $serves('fourth');
    echo "what mends the one that fails is loaded\n";

    deploy($app, 'fifth', "return new class { public function __destruct() { throw new DomainException('it goes'); } };");
    posix_kill($master, SIGHUP);
    until(fn () => preg_match('~Tusk: the bootstrap failed: DomainException: it goes ~', file_get_contents($log)) === 1, 'the log says that it failed');
    $serves('fourth');
    echo "what throws as it goes is no application\n";
});
array_map(unlink(...), [$log, $app]);
?>
--EXPECT--
who had not served yet is followed
what mends the one that fails is loaded
what throws as it goes is no application
run: 0
the application waits for its own child: found
