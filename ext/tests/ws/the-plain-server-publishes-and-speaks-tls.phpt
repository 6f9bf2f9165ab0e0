--TEST--
WebSocket\Server publishes to those who subscribed, and over TLS its handshakes and connections tell what was agreed on; without it they tell null
--SKIPIF--
<?php if (!is_executable('/usr/bin/openssl')) die('skip the openssl command is needed'); ob_start(); phpinfo(INFO_MODULES); if (preg_match('/^TLS => not built in/m', ob_get_clean())) die('skip built without OpenSSL'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Client, Connection, MessageType, Request, Server};

$dir = __DIR__ . '/tls.tmp';
@mkdir($dir);
exec('openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'
    . " -addext subjectAltName=DNS:localhost -keyout $dir/a.key -out $dir/a.pem 2>/dev/null");
function serve(?Tusk\Tls $tls): Server
{
    $server = new Server();
    if ($tls !== null) {
        $server->tls($tls);
    }
    $server->listen('127.0.0.1', 0);
    $server->onHandshake(function (Request $r): void { echo 'handshake: ', $r->tls()?->serverName ?? 'no name', "\n"; });
    $server->onOpen(fn (Connection $c) => $c->subscribe('news'));
    $server->onMessage(function (Connection $c, string $m) use ($server): void {
        $before = $server->publish('news', $m);
        $after = $server->publish('news', strrev($m), MessageType::Binary);
        $c->send((string) ($c->tls()?->version ?? 'plain') . ' ' . ((string) $before === (string) $after ? 'one position' : 'two positions'));
    });
    return $server;
}
$talk = static fn (string $scheme): Closure => function (int $port) use ($scheme, $dir): void {
    [$one, $two] = [new Client("$scheme://localhost:$port/", ca: "$dir/a.pem"), new Client("$scheme://localhost:$port/", ca: "$dir/a.pem")];
    $two->send('hello');
    foreach ([$one, $two] as $client) {
        echo $client->receive(20 * slow()), ' ', $client->receive(20 * slow()), "\n";
    }
    echo $two->receive(20 * slow()), "\n";
};
talk(serve(new Tusk\Tls("$dir/a.pem", "$dir/a.key")), $talk('wss'));
talk(serve(null), $talk('ws'));
$server = serve(null);
$server->onStart(function () use ($server, $dir): void {
    attempt(fn () => $server->tls(new Tusk\Tls("$dir/a.pem", "$dir/a.key")));
    attempt(fn () => $server->publish('', 'x'));
    attempt(fn () => $server->publish('news', "\xff"));
    $server->stop();
});
$server->run();
array_map(unlink(...), glob("$dir/*"));
rmdir($dir);
?>
--EXPECT--
handshake: localhost
handshake: localhost
hello olleh
hello olleh
1.3 two positions
handshake: no name
handshake: no name
hello olleh
hello olleh
plain two positions
Error: TLS cannot be changed once the server runs
ValueError: Tusk\WebSocket\Server::publish(): Argument #1 ($topic) must have 1 to 1024 bytes, 0 given
ValueError: Tusk\WebSocket\Server::publish(): Argument #2 ($data) must be valid UTF-8 for a text message
