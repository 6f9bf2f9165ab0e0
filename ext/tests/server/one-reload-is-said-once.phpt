--TEST--
A reload by SIGHUP is one line of the master when it is done, and one of the certificates that it read, however many workers follow
--EXTENSIONS--
pcntl
posix
--SKIPIF--
<?php if (!is_executable('/usr/bin/openssl')) die('skip the openssl command is needed'); ob_start(); phpinfo(INFO_MODULES); if (preg_match('/^TLS => not built in/m', ob_get_clean())) die('skip built without OpenSSL'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\Response;
use Tusk\Proxy\{Http, Lookup, Resolver, Route};
use Tusk\{Server, Tls};

final class Nowhere implements Resolver
{
    public function resolve(Lookup $lookup): Route
    {
        return Route::to('127.0.0.1:1');
    }
}

ini_set('display_errors', '0');
ini_set('error_log', $log = tempnam(sys_get_temp_dir(), 'tusk'));
$pair = tempnam(sys_get_temp_dir(), 'tusk');
exec("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 -subj /CN=localhost -keyout $pair -out $pair.pem 2>/dev/null");

/** What the log has of two reloads, the second of which comes when the first is done. */
function reloaded(Server|Http $served, int $workers): void
{
    global $log;
    file_put_contents($log, '');
    $started = tempnam(sys_get_temp_dir(), 'tusk');
    $served->onStart(fn () => file_put_contents($started, '.', FILE_APPEND));
    $master = getmypid();
    $child = pcntl_fork();
    if ($child === 0) {
        until(fn () => strlen(file_get_contents($started)) === $workers, 'the first ones');
        foreach ([1, 2] as $time) {
            posix_kill($master, SIGHUP);
            until(fn () => substr_count(file_get_contents($log), ' workers are new') === $time, "reload $time");
        }
        posix_kill($master, SIGTERM);
        posix_kill(getmypid(), SIGKILL);
    }
    $served->run();
    pcntl_waitpid($child, $status);
    echo strlen(file_get_contents($started)), " were started\n", preg_replace('/^\[.*\] /m', '', implode('', preg_grep('/reloaded/', file($log)))); // a busy machine has more to say
    unlink($started);
}

$tls = new Tls("$pair.pem", $pair);
$server = new Server('127.0.0.1:0', workers: 3);
$server->get('/', fn (): Response => Response::text(''));
reloaded($server, 3);
$server = new Server('127.0.0.1:0', $tls, workers: 2);
$server->get('/', fn (): Response => Response::text(''));
reloaded($server, 2);
$server = new Server('127.0.0.1:0', $tls, bootstrap: fn (Server $server) => $server->get('/', fn (): Response => Response::text('')));
reloaded($server, 1);
reloaded(new Http(new Nowhere(), '127.0.0.1:0', tls: $tls, workers: 2), 2);
unlink($pair);
unlink("$pair.pem");
unlink($log);
?>
--EXPECT--
9 were started
Tusk: reloaded: 3 of 3 workers are new
Tusk: reloaded: 3 of 3 workers are new
6 were started
Tusk: certificates reloaded
Tusk: reloaded: 2 of 2 workers are new
Tusk: certificates reloaded
Tusk: reloaded: 2 of 2 workers are new
3 were started
Tusk: certificates reloaded
Tusk: reloaded: 1 of 1 workers are new
Tusk: certificates reloaded
Tusk: reloaded: 1 of 1 workers are new
6 were started
Tusk: certificates reloaded
Tusk: reloaded: 2 of 2 workers are new
Tusk: certificates reloaded
Tusk: reloaded: 2 of 2 workers are new
