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
// A busy machine may have something to say before and after.
var_dump(preg_match('~^Tusk: uncaught RuntimeException: at the bottom in .*? \.\.\. and \d+ bytes more$~ms', $log, $said), strlen($said[0] ?? '') < 17000);
?>
--EXPECT--
int(1)
bool(true)
