--TEST--
The limits of connections and of one address hold for all of a server's workers together; stats() are sums over them, in the master as well, and what a dead one had counted stays
--EXTENSIONS--
pcntl
posix
--SKIPIF--
<?php if (getenv('SKIP_PERF_SENSITIVE')) die('skip connections are to be idle at once: valgrind takes longer than they are kept'); ?>
--FILE--
<?php
require __DIR__ . '/workers.inc';
use Tusk\Limits;

ini_set('error_log', '/dev/null');
/** A kept connection whose first request was answered; null: it was refused. */
function kept(int $port)
{
    $peer = stream_socket_client("tcp://127.0.0.1:$port", timeout: 10);
    stream_set_timeout($peer, 10);
    fwrite($peer, "GET /who HTTP/1.1\r\nHost: a\r\n\r\n");
    return str_starts_with((string) fgets($peer), 'HTTP/1.1 200') ? $peer : null;
}

$server = telling(3, new Limits(connections: 6));
beside($server, function (int $port): void {
    $first = whoAre($port, 3);
    $peers = [];
    until(function () use ($port, &$peers): bool {
        $peers[] = kept($port);
        return count($peers) === 6;
    }, 'six that are kept');
    $waiting = [];
    foreach (range(1, 4) as $_) {
        $waiting[] = $peer = stream_socket_client("tcp://127.0.0.1:$port");
        fwrite($peer, "GET /stats HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        stream_set_blocking($peer, false);
    }
    $read = $waiting;
    $none = null;
    echo count(array_filter($peers)), ' are served, ', stream_select($read, $none, $none, 0, 200_000) ?: 'none', " beyond\n";
    fclose(array_pop($peers));
    foreach ($waiting as $peer) { // one after the other
        $text = '';
        until(function () use ($peer, &$text): bool {
            $text .= fread($peer, 65536);
            return feof($peer);
        }, 'a place for one that waits');
        $stats = json_decode(explode("\r\n\r\n", $text, 2)[1], true);
        echo $stats['connections_open'] <= 6 ? '' : "too many: $stats[connections_open]\n";
    }
    foreach ($peers as $peer) {
        fclose($peer);
    }
    until(fn () => get($port, '/stats')['connections_open'] === 1, 'all to be gone');

    foreach ($first as $n => $_) { // everybody says what it has
        publish($port, "from $n");
    }
    until(fn () => get($port, '/stats')['published'] === 3, 'all that was published to be told');
    $before = get($port, '/stats');
    posix_kill($first[2]['pid'], SIGKILL);
    until(fn () => (whoAre($port, 3)[2]['pid'] ?? 0) !== $first[2]['pid'], 'the next worker');
    $then = get($port, '/stats');
    var_dump($then['requests'] > $before['requests'], $then['connections_total'] > $before['connections_total'], $then['published'], isset($then['slow_handlers']));
});
var_dump($server->stats()['published'], $server->stats()['connections_open']);

beside(telling(3, new Limits(perAddress: 3)), function (int $port): void {
    $peers = [];
    until(function () use ($port, &$peers): bool {
        $peers[] = $peer = kept($port);
        return $peer === null;
    }, 'a client over the limit');
    echo count($peers) - 1, " of one address\n";
    fclose($peers[0]);
    until(fn () => ($peers[] = kept($port)) !== null, 'a place that was given back');
});
?>
--EXPECT--
6 are served, none beyond
bool(true)
bool(true)
int(3)
bool(true)
run: 0
the application waits for its own child: found
int(3)
int(0)
3 of one address
run: 0
the application waits for its own child: found
