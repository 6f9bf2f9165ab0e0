--TEST--
Sockmap: what the master loaded relays the sessions of workers that have given up their privileges, and their records have the kernel's bytes
--EXTENSIONS--
pcntl
posix
--SKIPIF--
<?php
if (getenv('SKIP_PERF_SENSITIVE')) die('skip valgrind does not know what bpf() reads');
require __DIR__ . '/proxy.inc';
$engine = (new Tusk\Proxy\Tcp(new Asked(fn () => null), sockmap: Tusk\Proxy\Sockmap::On))->engine();
if (posix_geteuid() !== 0) die('skip giving up privileges needs root');
if (!str_starts_with($engine, 'enabled')) die("skip needs libbpf, CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON: $engine");
?>
--FILE--
<?php
require __DIR__ . '/workers.inc';
use Tusk\Proxy\{Access, First, Route, Sockmap, Tcp, Validation};

ini_set('error_log', $log = tempnam(sys_get_temp_dir(), 'tusk'));
$echo = new Tusk\Bench\EchoServer('tcp', 1);
[$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_DGRAM, 0);
$resolver = new Asked(function () use ($echo): Route { // nothing is remembered: it runs in the worker, before its session is handed over
    posix_setgid(65534);
    posix_setuid(65534);
    return Route::to("127.0.0.1:{$echo->port()}");
});
$proxy = new Tcp($resolver, sockmap: Sockmap::On, validation: Validation::none(), first: First::Server, workers: 2);
$proxy->onAccess(fn (Access $a) => fwrite($theirs, json_encode([posix_geteuid(), $a->engine, $a->bytesUp, $a->bytesDown, $a->end])));
beside($proxy, function (int $port) use ($ours): void {
    for ($i = 1; $i <= 4; $i++) {
        $peer = stream_socket_client("tcp://127.0.0.1:$port", timeout: 10);
        stream_set_timeout($peer, 10);
        foreach (['hello', str_repeat('x', 1000 * $i)] as $text) {
            fwrite($peer, $text);
            for ($got = ''; strlen($got) < strlen($text);) {
                $got .= fread($peer, 8192);
            }
            echo $got === $text ? '' : "other bytes\n";
        }
        fclose($peer);
        stream_set_timeout($ours, 10);
        echo fread($ours, 1000), "\n";
    }
});
echo substr_count(file_get_contents($log), 'Sockmap: enabled ('), "\n";
unlink($log);
?>
--EXPECT--
[65534,"sockmap",1005,1005,"done"]
[65534,"sockmap",2005,2005,"done"]
[65534,"sockmap",3005,3005,"done"]
[65534,"sockmap",4005,4005,"done"]
run: 0
the application waits for its own child: found
1
