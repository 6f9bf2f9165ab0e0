--TEST--
Whatever a server and its workers find no descriptor for as they begin, the exception has the system's own word for it
--EXTENSIONS--
pcntl
posix
--CAPTURE_STDIO--
STDOUT
--FILE--
<?php
use Tusk\Http\Response;
use Tusk\Server;

$hard = posix_getrlimit()['hard openfiles'];
$hard = $hard === 'unlimited' ? POSIX_RLIMIT_INFINITY : $hard;
/** What a process that may open no descriptor beyond `$soft` has to say: "served", or why not. */
$with = static function (int $workers, int $soft) use ($hard): string {
    [$mine, $its] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $pid = pcntl_fork();
    if ($pid === 0) {
        posix_setrlimit(POSIX_RLIMIT_NOFILE, $soft, $hard);
        try {
            $server = new Server(listen: '127.0.0.1:0', workers: $workers);
            $server->get('/', fn () => Response::text(''));
            $server->onListen(fn () => $server->stop());
            $server->run();
            fwrite($its, 'served');
        } catch (Tusk\Exception $e) {
            fwrite($its, $e->getMessage());
        }
        posix_kill(getmypid(), SIGKILL);
    }
    fclose($its);
    pcntl_waitpid($pid, $status);
    return stream_get_contents($mine);
};
foreach ([1, 2] as $workers) {
    $said = [];
    for ($soft = 0; $soft < 64 && !in_array('served', $said, true); $soft++) {
        $said[] = $with($workers, $soft);
    }
    echo "$workers: ", implode("\n   ", array_unique($said)), "\n";
}
?>
--EXPECT--
1: Cannot make the event loop: Too many open files
   served
2: Cannot make the event loop: Too many open files
   Cannot make the master's loop: Too many open files
   Cannot start the server's workers: Too many open files
   cannot listen on 127.0.0.1:0: no descriptor, local port or thread is left; raise ulimit -n (LimitNOFILE), or sysctl fs.file-max
   served
