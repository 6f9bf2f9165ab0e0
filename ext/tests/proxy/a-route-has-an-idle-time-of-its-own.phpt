--TEST--
Route's idle time: null is that of the limits, a number is its own, 0 is for ever
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Proxy\{Access, First, Limits, Lookup, Route, Tcp};

$backend = new Backend('b');
$timeout = null;
$ends = [];
/** A proxy whose sessions may be idle for so long, where the route does not say otherwise. */
$proxy = function (int $idle_ms) use ($backend, &$timeout, &$ends): Tcp {
    $resolver = new Asked(function (Lookup $lookup) use ($backend, &$timeout): Route {
        $lookup->peerPort; // so that nothing is remembered for the next one
        return Route::to($backend->address(), idleTimeout: $timeout);
    });
    $proxy = new Tcp($resolver, '127.0.0.1:0', validation: local(), first: First::Server, limits: new Limits(idleMs: $idle_ms));
    $proxy->onAccess(function (Access $a) use (&$ends): void {
        $ends[] = $a->end;
    });
    return $proxy;
};
// Who waits for its own end says nothing before: however slow the machine is, nothing comes between.
through($proxy(50), function (int $port) use (&$timeout, &$ends): void {
    $timeout = 0.0;
    $for_ever = new Peer($port);
    echo ask($for_ever, 'zero'), "\n";
    $timeout = null;
    (new Peer($port))->readAll(); // until it is closed
    echo 'null of 50 ms: ', implode(', ', $ends), "\n";
    echo ask($for_ever, 'still there'), "\n"; // it was silent before the other one was there
});
$ends = [];
through($proxy(3_600_000), function (int $port) use (&$timeout, &$ends): void {
    $timeout = 0.05;
    (new Peer($port))->readAll();
    echo '50 ms of an hour: ', implode(', ', $ends), "\n";
});
?>
--EXPECT--
b:zero
null of 50 ms: idle
b:still there
50 ms of an hour: idle
