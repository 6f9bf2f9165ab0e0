--TEST--
TlsMode::Require on a listener without a certificate is a ValueError: it would let everybody in
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Proxy\{Route, Smtp, Tcp, TlsMode};

$nowhere = new Asked(fn () => Route::to('127.0.0.1:1'));
foreach ([
    fn () => new Tcp($nowhere, '127.0.0.1:0', downstream: TlsMode::Require),
    fn () => new Smtp($nowhere, ['127.0.0.1:0'], downstream: TlsMode::Require),
    fn () => (new Tcp($nowhere))->listen('127.0.0.1:1', downstream: TlsMode::Require),
    fn () => (new Smtp($nowhere, downstream: TlsMode::Require))->listen('127.0.0.1:2'),
] as $make) {
    try {
        $make();
        echo "taken\n";
    } catch (ValueError $e) {
        echo $e->getMessage(), "\n";
    }
}
new Tcp($nowhere, downstream: TlsMode::Require); // its listeners may bring certificates along
?>
--EXPECT--
TlsMode::Require needs a certificate (tls: new Tls(…)) for "127.0.0.1:0"
TlsMode::Require needs a certificate (tls: new Tls(…)) for "127.0.0.1:0"
TlsMode::Require needs a certificate (tls: new Tls(…)) for "127.0.0.1:1"
TlsMode::Require needs a certificate (tls: new Tls(…)) for "127.0.0.1:2"
