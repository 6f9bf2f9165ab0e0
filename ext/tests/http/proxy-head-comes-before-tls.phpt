--TEST--
A PROXY head stands in front of the TLS handshake, as proxies send it, and names the client
--EXTENSIONS--
openssl
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Tls};
use Tusk\Http\Response;

$key = openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1']);
$certificate = openssl_csr_sign(openssl_csr_new(['commonName' => 'localhost'], $key), null, $key, 1);
$pem = tempnam(sys_get_temp_dir(), 'tusk');
openssl_x509_export($certificate, $text);
openssl_pkey_export($key, $secret);
file_put_contents($pem, $text . $secret);

$server = new Server('127.0.0.1:0', new Tls($pem, $pem), trustedProxies: ['127.0.0.1'], proxyProtocol: true);
$server->get('/', fn ($r) => Response::text("$r->remoteAddress " . ($r->secure ? 'secure' : 'plain')));

function ask(int $port, array $heads): string
{
    $peer = new Peer($port);
    foreach ($heads as $head) {
        $peer->write($head);
        Tusk\Timer::sleep(0.01);
    }
    foreach (['verify_peer', 'verify_peer_name'] as $option) {
        stream_context_set_option($peer->stream, 'ssl', $option, false);
    }
    try {
        until(fn () => ($on = @stream_socket_enable_crypto($peer->stream, true, STREAM_CRYPTO_METHOD_TLS_CLIENT)) === true
            || ($on === false && throw new Exception('no TLS')));
    } catch (Exception $e) {
        return $e->getMessage();
    }
    $peer->write("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    return substr(strstr($peer->readAll(), "\r\n\r\n"), 4);
}
talk($server, function (int $port): void {
    echo ask($port, ["PROXY TCP4 192.0.2.7 192.0.2.1 4000 443\r\n"]), "\n";
    echo ask($port, ["PROXY TCP6 2001:db8::7 ", "2001:db8::1 4000 443\r\n"]), "\n";
    echo ask($port, ["\r\n\r\n\0\r\nQUIT\n" . "\x21\x11\0\x0c" . "\xc0\0\2\x08\xc0\0\2\1" . pack('nn', 4000, 443)]), "\n";
    echo ask($port, ["PROXY NONSENSE\r\n"]), "\n";
    echo ask($port, []), "\n";
});
unlink($pem);
?>
--EXPECT--
192.0.2.7 secure
2001:db8::7 secure
192.0.2.8 secure
no TLS
no TLS
