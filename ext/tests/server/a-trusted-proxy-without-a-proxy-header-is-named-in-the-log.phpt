--TEST--
A trusted proxy that sends no PROXY header, with TLS and without, is named in the log, once for many; one that only looks whether the port is open is not
--EXTENSIONS--
openssl
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\Response;
use Tusk\{Limits, Server, Tls};

$key = openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1']);
$certificate = openssl_csr_sign(openssl_csr_new(['commonName' => 'localhost'], $key), null, $key, 1);
$pem = tempnam(sys_get_temp_dir(), 'tusk');
openssl_x509_export($certificate, $text);
openssl_pkey_export($key, $secret);
file_put_contents($pem, $text . $secret);
$log = tempnam(sys_get_temp_dir(), 'tusk');
ini_set('error_log', $log);

foreach (['plain' => null, 'TLS' => new Tls($pem, $pem)] as $name => $tls) {
    foreach (['request' => "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 'hello' => "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03" . str_repeat('x', 40), 'nonsense' => "PROXY NONSENSE\r\n", 'nothing' => ''] as $what => $first) {
        file_put_contents($log, '');
        $server = new Server('127.0.0.1:0', $tls, limits: new Limits(slowHandlerMs: 0), trustedProxies: ['127.0.0.1'], proxyProtocol: true);
        $server->get('/', fn () => Response::text('served'));
        talk($server, function (int $port) use ($server, $first): void {
            for ($i = 1; $i <= 5; $i++) {
                $peer = new Peer($port);
                if ($first === '') {
                    unset($peer);
                    until(fn () => $server->stats()['connections_total'] === $i && $server->stats()['connections_open'] === 0);
                } else {
                    $peer->write($first);
                    until(fn () => $server->stats()['handshakes_refused'] === $i);
                }
            }
        });
        echo "$name ", $what, ': ', trim(preg_replace('/^\[.*?\] /m', '', file_get_contents($log))), "\n";
    }
}
unlink($log);
unlink($pem);
?>
--EXPECT--
plain request: Tusk: no valid PROXY header from 127.0.0.1, a trusted proxy that has to send one: refused
plain hello: Tusk: no valid PROXY header from 127.0.0.1, a trusted proxy that has to send one: refused
plain nonsense: Tusk: no valid PROXY header from 127.0.0.1, a trusted proxy that has to send one: refused
plain nothing: 
TLS request: Tusk: no valid PROXY header from 127.0.0.1, a trusted proxy that has to send one: refused
TLS hello: Tusk: no valid PROXY header from 127.0.0.1, a trusted proxy that has to send one: refused
TLS nonsense: Tusk: no valid PROXY header from 127.0.0.1, a trusted proxy that has to send one: refused
TLS nothing: 
