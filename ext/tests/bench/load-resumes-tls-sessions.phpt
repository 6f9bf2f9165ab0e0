--TEST--
Load: tls-resume offers the last session again, without it every handshake is a full one
--SKIPIF--
<?php if (!is_executable('/usr/bin/openssl')) die('skip the openssl command is needed'); ob_start(); phpinfo(INFO_MODULES); if (preg_match('/^TLS => not built in/m', ob_get_clean())) die('skip built without OpenSSL'); ?>
--FILE--
<?php
use Tusk\Bench\{EchoServer, Load};

$files = [tempnam(sys_get_temp_dir(), 'tusk'), tempnam(sys_get_temp_dir(), 'tusk')];
exec("/usr/bin/openssl req -x509 -newkey rsa:2048 -nodes -keyout $files[1] -out $files[0] -days 2 -subj /CN=127.0.0.1"
    . ' -addext subjectAltName=IP:127.0.0.1 2>/dev/null');
$server = new EchoServer('ws', options: ['tls-certificate' => $files[0], 'tls-key' => $files[1]]);
foreach ([false, true] as $resume) {
    $load = new Load('ws-handshake', "wss://127.0.0.1:{$server->port()}/", ['tls-ca' => $files[0], 'tls-resume' => $resume, 'workers' => 1,
        'connections' => 1, 'count' => 20, 'warmup' => 0, 'hiccup' => false]);
    $load->start();
    while ($load->poll(5)) {
    }
    $c = $load->counters();
    printf("resume %s: %d of %d resumed; %s\n", json_encode($resume), $c['resumed_tls'], $c['connected'],
        preg_match('/^(TLS_|ECDHE)/', $load->facts()['tls_cipher']) ? 'a cipher is told' : $load->facts()['tls_cipher']);
}
array_map(unlink(...), $files);
?>
--EXPECT--
resume false: 0 of 20 resumed; a cipher is told
resume true: 19 of 20 resumed; a cipher is told
