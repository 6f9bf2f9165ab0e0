--TEST--
set_time_limit() in a handler counts until it waits or ends; max_execution_time counts for nothing while a server runs
--EXTENSIONS--
tusk
pcntl
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};
use Tusk\Http\Response;

/** So many seconds of this process's computing. */
function compute(float $seconds): void
{
    $used = fn (): float => array_sum(array_map(fn ($of, $part) => getrusage()["ru_{$of}time.tv_sec"] + getrusage()["ru_{$of}time.tv_usec"] / 1e6, ['u', 's'], [0, 0]));
    for ($until = $used() + $seconds; $used() < $until;);
}

/** What a server of its own process answered to each of these, and how that process ended. */
function served(array $paths, ?int $limit): string
{
    [$mine, $its] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $pid = pcntl_fork();
    if ($pid === 0) {
        ini_set('display_errors', '0');
        if ($limit !== null) {
            set_time_limit($limit);
        }
        $server = new Server('127.0.0.1:0');
        $server->get('/set', function (): Response { set_time_limit(1); return Response::text('set'); });
        $server->get('/wait', function (): Response { set_time_limit(1); Timer::sleep(0.001); compute(2); return Response::text('waited'); });
        $server->get('/compute', function (): Response { compute(2); return Response::text('computed'); });
        $server->get('/stop', function () use ($server): Response { $server->stop(); return Response::text('stops'); });
        $server->onStart(fn () => fwrite($its, "$server->port\n"));
        $server->run();
        exit(7);
    }
    $port = (int) fgets($mine);
    $answers = array_map(function (string $path) use ($port): string {
        $peer = new Peer($port);
        $peer->write("GET $path HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        $answer = $peer->readAll();
        return substr($answer, 9, 3) . ' ' . trim(explode("\r\n\r\n", $answer, 2)[1] ?? '');
    }, $paths);
    pcntl_waitpid($pid, $status);
    return implode(', ', $answers) . ': ' . pcntl_wexitstatus($status) . "\n";
}

echo served(['/set', '/compute', '/stop'], null);
echo served(['/wait', '/stop'], null);
echo served(['/compute', '/stop'], 1);
?>
--EXPECT--
200 set, 200 computed, 200 stops: 7
200 waited, 200 stops: 7
200 computed, 200 stops: 7
