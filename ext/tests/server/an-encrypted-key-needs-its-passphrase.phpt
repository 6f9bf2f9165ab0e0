--TEST--
passphrase: opens encrypted keys, of sni too; without it or with another one the message tells the file and the remedy
--SKIPIF--
<?php if (!is_executable('/usr/bin/openssl')) die('skip the openssl command is needed'); ob_start(); phpinfo(INFO_MODULES); if (preg_match('/^TLS => not built in/m', ob_get_clean())) die('skip built without OpenSSL'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Tls};
use Tusk\Http\Response;

$dir = __DIR__ . '/passphrase.tmp';
@mkdir($dir);
foreach (['a' => 'localhost', 'b' => 'other.example'] as $name => $cn) {
    exec("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=$cn -addext subjectAltName=DNS:$cn,IP:127.0.0.1"
        . " -keyout $dir/$name.plain -out $dir/$name.pem 2>/dev/null && openssl pkey -in $dir/$name.plain -aes256 -passout pass:open-sesame -out $dir/$name.key 2>/dev/null");
}
$try = function (mixed ...$options) use ($dir): void {
    try {
        new Tls("$dir/a.pem", "$dir/a.key", ...$options);
        echo "nothing thrown\n";
    } catch (ValueError $e) {
        echo str_replace($dir, 'DIR', $e->getMessage()), "\n";
    }
};
$try();
$try(passphrase: 'open barley');
$try(passphrase: '');
$try(passphrase: 'open-sesame', sni: ['other.example' => ["$dir/a.pem", "$dir/b.key"]]);
$server = new Server('127.0.0.1:0', tls: new Tls("$dir/a.pem", "$dir/a.key", passphrase: 'open-sesame', sni: ['other.example' => ["$dir/b.pem", "$dir/b.key"]]));
$server->get('/', fn () => Response::text('opened'));
talk($server, function (int $port) use ($dir, $server): void {
    $url = "https://127.0.0.1:$port/";
    echo (new Tusk\Http\Client(ca: "$dir/a.pem"))->get($url)->body, "\n";
    $server->reloadCertificates(); // with the same passphrase
    echo (new Tusk\Http\Client(ca: "$dir/a.pem"))->get($url)->body, "\n";
});
array_map(unlink(...), glob("$dir/*"));
rmdir($dir);
?>
--EXPECTF--
Tusk\Tls: key file 'DIR/a.key': not a usable PEM key (%s); if it is encrypted, give its passphrase
Tusk\Tls: key file 'DIR/a.key': not a usable PEM key, or the passphrase is another one (%s); 'openssl pkey -noout -in FILE' asks for the right one
Tusk\Tls: key file 'DIR/a.key': not a usable PEM key, or the passphrase is another one (%s); 'openssl pkey -noout -in FILE' asks for the right one
Tusk\Tls::__construct(): Argument #4 ($sni) has no usable certificate for "other.example": key file 'DIR/b.key': does not belong to certificate file 'DIR/a.pem'; give the key that this certificate was made for
opened
opened
