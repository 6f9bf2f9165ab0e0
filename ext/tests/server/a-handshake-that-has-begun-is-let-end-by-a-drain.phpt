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
require __DIR__ . '/../peer.inc';
use Tusk\Http\Response;
use Tusk\{Limits, Server, Tls};

$pair = tempnam(sys_get_temp_dir(), 'tusk');
exec("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 -subj /CN=localhost -keyout $pair -out $pair.pem 2>/dev/null");
$trusting = fn () => stream_context_create(['ssl' => ['verify_peer' => false, 'verify_peer_name' => false]]);

/** What $client sends goes to $server, and back, until it has shaken hands. */
function shakeHands($client, $near, $server): bool
{
    array_map(fn ($stream) => stream_set_blocking($stream, false), [$client, $near, $server]);
    $end = microtime(true) + 20 * slow();
    do {
        $done = @stream_socket_enable_crypto($client, true, STREAM_CRYPTO_METHOD_TLS_CLIENT);
        fwrite($server, (string) fread($near, 65536));
        fwrite($near, (string) fread($server, 65536));
        usleep(1000);
    } while ($done === 0 && !feof($server) && microtime(true) < $end);
    return $done === true;
}

$server = new Server('127.0.0.1:0', tls: new Tls("$pair.pem", $pair), limits: new Limits(drainMs: 20_000, handshakeMs: 60_000));
$server->get('/', fn (): Response => Response::text('hello'));
$master = getmypid();
$server->onStart(function (Server $server) use ($master, $trusting): void {
    if (pcntl_fork() !== 0) {
        return;
    }
    $relay = stream_socket_server('tcp://127.0.0.1:0');
    $client = stream_socket_client('tcp://' . stream_socket_get_name($relay, false), context: $trusting());
    stream_set_blocking($client, false);
    stream_socket_enable_crypto($client, true, STREAM_CRYPTO_METHOD_TLS_CLIENT);
    $near = stream_socket_accept($relay);
    $hello = fread($near, 65536);
    $silent = stream_socket_client("tcp://127.0.0.1:$server->port");
    $half = stream_socket_client("tcp://127.0.0.1:$server->port");
    fwrite($half, substr($hello, 0, 40));
    // Whoever is answered came after them.
    file_get_contents("https://127.0.0.1:$server->port/", context: $trusting());
    posix_kill($master, SIGTERM);
    stream_set_timeout($silent, 20);
    echo 'silent: ', json_encode(fread($silent, 1)), feof($silent) ? " and the end\n" : "\n";
    fwrite($half, substr($hello, 40));
    echo 'shaken: ', json_encode(shakeHands($client, $near, $half)), "\n";
    fwrite($client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    $answer = '';
    until(function () use (&$answer, $client, $near, $half): bool {
        fwrite($half, (string) fread($near, 65536));
        fwrite($near, (string) fread($half, 65536));
        if (feof($half)) {
            stream_socket_shutdown($near, STREAM_SHUT_WR);
        }
        return str_contains($answer .= fread($client, 65536), 'hello') || feof($client);
    }, 'an answer');
    echo strtok($answer, "\r"), preg_match('/^connection: close/mi', $answer) ? ', the last' : '', "\n";
    posix_kill(getmypid(), SIGKILL);
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
