--TEST--
A client of whose TLS handshake a part has come when a drain begins is answered; one that has said nothing is let go
--EXTENSIONS--
openssl
pcntl
posix
--SKIPIF--
<?php if (!is_executable('/usr/bin/openssl')) die('skip the openssl command is needed'); ob_start(); phpinfo(INFO_MODULES); if (preg_match('/^TLS => not built in/m', ob_get_clean())) die('skip built without OpenSSL'); ?>
--FILE--
<?php
require __DIR__ . '/../handshakes.inc';
use Tusk\Http\Response;
use Tusk\{Limits, Server, Tls};

$pair = pairOfKeys();
$server = new Server('127.0.0.1:0', tls: new Tls("$pair.pem", $pair), limits: new Limits(drainMs: 20_000, handshakeMs: 60_000));
$server->get('/', fn (): Response => Response::text('hello'));
$master = getmypid();
$server->onStart(function (Server $server) use ($master): void {
    if (pcntl_fork() === 0) {
        drainAmongHandshakes($server->port, $master);
        posix_kill(getmypid(), SIGKILL);
    }
});
$code = $server->run();
pcntl_wait($status);
echo "run: $code\n";
array_map(unlink(...), [$pair, "$pair.pem"]);
?>
--EXPECT--
silent: "" and the end
shaken: true
HTTP/1.1 200 OK, the last
run: 0
