--TEST--
What workers have (resolvers that wait, kept connections to backends) is told at /metrics while there is a session, and falls where there is none any more
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/workers.inc';
require dirname(__DIR__, 3) . '/tests/ports.php';
use Tusk\Proxy\{Http, Lookup, Route, Validation};
use Tusk\Timer;

$admin = Tusk\Tests\free_port();
$let = sys_get_temp_dir() . '/tusk-' . bin2hex(random_bytes(6));
$backend = Backend::ofHeads();
$address = $backend->address();
$proxy = new Http(new Asked(function (Lookup $lookup) use ($let, $address): Route {
    $lookup->path; // each is asked for
    while (!file_exists($let)) {
        Timer::sleep(0.005);
        clearstatcache();
    }
    return Route::to($address, ttl: 0.0);
}), validation: Validation::none(), workers: 2);
$proxy->admin("127.0.0.1:$admin");
$pid = $backend->pid();
beside($proxy, function (int $port) use ($admin, $let, $pid): void {
    $gauge = function (string $name) use ($admin): ?int {
        $found = preg_match("~^tusk_proxy_$name (\d+)$~m", (string) @file_get_contents("http://127.0.0.1:$admin/metrics"), $match);
        return $found ? (int) $match[1] : null;
    };
    $peers = [];
    foreach ([1, 2, 3, 4] as $number) {
        $peers[] = $peer = stream_socket_client("tcp://127.0.0.1:$port");
        fwrite($peer, "GET /$number HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    until(fn () => $gauge('parked_handlers') === 4, 'four resolvers that wait');
    touch($let);
    until(fn () => $gauge('http_kept') === 4 && $gauge('parked_handlers') === 0, 'four kept connections, and nobody who waits');
    $peers = $peer = null;
    until(fn () => $gauge('active') === 0 && $gauge('http_kept') === 4 && $gauge('http_lines') === 4, 'the clients to be gone');
    posix_kill($pid, SIGKILL);
    until(fn () => $gauge('http_kept') === 0 && $gauge('http_lines') === 0, 'the backend to be gone');
});
@unlink($let);
?>
--EXPECT--
run: 0
the application waits for its own child: found
