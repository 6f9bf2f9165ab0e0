--TEST--
An HTTP proxy that ends TLS tells a resolver which protocols a client offered, and what was read is the key
--SKIPIF--
<?php if (!is_executable('/usr/bin/openssl')) die('skip the openssl command is needed'); ob_start(); phpinfo(INFO_MODULES); if (preg_match('/^TLS => not built in/m', ob_get_clean())) die('skip built without OpenSSL'); ?>
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Http\Response;
use Tusk\Proxy\{Http, Limits, Lookup, Route};
use Tusk\{Tls, Wait};

$dir = sys_get_temp_dir() . '/tusk-' . getmypid();
mkdir($dir);
exec("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -keyout $dir/key -out $dir/crt 2>/dev/null");
$resolver = new Asked(fn (Lookup $lookup): Route => Route::respond(Response::text(json_encode($lookup->alpn) . "\n")));
// Under a checker the handshake of the same turn takes seconds, and the time of a resolver begins with its turn.
$proxy = new Http($resolver, '127.0.0.1:0', tls: new Tls("$dir/crt", "$dir/key"), limits: new Limits(resolveMs: 60_000));
through($proxy, function (int $port) use ($resolver): void {
    foreach ([['-alpn', 'h2,http/1.1'], ['-alpn', 'http/1.1'], [], ['-alpn', 'h2,http/1.1']] as $alpn) {
        $client = proc_open(['openssl', 's_client', '-quiet', '-connect', "127.0.0.1:$port", ...$alpn], [['pipe', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes);
        fwrite($pipes[0], "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        stream_set_blocking($pipes[1], false);
        $text = '';
        while (!feof($pipes[1])) {
            Wait::readable($pipes[1]);
            $text .= fread($pipes[1], 8192);
        }
        proc_close($client);
        echo substr($text, strpos($text, "\r\n\r\n") + 4);
    }
    echo "asked $resolver->times times\n";
});
array_map(unlink(...), glob("$dir/*"));
rmdir($dir);
?>
--EXPECT--
"h2,http\/1.1"
"http\/1.1"
null
"h2,http\/1.1"
asked 3 times
