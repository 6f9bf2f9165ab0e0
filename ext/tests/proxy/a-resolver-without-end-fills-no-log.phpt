--TEST--
What a resolver throws out of a deep recursion takes no more than 16 KiB of the log
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Proxy\{First, Lookup, Protocol, Tcp};

function deep(int $n): never
{
    $n === 0 ? throw new RuntimeException('at the bottom') : deep($n - 1);
}

$proxy = new Tcp(new Asked(fn (Lookup $l) => deep(5000)), '127.0.0.1:0', first: First::Server, protocol: Protocol::Raw);
$log = logged(fn () => through($proxy, fn (int $port) => (new Peer($port))->readAll()));
$said = strstr($log, 'Tusk: uncaught RuntimeException: at the bottom in '); // a busy machine may have something to say before
var_dump($said !== false, strlen($log) < 17000);
echo preg_match('~ \.\.\. and \d+ bytes more$~m', (string) $said), "\n";
?>
--EXPECT--
bool(true)
bool(true)
1
