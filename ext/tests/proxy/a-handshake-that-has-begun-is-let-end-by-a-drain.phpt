--TEST--
A client of an HTTP proxy of whose TLS handshake a part has come when a drain begins is answered; one that has said nothing is let go
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
use Tusk\Proxy\{Http, HttpLimits, Limits, Lookup, Resolver, Route};
use Tusk\Tls;

$pair = pairOfKeys();
$hello = new class implements Resolver {
    public function resolve(Lookup $lookup): Route
    {
        return Route::respond(Response::text('hello'));
    }
};
$server = new Http($hello, '127.0.0.1:0', tls: new Tls("$pair.pem", $pair), limits: new Limits(drainMs: 20_000), http: new HttpLimits(headMs: 60_000));
$master = getmypid();
$server->onStart(function (Http $server) use ($master): void {
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
