--TEST--
admin(): GET /metrics is OpenMetrics with every counter of stats(), how full limits are and what the process takes, GET /health is 503 while it drains, GET / tells of both
--EXTENSIONS--
tusk
--SKIPIF--
<?php is_readable('/proc/self/stat') or die('skip no /proc'); ?>
--FILE--
<?php
use Tusk\Http\{Client, Request, Response};
use Tusk\{Limits, Server, Timer};

$probe = stream_socket_server('tcp://127.0.0.1:0');
$admin = stream_socket_get_name($probe, false);
fclose($probe);
$server = new Server('127.0.0.1:0', limits: new Limits(connections: 20, parkedHandlers: 7));
$server->admin($admin);
$server->get('/slow', function (Request $r): Response {
    Timer::sleep(0.2);
    return Response::text("done\n");
});
$server->onStart(function () use ($server, $admin): void {
    $client = new Client();
    $stream = stream_socket_client("tcp://127.0.0.1:$server->port");
    fwrite($stream, "GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    while ($server->stats()['requests'] < 1) {
        Timer::sleep(0.005);
    }
    $answer = $client->get("http://$admin/metrics");
    echo $answer->status, ' ', $answer->header('content-type'), "\n";
    $lines = explode("\n", rtrim($answer->body));
    echo end($lines), ' ', preg_match_all('~^tusk_server_(connections_open|connections_total|requests_total) 1$~m', $answer->body), "\n";
    preg_match_all('~^# TYPE tusk_server_(\w+) (counter|gauge)\n# HELP tusk_server_\1 [A-Z].*\.\ntusk_server_\1(_total|) \d+$~m', $answer->body, $found);
    echo implode(' ', array_diff(preg_replace("~_total$~", "", array_keys($server->stats())), $found[1])), "|\n";
    foreach ($found[2] as $i => $type) {
        if (($type === 'counter') !== ($found[3][$i] === '_total')) {
            echo "suffix of {$found[1][$i]}\n";
        }
    }
    preg_match_all('~^tusk_server_limit_\w+\{limit="(?:connections|parkedHandlers)"\} .*$~m', $answer->body, $limits);
    echo implode("\n", $limits[0]), "\n";
    $process = [];
    foreach (explode("\n", $answer->body) as $line) {
        if (preg_match('~^(process_\w+) (\d+(?:\.\d{3})?)$~', $line, $m)) {
            $process[$m[1]] = $m[2];
        }
    }
    echo implode(' ', array_keys($process)), "\n";
    $resident = (int) preg_replace('~.*VmRSS:\s+(\d+).*~s', '$1', file_get_contents('/proc/self/status')) * 1024;
    $times = getrusage();
    $cpu = $times['ru_utime.tv_sec'] + $times['ru_stime.tv_sec'] + ($times['ru_utime.tv_usec'] + $times['ru_stime.tv_usec']) / 1e6;
    var_dump(
        abs($process['process_resident_memory_bytes'] / $resident - 1) < 0.2,
        $process['process_cpu_seconds_total'] <= $cpu && $process['process_cpu_seconds_total'] > $cpu - 1,
        $process['process_open_fds'] > 4 && $process['process_open_fds'] < 100,
        preg_match("~^Max open files +$process[process_max_fds] ~m", file_get_contents('/proc/self/limits')) === 1,
        abs($process['process_start_time_seconds'] - time()) < 60,
    );
    $answer = $client->get("http://$admin/");
    echo $answer->status, ' ', $answer->header('content-type'), "\n", $answer->body, $client->get("http://$admin/other")->status, "\n";
    $answer = $client->get("http://$admin/health");
    echo $answer->status, ' ', $answer->body;
    $server->stop();
    $answer = $client->get("http://$admin/health");
    echo $answer->status, ' ', $answer->body;
    stream_set_blocking($stream, false);
    while (!feof($stream)) {
        Tusk\Wait::readable($stream, 5.0);
        echo preg_match('~done~', (string) fread($stream, 1000)) ? "what ran was answered\n" : '';
    }
    try {
        $server->admin('127.0.0.1:0');
    } catch (LogicException $e) {
        echo $e->getMessage(), "\n";
    }
});
var_dump($server->run());
try {
    (new Server())->admin('nowhere');
} catch (ValueError $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECT--
200 application/openmetrics-text; version=1.0.0; charset=utf-8
# EOF 3
|
tusk_server_limit_used{limit="connections"} 1
tusk_server_limit_used{limit="parkedHandlers"} 2
tusk_server_limit_bound{limit="connections"} 20
tusk_server_limit_bound{limit="parkedHandlers"} 7
process_resident_memory_bytes process_cpu_seconds_total process_open_fds process_max_fds process_start_time_seconds
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
200 text/plain
/metrics  counters and limits, as OpenMetrics
/health   "ok", or 503 while it drains
404
200 ok
503 draining
what ran was answered
Listeners cannot be added once the server runs
int(0)
Tusk\Server::admin(): Argument #1 ($address) must be an address such as "127.0.0.1:9100"
