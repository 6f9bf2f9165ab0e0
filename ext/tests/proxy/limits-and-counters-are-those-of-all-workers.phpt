--TEST--
The limit of connections and that of a source hold for all workers together; stats() and /metrics are sums over them, and what a dead one had counted stays
--EXTENSIONS--
pcntl
posix
--SKIPIF--
<?php if (getenv('SKIP_PERF_SENSITIVE')) die('skip six connections are to be idle at once: valgrind takes longer than they are kept'); ?>
--FILE--
<?php
require __DIR__ . '/workers.inc';
require dirname(__DIR__, 3) . '/tests/ports.php';
use Tusk\Proxy\{Http, Limits};

/** The samples of /metrics. */
function metrics(int $port): array
{
    preg_match_all('~^tusk_proxy_(\w+) (\d+)$~m', file_get_contents("http://127.0.0.1:$port/metrics"), $found);
    return array_map(intval(...), array_combine($found[1], $found[2]));
}

/** A kept connection whose first request was answered; null: it was not within the time. */
function kept(int $port, float $seconds = 10)
{
    $peer = stream_socket_client("tcp://127.0.0.1:$port", timeout: 10);
    stream_set_timeout($peer, (int) $seconds, (int) (fmod($seconds, 1) * 1e6));
    fwrite($peer, "GET /who HTTP/1.1\r\nHost: a\r\n\r\n");
    return str_starts_with((string) fgets($peer), 'HTTP/1.1 200') ? $peer : null;
}

ini_set('error_log', '/dev/null');
$admin = Tusk\Tests\free_port();
$doing = new Doing();
$proxy = new Http($doing, limits: new Limits(connections: 6), workers: 3);
$doing->of($proxy);
$proxy->admin("127.0.0.1:$admin");
beside($proxy, function (int $port) use ($admin): void {
    $first = whoAre($port, 3);
    $peers = array_map(fn () => kept($port), range(1, 6));
    echo count(array_filter($peers)), " are served\n";
    until(fn () => metrics($admin)['active'] === 6, 'six sessions');
    $waiting = stream_socket_client("tcp://127.0.0.1:$port");
    fwrite($waiting, "GET /who HTTP/1.1\r\nHost: a\r\n\r\n");
    stream_set_blocking($waiting, false);
    until(fn () => metrics($admin)['refused_limit_total'] > 0 || fgets($waiting) !== false, 'the seventh to be seen');
    var_dump(fgets($waiting), metrics($admin)['active']);
    fclose(array_pop($peers));
    until(fn () => str_starts_with((string) fgets($waiting), 'HTTP/1.1 200'), 'the seventh to be served');
    $peers = null;
    fclose($waiting);
    until(fn () => metrics($admin)['active'] === 0, 'all to be gone');

    $stats = get($port, '/stats');
    until(fn () => metrics($admin)['http_requests_total'] >= 11, 'all requests to be told: three, six, the seventh, and this one'); // a tenth of a second later
    $now = metrics($admin);
    var_dump($stats['accepted'] <= $now['accepted_total'], $now['http_requests_total'] >= 11, $now['crew_workers']);
    posix_kill($first[2]['pid'], SIGKILL);
    until(fn () => metrics($admin)['crew_crashes_total'] === 1 && metrics($admin)['crew_workers'] === 3, 'the next worker');
    $then = metrics($admin);
    var_dump($then['accepted_total'] >= $now['accepted_total'], $then['active'], file_get_contents("http://127.0.0.1:$admin/health"));
});
$doing = new Doing();
$proxy = new Http($doing, limits: new Limits(perSource: 3), workers: 3);
$doing->of($proxy);
beside($proxy, function (int $port): void {
    $peers = [];
    until(function () use ($port, &$peers): bool {
        $peers[] = $peer = kept($port);
        return $peer === null;
    }, 'a client over the limit');
    echo count($peers) - 1, " of one source\n";
});
?>
--EXPECT--
6 are served
bool(false)
int(6)
bool(true)
bool(true)
int(3)
bool(true)
int(0)
string(3) "ok
"
run: 0
the application waits for its own child: found
3 of one source
run: 0
the application waits for its own child: found
