--TEST--
foreach in an open handler gives the messages that came with the handshake, also after other waits, over TLS, and to its end when the peer is gone
--SKIPIF--
<?php if (!is_executable('/usr/bin/openssl')) die('skip the openssl command is needed'); ob_start(); phpinfo(INFO_MODULES); if (preg_match('/^TLS => not built in/m', ob_get_clean())) die('skip built without OpenSSL'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer, Tls};
use Tusk\WebSocket\{Client, Connection, MessageType, Protocol};

$dir = __DIR__ . '/reads.tmp';
@mkdir($dir);
exec("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout $dir/key.pem -out $dir/cert.pem 2>/dev/null");
$log = [];
$read = function (Connection $c) use (&$log): void {
    $got = [];
    foreach ($c as $data) {
        $got[] = strlen($data) > 20 ? strlen($data) : $data;
        $c->send($data);
        if ($data === 'sleep') {
            Timer::sleep(0.01);
        }
    }
    $log[] = implode(' ', $got);
};
$server = new Server('127.0.0.1:0');
$server->onError(function (Throwable $e) use (&$log): void { $log[] = get_class($e) . ": {$e->getMessage()}"; });
$server->websocket('/at-once', open: $read);
$server->websocket('/later', open: function (Connection $c) use ($read): void { Timer::sleep(0.01); $read($c); });
$server->websocket('/decided-later', authorize: function () { Timer::sleep(0.01); return 'me'; }, open: $read);
$server->websocket('/throws', open: function (Connection $c): void {
    foreach ($c as $data) {
        throw new DomainException("at $data");
    }
});
$server->websocket('/terminates', open: function (Connection $c) use (&$log): void {
    foreach ($c as $data) {
        $c->terminate();
    }
    $log[] = 'terminated';
});
$frames = '';
foreach (['one', 'sleep', 'two'] as $m) {
    $frames .= Protocol::encode($m, MessageType::Text, true);
}
$upgrade = fn (string $path): string => "GET $path HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    . "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
talk($server, function (int $port) use ($server, $frames, $upgrade, &$log): void {
    foreach (['/at-once', '/later', '/decided-later'] as $path) {
        $peer = new Peer($port);
        $peer->write($upgrade($path) . $frames);
        $peer->readHead();
        echo "$path: {$peer->text()} {$peer->text()} {$peer->text()}";
        $peer->send('four');
        echo " {$peer->text()}\n";
        $peer->goodbye();
        until(function () use (&$log) { return $log !== []; }, "the end of $path");
        echo '    ', array_shift($log), "\n";
    }
    foreach (['/at-once', '/later', '/decided-later'] as $path) { // gone before anybody looks
        $peer = new Peer($port);
        $peer->write($upgrade($path) . $frames);
        fclose($peer->stream);
    }
    until(fn () => ($now = $server->stats())['connections_total'] === 6 && $now['connections_open'] === 0 && $now['parked_handlers'] <= 1, 'the end of all');
    $log = [];
    foreach (['/throws', '/terminates'] as $path) {
        $peer = new Peer($port);
        $peer->write($upgrade($path) . $frames);
        $peer->readHead();
        echo "$path: {$peer->text()}\n";
        until(function () use (&$log) { return $log !== []; }, "the end of $path");
        echo '    ', array_shift($log), "\n";
    }
});
$server = new Server('127.0.0.1:0', new Tls("$dir/cert.pem", "$dir/key.pem"));
$server->websocket('/later', open: function (Connection $c) use ($read): void { Timer::sleep(0.01); $read($c); });
talk($server, function (int $port) use ($server, $dir, &$log): void {
    $secure = new Client("wss://127.0.0.1:$port/later", ca: "$dir/cert.pem");
    foreach (['small', str_repeat('large ', 50000), 'last'] as $m) {
        $secure->send($m);
    }
    echo $secure->receive(), ' ', strlen($secure->receive()), ' ', $secure->receive(), "\n";
    $secure->close();
    until(function () use (&$log) { return $log !== []; }, 'the end over TLS');
    echo '    ', array_shift($log), "\n";
    until(fn () => $server->stats()['parked'] === 0 && $server->stats()['websockets_open'] === 0, 'nothing left');
});
array_map(unlink(...), glob("$dir/*"));
rmdir($dir);
?>
--EXPECT--
/at-once: one sleep two four
    one sleep two four
/later: one sleep two four
    one sleep two four
/decided-later: one sleep two four
    one sleep two four
/throws: (close 1011 )
    DomainException: at one
/terminates: (end)
    terminated
small 300000 last
    small 300000 last
