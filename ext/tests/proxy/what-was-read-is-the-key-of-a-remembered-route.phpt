--TEST--
A route is remembered under the fields that its resolver read, and never given to another client
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Proxy\{Lookup, Route, Tcp};

$a = new Backend('a');
$b = new Backend('b');

// The client's address was read: one answer for each, whatever else is different.
$resolver = new Asked(fn (Lookup $l) => Route::to(($l->peer === '127.0.0.11' ? $a : $b)->address()));
$proxy = new Tcp($resolver, '127.0.0.1:0', validation: local());
through($proxy, function (int $port) use ($resolver): void {
    foreach ([11 => 'one', 12 => 'two', 111 => 'one', 112 => 'two', 211 => 'one'] as $address => $line) {
        $peer = new Peer($port, from: '127.0.0.' . $address % 100 . ':0');
        echo ask($peer, $line), ' asked ', $resolver->times, "\n";
        echo ask($peer, 'again'), "\n";
    }
});
$stats = $proxy->stats();
echo "hits {$stats['cache_hits']} lookups {$stats['lookups']} accepted {$stats['accepted']}\n";

// Nothing was read: one answer for all. With a time of 0: none is remembered.
foreach ([60.0, 0.0] as $ttl) {
    $resolver = new Asked(fn (Lookup $l) => Route::to($a->address(), ttl: $ttl));
    $proxy = new Tcp($resolver, '127.0.0.1:0', validation: local());
    through($proxy, function (int $port): void {
        foreach (['one', 'two', 'three'] as $line) {
            ask(new Peer($port), $line);
        }
    });
    echo "asked $resolver->times\n";
}

// The port was read: everybody asks.
$resolver = new Asked(fn (Lookup $l) => $l->peerPort > 0 ? Route::to($a->address()) : throw new Error());
through(new Tcp($resolver, '127.0.0.1:0', validation: local()), function (int $port): void {
    ask(new Peer($port), 'one');
    ask(new Peer($port), 'one');
});
echo "asked $resolver->times\n";

// forget(), reload() and another resolver: asked again, and what runs goes on.
$resolver = new Asked(fn (Lookup $l) => Route::to($a->address()));
$proxy = new Tcp($resolver, '127.0.0.1:0', validation: local());
through($proxy, function (int $port) use ($proxy, $resolver, $b): void {
    $first = new Peer($port);
    echo ask($first, 'x'), ' ';
    $proxy->forget();
    ask(new Peer($port), 'x');
    $proxy->reload();
    ask(new Peer($port), 'x');
    echo "asked $resolver->times\n";
    $proxy->resolver(new Asked(fn () => Route::to($b->address())));
    echo ask(new Peer($port), 'x'), ' ', ask($first, 'y'), "\n";
});
?>
--EXPECT--
a:one asked 1
a:again
b:two asked 2
b:again
a:one asked 2
a:again
b:two asked 2
b:again
a:one asked 2
a:again
hits 3 lookups 2 accepted 5
asked 1
asked 3
asked 2
a:x asked 3
b:x a:y
