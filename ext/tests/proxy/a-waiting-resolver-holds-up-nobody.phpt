--TEST--
Resolvers that wait do so side by side, alike lookups ask once, and what they wait for may be an HTTP request
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Proxy\{Limits, Lookup, Route, Tcp};
use Tusk\Timer;

$backend = new Backend('b');
$waiting = 0;
$most = 0;
$resolver = new Asked(function (Lookup $l) use ($backend, &$waiting, &$most): Route {
    $peer = $l->peer;
    $most = max($most, ++$waiting);
    Timer::sleep(0.05);
    $waiting--;
    return Route::to($backend->address());
});
$proxy = new Tcp($resolver, '127.0.0.1:0', validation: local());
through($proxy, function (int $port) use ($resolver): void {
    $peers = [];
    for ($i = 0; $i < 20; $i++) {
        $peers[] = $peer = new Peer($port, from: '127.0.0.' . (11 + $i % 5) . ':0');
        $peer->write("x\n"); // alike in all but the address
    }
    foreach ($peers as $i => $peer) {
        while (!str_contains($peer->in, "\n") && $peer->fill()) {
        }
        if ($peer->in !== "b:x\n") {
            echo "$i got $peer->in\n";
        }
    }
});
echo "asked $resolver->times for 5 addresses, side by side: ", $most > 1 ? 'yes' : 'no', "\n";

// Past Limits::$lookups: refused at once, and counted.
$resolver = new Asked(function (Lookup $l) use ($backend): Route {
    $port = $l->peerPort;
    Timer::sleep(0.6); // longer than all five take to come
    return Route::to($backend->address());
});
$proxy = new Tcp($resolver, '127.0.0.1:0', validation: local(), limits: new Limits(lookups: 2));
through($proxy, function (int $port): void {
    ask(new Peer($port), 'x'); // from here on it is known which field matters
    $peers = [];
    for ($i = 0; $i < 5; $i++) {
        $peers[] = new Peer($port, from: '127.0.0.' . (11 + $i) . ':0');
    }
    echo implode(' ', array_map(fn (Peer $peer) => ask($peer, 'x') ?: '(refused)', $peers)), "\n";
});
echo $proxy->stats()['refused_lookups'], " refused\n";
?>
--EXPECT--
asked 5 for 5 addresses, side by side: yes
b:x b:x (refused) (refused) (refused)
3 refused
