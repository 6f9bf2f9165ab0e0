--TEST--
TLS on any listener: WebSocket, HTTP, SNI, client certificates, reload; clients verify unless told otherwise
--SKIPIF--
<?php if (!is_executable('/usr/bin/openssl')) die('skip the openssl command is needed'); ob_start(); phpinfo(INFO_MODULES); if (preg_match('/^TLS => not built in/m', ob_get_clean())) die('skip built without OpenSSL'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Tls};
use Tusk\Http\{Request, Response};
use Tusk\WebSocket\Connection;

$dir = __DIR__ . '/tls.tmp';
@mkdir($dir);
function certificate(string $dir, string $name, string $cn): void
{
    exec("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=$cn -addext subjectAltName=DNS:$cn,IP:127.0.0.1"
        . " -keyout $dir/$name.key -out $dir/$name.pem 2>/dev/null", $out, $code) && $code === 0 ?: print('');
}
certificate($dir, 'a', 'localhost');
certificate($dir, 'b', 'other.example');
attempt(fn () => new Tls("$dir/a.pem", "$dir/none.key"));
attempt(fn () => new Tls("$dir/a.pem", "$dir/b.key"));
attempt(fn () => new Tls("$dir/a.pem", "$dir/a.key", minVersion: '1.1'));
attempt(fn () => new Tls("$dir/a.pem", "$dir/a.key", ciphers: 'NO-SUCH'));
attempt(fn () => new Tls("$dir/a.pem", "$dir/a.key", sni: ['x' => 'y']));
$server = new Server('127.0.0.1:0', tls: new Tls("$dir/a.pem", "$dir/a.key", sni: ['other.example' => ["$dir/b.pem", "$dir/b.key"]]));
$server->get('/', fn (Request $r) => Response::text($r->secure ? 'secure' : 'plain'));
$server->websocket('/ws', message: fn (Connection $c, string $m) => $c->send($m));
talk($server, function (int $port) use ($dir, $server): void {
    $url = "https://127.0.0.1:$port/";
    echo (new Tusk\Http\Client(verify: false))->get($url)->body, "\n";
    echo (new Tusk\Http\Client(ca: "$dir/a.pem"))->get($url)->body, "\n";
    try {
        (new Tusk\Http\Client())->get($url);
        echo "not verified\n";
    } catch (Tusk\Exception $e) {
        echo 'refused: ', str_contains($e->getMessage(), '(tls)') ? 'tls' : $e->getMessage(), "\n";
    }
    $ws = new Tusk\WebSocket\Client("wss://127.0.0.1:$port/ws", ca: "$dir/a.pem");
    $big = str_repeat('0123456789', 100000);
    $ws->send($big);
    var_dump($ws->receive() === $big);
    $context = stream_context_create(['ssl' => ['peer_name' => 'other.example']]);
    copy("$dir/b.pem", "$dir/a.pem");
    copy("$dir/b.key", "$dir/a.key");
    $server->reloadCertificates();
    $ws->send('still here');
    echo $ws->receive(), "\n";
    echo (new Tusk\Http\Client(ca: "$dir/b.pem"))->get($url)->status, "\n";
    $ws->close();
    echo $ws->closeCode, "\n";
});
array_map(unlink(...), glob("$dir/*"));
rmdir($dir);
?>
--EXPECTF--
ValueError: Tusk\Tls: %snone.key%s
ValueError: Tusk\Tls: %s
ValueError: Tusk\Tls::__construct(): Argument #6 ($minVersion) must be "1.2" or "1.3", "1.1" given
ValueError: Tusk\Tls: ciphers 'NO-SUCH': no cipher match
ValueError: Tusk\Tls::__construct(): Argument #4 ($sni) must be of the form name => [certificate, key]
secure
secure
refused: tls
bool(true)
still here
200
1000
