--TEST--
Whom a PROXY head names beyond perAddress is refused as one of an address too many, before TLS as well, and not counted as a handshake that failed
--EXTENSIONS--
openssl
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Server, Tls};
use Tusk\Http\Response;

$key = openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1']);
$certificate = openssl_csr_sign(openssl_csr_new(['commonName' => 'localhost'], $key), null, $key, 1);
$pem = tempnam(sys_get_temp_dir(), 'tusk');
openssl_x509_export($certificate, $text);
openssl_pkey_export($key, $secret);
file_put_contents($pem, $text . $secret);

foreach ([null, new Tls($pem, $pem)] as $tls) {
    $server = new Server('127.0.0.1:0', $tls, new Limits(perAddress: 1), trustedProxies: ['127.0.0.1'], proxyProtocol: true);
    $server->get('/', fn ($r) => Response::text("$r->remoteAddress\n"));
    talk($server, function (int $port) use ($server, $tls): void {
        $told = fn (string $counter, int $want) => until(fn () => $server->stats()[$counter] === $want, "$counter $want");
        $first = new Peer($port);
        $first->write("PROXY TCP4 192.0.2.7 192.0.2.1 4000 443\r\n");
        foreach ($tls === null ? [] : ['verify_peer', 'verify_peer_name'] as $option) {
            stream_context_set_option($first->stream, 'ssl', $option, false);
        }
        $tls === null || until(fn () => @stream_socket_enable_crypto($first->stream, true, STREAM_CRYPTO_METHOD_TLS_CLIENT) === true);
        $first->write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
        $first->readHead();
        echo $first->readBody(10);
        $second = new Peer($port);
        $second->write("PROXY TCP4 192.0.2.7 192.0.2.1 4001 443\r\n");
        echo strlen($second->readAll()), " bytes\n";
        $told('connections_per_address_refused', 1);
        $other = new Peer($port);
        $other->write("PROXY TCP4 192.0.2.8 192.0.2.1 4000 443\r\n");
        $bad = new Peer($port);
        $bad->write("PROXY NONSENSE\r\n");
        echo strlen($bad->readAll()), " bytes\n";
        $told('handshakes_refused', 1);
        $told('connections_per_address_refused', 1);
    });
}
unlink($pem);
?>
--EXPECT--
192.0.2.7
0 bytes
0 bytes
192.0.2.7
0 bytes
0 bytes
