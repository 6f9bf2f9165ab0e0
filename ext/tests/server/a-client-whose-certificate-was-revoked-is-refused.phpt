--TEST--
A client whose certificate is on a list of its authority (clientCrl) is refused in the handshake by an alert that says so; a list that changes counts from the reload on
--SKIPIF--
<?php if (!is_executable('/usr/bin/openssl')) die('skip the openssl command is needed'); ob_start(); phpinfo(INFO_MODULES); if (preg_match('/^TLS => not built in/m', ob_get_clean())) die('skip built without OpenSSL'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Tls, Wait};
use Tusk\Http\{Request, Response};

$dir = __DIR__ . '/revoked.tmp';
@mkdir($dir);
file_put_contents("$dir/ca.cnf", "[ca]\ndefault_ca=d\n[d]\ndatabase=$dir/index\ndefault_md=sha256\n");
touch("$dir/index");
$openssl = function (string $command) use ($dir): void {
    exec("cd $dir && openssl $command 2>&1", $said, $code);
    $code === 0 ?: print("$command: " . implode("\n", $said) . "\n");
};
$ec = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
$openssl("req -x509 $ec -days 2 -subj /CN=ca -keyout ca.key -out ca.pem");
foreach (['good', 'gone'] as $name) {
    $openssl("req $ec -subj /CN=$name -keyout $name.key -out $name.csr");
    $openssl("x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out $name.pem");
}
$openssl('ca -config ca.cnf -cert ca.pem -keyfile ca.key -gencrl -crldays 2 -out ca.crl');
attempt(fn () => new Tls("$dir/good.pem", "$dir/good.key", clientCrl: "$dir/ca.crl"));
attempt(fn () => new Tls("$dir/good.pem", "$dir/good.key", clientCa: "$dir/ca.pem", clientCrl: "$dir/ca.key"));
$server = new Server('127.0.0.1:0', tls: new Tls("$dir/good.pem", "$dir/good.key", clientCa: "$dir/ca.pem", clientCrl: "$dir/ca.crl"));
$server->get('/', fn (Request $r) => Response::text('Good day, ' . $r->tls()->clientCertificate->commonName));
talk($server, function (int $port) use ($dir, $server, $openssl): void {
    $ask = function (string $name) use ($dir, $port): void {
        $client = proc_open(['openssl', 's_client', '-quiet', '-connect', "127.0.0.1:$port", '-cert', "$dir/$name.pem", '-key', "$dir/$name.key"],
            [['pipe', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
        fwrite($pipes[0], "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        for ($said = ''; !feof($pipes[1]); $said .= fread($pipes[1], 8192)) {
            Wait::readable($pipes[1]);
        }
        array_map(fclose(...), $pipes);
        proc_close($client);
        echo $name, ': ', preg_match('~Good day, \w+|alert certificate revoked~', $said, $found) === 1 ? $found[0] : $said, "\n";
    };
    $ask('gone');
    $openssl('ca -config ca.cnf -cert ca.pem -keyfile ca.key -revoke gone.pem');
    $openssl('ca -config ca.cnf -cert ca.pem -keyfile ca.key -gencrl -crldays 2 -out ca.crl');
    $server->reloadCertificates();
    $ask('gone');
    $ask('good');
});
array_map(unlink(...), glob("$dir/*"));
rmdir($dir);
?>
--EXPECTF--
ValueError: Tusk\Tls::__construct(): Argument #9 ($clientCrl) must be null without $clientCa: nobody is asked for a certificate
ValueError: Tusk\Tls: CRL file '%sca.key': no usable PEM list (%s); it has to hold lists of revoked certificates ('openssl crl -inform DER' makes PEM of what is DER)
gone: Good day, gone
gone: alert certificate revoked
good: Good day, good
