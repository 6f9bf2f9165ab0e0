--TEST--
Load: over TLS, with the certificate checked, not checked, and refused
--SKIPIF--
<?php if (!is_executable('/usr/bin/openssl')) die('skip the openssl command is needed'); ob_start(); phpinfo(INFO_MODULES); if (preg_match('/^TLS => not built in/m', ob_get_clean())) die('skip built without OpenSSL'); ?>
--FILE--
<?php
use Tusk\Bench\{EchoServer, Load};

$files = [tempnam(sys_get_temp_dir(), 'tusk'), tempnam(sys_get_temp_dir(), 'tusk')];
exec("/usr/bin/openssl req -x509 -newkey rsa:2048 -nodes -keyout $files[1] -out $files[0] -days 2 -subj /CN=localhost"
    . ' -addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>/dev/null');
$tls = ['tls-certificate' => $files[0], 'tls-key' => $files[1]];
$ws = new EchoServer('ws', options: $tls);
$http = new EchoServer('http', options: $tls);
foreach ([
    ['ws-echo', "wss://127.0.0.1:{$ws->port()}/", ['tls-ca' => $files[0], 'verify' => true]],
    ['ws-echo', "wss://127.0.0.1:{$ws->port()}/", ['tls-insecure' => true, 'verify' => true, 'size' => '100KiB', 'pipeline' => 3]],
    ['ws-echo', "wss://127.0.0.1:{$ws->port()}/", []],
    ['ws-echo', "wss://127.0.0.1:{$ws->port()}/", ['tls-ca' => $files[0], 'tls-server-name' => 'example.org']],
    // not by the name "localhost", which is ::1 first where the servers are not
    ['ws-handshake', "wss://127.0.0.1:{$ws->port()}/", ['tls-ca' => $files[0], 'tls-server-name' => 'localhost']],
    ['http', "https://127.0.0.1:{$http->port()}/", ['tls-ca' => $files[0], 'tls-server-name' => 'localhost', 'pipeline' => 5]],
    ['ws-echo', "wss://127.0.0.1:" . (new EchoServer('tcp', options: ['serve' => 'source']))->port() . '/', ['tls-insecure' => true]],
] as [$mode, $url, $options]) {
    $load = new Load($mode, $url, $options + ['count' => 100, 'warmup' => 0, 'hiccup' => false]);
    $load->start();
    while ($load->poll(5)) {
    }
    $c = $load->counters();
    printf("%s: completed %d, wrong %d, TLS failed %s, %s %s\n", $mode, $c['completed'], $c['wrong'],
        json_encode($c['failed_tls'] + $c['failed_refused'] + $c['failed_reset'] > 0),
        preg_replace('~v1\.[23]~', '', $load->facts()['tls_version']), $mode === 'ws-handshake' ? $load->histogram('tls')->count() . ($load->histogram('tls')->min() > 0 ? ', each took time' : '') : '');
}
array_map(unlink(...), $files);
?>
--EXPECT--
ws-echo: completed 100, wrong 0, TLS failed false, TLS 
ws-echo: completed 100, wrong 0, TLS failed false, TLS 
ws-echo: completed 0, wrong 0, TLS failed true,  
ws-echo: completed 0, wrong 0, TLS failed true,  
ws-handshake: completed 100, wrong 0, TLS failed false, TLS 100, each took time
http: completed 100, wrong 0, TLS failed false, TLS 
ws-echo: completed 0, wrong 0, TLS failed true,  
