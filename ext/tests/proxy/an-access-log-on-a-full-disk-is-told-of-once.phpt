--TEST--
AccessLog: what cannot be written is told once, and sessions go on
--SKIPIF--
<?php
if (!file_exists('/dev/full')) {
    die('skip no /dev/full');
}
?>
--FILE--
<?php
require __DIR__ . '/proxy.inc';
require __DIR__ . '/../../../php/src/Proxy/AccessLog.php';
use Tusk\Proxy\{AccessLog, Route, Tcp};

$backend = new Backend('b');
$proxy = new Tcp(new Asked(fn () => Route::to($backend->address())), '127.0.0.1:0', validation: local());
$write = AccessLog::to('/dev/full');
$told = 0;
$proxy->onAccess(function ($access) use ($write, &$told): void {
    $write($access);
    $told++;
});
echo logged(function () use ($proxy, &$told): void {
    through($proxy, function (int $port) use (&$told): void {
        foreach ([1, 2, 3] as $n) {
            $peer = new Peer($port);
            echo ask($peer, "session $n"), "\n";
            fclose($peer->stream);
            until(function () use (&$told, $n): bool {
                return $told === $n;
            }, 'its record');
        }
    });
});
?>
--EXPECTF--
b:session 1
b:session 2
b:session 3
Tusk: the access log /dev/full cannot be written, records are lost: %s
