--TEST--
Route's idle time: null is that of the limits, a number is its own, 0 is for ever
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Proxy\{Access, First, Limits, Lookup, Route, Tcp};

$backend = new Backend('b');
$timeout = null;
$resolver = new Asked(function (Lookup $lookup) use ($backend, &$timeout): Route {
    $lookup->peerPort; // so that nothing is remembered for the next one
    return Route::to($backend->address(), idleTimeout: $timeout);
});
$proxy = new Tcp($resolver, '127.0.0.1:0', validation: local(), first: First::Server, limits: new Limits(idleMs: 150));
$ends = [];
$proxy->onAccess(function (Access $a) use (&$ends): void {
    $ends[] = $a->end;
});
through($proxy, function (int $port) use (&$timeout, &$ends): void {
    $timeout = 0.0;
    $for_ever = new Peer($port);
    echo ask($for_ever, 'zero'), "\n";
    foreach ([null, 0.05] as $timeout) {
        $one = new Peer($port);
        echo ask($one, json_encode($timeout)), "\n";
        $one->readAll(); // until it is closed
        echo array_shift($ends), "\n";
    }
    echo ask($for_ever, 'still there'), "\n";
});
echo $ends[0] === 'idle' ? 'idle' : 'never idle', "\n";
?>
--EXPECT--
b:zero
b:null
idle
b:0.05
idle
b:still there
never idle
