--TEST--
With workers the admin listener is the master's: sums over all of them, their bounds of memory together, what the crew counts, and what all processes take
--EXTENSIONS--
tusk
pcntl
--SKIPIF--
<?php is_readable('/proc/self/task/' . getmypid() . '/children') or die('skip no /proc with children'); ?>
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
    echo implode("\n", $m[0]), "\n";
    preg_match_all('~^process_(\w+) ~m', $text, $process);
    echo implode(' ', $process[1]), "\n";
    $resident = fn (int $pid): int => (int) preg_replace('~.*VmRSS:\s+(\d+).*~s', '$1', file_get_contents("/proc/$pid/status")) * 1024;
    $children = explode(' ', trim(file_get_contents('/proc/' . posix_getppid() . '/task/' . posix_getppid() . '/children')));
    $sum = $resident(posix_getppid());
    foreach ($children as $pid) {
        $sum += (int) $pid === posix_getpid() ? 0 : $resident((int) $pid);
    }
    var_dump(count($children), preg_match('~^process_resident_memory_bytes (\d+)$~m', $text, $told) && abs($told[1] / $sum - 1) < 0.2);
    echo $client->get("http://$admin/health")->body;
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
resident_memory_bytes cpu_seconds_total open_fds max_fds start_time_seconds
int(3)
bool(true)
ok
int(0)
