--TEST--
A resolver that computes without end gets an exception after resolveMs: its client is refused, one line is logged, others go on
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Proxy\{Limits, Lookup, Route, Tcp};

$backend = new Backend('b');
$resolver = new Asked(function (Lookup $l) use ($backend): Route {
    if ($l->peer === '127.0.0.9') {
        while (true) {
        }
    }
    return Route::to($backend->address());
});
$proxy = new Tcp($resolver, '127.0.0.1:0', validation: local(), limits: new Limits(resolveMs: 1000));
$log = logged(fn () => through($proxy, function (int $port): void {
    echo ask(new Peer($port, from: '127.0.0.9:0'), 'x') ?: '(refused)', "\n";
    echo ask(new Peer($port, from: '127.0.0.7:0'), 'x'), "\n";
}));
echo substr_count($log, 'A resolver computed for longer than Limits::$resolveMs'), "\n";
?>
--EXPECT--
(refused)
b:x
1
