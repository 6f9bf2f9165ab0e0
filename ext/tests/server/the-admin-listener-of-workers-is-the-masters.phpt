--TEST--
With workers the admin listener is the master's: sums over all of them, their bounds of memory together, and what the crew counts
--EXTENSIONS--
tusk
pcntl
--FILE--
<?php
use Tusk\Http\{Client, Response};
use Tusk\Server;

$probe = stream_socket_server('tcp://127.0.0.1:0');
$admin = stream_socket_get_name($probe, false);
fclose($probe);
$server = new Server('127.0.0.1:0', limits: new Tusk\Limits(connections: 20, queuedBytesTotal: 2 << 20), workers: 2);
$server->admin($admin);
$server->get('/', fn () => Response::text("ok\n"));
$server->onListen(function (Server $s) use ($admin): void {
    if (pcntl_fork() !== 0) {
        return;
    }
    $client = new Client();
    for ($i = 0; $i < 4; $i++) {
        $client->get("http://127.0.0.1:$s->port/");
    }
    $end = microtime(true) + 10;
    do {
        $text = $client->get("http://$admin/metrics")->body;
    } while (!str_contains($text, "\ntusk_server_requests_total 4\n") && microtime(true) < $end);
    preg_match_all('~^tusk_server_(?:requests_total|crew_workers|limit_bound\{limit="(?:connections|queuedBytesTotal)"\}) .*$~m', $text, $m);
    echo implode("\n", $m[0]), "\n", $client->get("http://$admin/health")->body;
    posix_kill(posix_getppid(), SIGTERM);
    posix_kill(posix_getpid(), SIGKILL);
});
var_dump($server->run());
?>
--EXPECT--
tusk_server_requests_total 4
tusk_server_crew_workers 2
tusk_server_limit_bound{limit="connections"} 20
tusk_server_limit_bound{limit="queuedBytesTotal"} 4194304
ok
int(0)
