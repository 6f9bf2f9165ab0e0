--TEST--
Connections that only hold places of the admin listener, silent or kept after an answer, keep no health check out
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Proxy\{Route, Tcp};

$probe = stream_socket_server('tcp://127.0.0.1:0');
$admin = stream_socket_get_name($probe, false);
fclose($probe);
$port = (int) substr(strrchr($admin, ':'), 1);
$proxy = new Tcp(new Asked(fn () => Route::to('127.0.0.1:1')), '127.0.0.1:0', validation: local());
$proxy->admin($admin);
$request = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";
through($proxy, function () use ($port, $request): void {
    $held = [];
    for ($i = 0; $i < 256; $i++) {
        $held[] = $peer = new Peer($port);
        if ($i % 2 === 0) {
            $peer->write($request);
            if (!str_contains($peer->readHead(), ' 200 ')) {
                echo "number $i is not answered\n";
            }
        } else {
            $peer->write('GET /he');
        }
    }
    $peer = new Peer($port);
    $peer->write($request);
    echo strtok($peer->readHead(), "\r"), "\n";
});
?>
--EXPECT--
HTTP/1.1 200 OK
