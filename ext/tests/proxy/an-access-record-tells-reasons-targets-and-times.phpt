--TEST--
An access record tells why a client was refused, which target failed it, and how long each step took
--SKIPIF--
<?php if ((int) getenv('TUSK_SLOW') >= 10) die('skip every step is slow under valgrind'); ?>
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Proxy\{Access, Http, Limits, Lookup, Refused, Route, Smtp, Tcp};
use Tusk\Timer;

$backend = new Backend('b');
$dead = '127.0.0.1:1';
$records = [];
$keep = function (Access $access) use (&$records): void { $records[] = $access; };
$wait = function (int $count) use (&$records): Access {
    until(function () use (&$records, $count): bool { return count($records) === $count; }, "record $count");
    return $records[$count - 1];
};

// By the client's address: a refusal, a dead target of two, a resolver that computes, one that waits.
$computes = fn (int $ms) => (function () use ($ms): void { for ($end = hrtime(true) + $ms * 1_000_000; hrtime(true) < $end;); })();
$resolver = new Asked(function (Lookup $l) use ($backend, $dead, $computes): Route {
    switch ($l->peer) {
        case '127.0.0.2': throw new Refused(403, 'not in May');
        case '127.0.0.3': return Route::to($dead);
        case '127.0.0.4': $computes(300); break;
        case '127.0.0.5': Timer::sleep(0.3); break;
        case '127.0.0.6': $computes(300); return Route::to([$dead, $backend->address()]);
        case '127.0.0.7': $computes(300); throw new Refused(404);
    }
    return Route::to($backend->address());
});
$proxy = new Tcp($resolver, '127.0.0.1:0', validation: local(), limits: new Limits(connectTotalMs: 200, ejectFailures: 1000));
$proxy->onAccess($keep);
through($proxy, function (int $port) use ($wait, $backend, $dead): void {
    $slow = fn (float $seconds) => $seconds >= 0.29 ? 'slow' : 'quick';
    foreach (range(2, 7) as $i => $from) {
        $began = microtime(true);
        $peer = new Peer($port, from: "127.0.0.$from:0");
        try {
            ask($peer, 'hello');
        } catch (Throwable) {
        }
        fclose($peer->stream);
        $one = $wait($i + 1);
        $target = [$backend->address() => 'backend', $dead => 'dead'][$one->target ?? ''] ?? json_encode($one->target);
        echo implode(' ', [$from, $one->status, $one->end, json_encode($one->reason), $target]),
            "; route {$slow($one->resolve)}, connection {$slow($one->connect)}, first byte {$slow($one->firstByte)}, in all {$slow($one->duration)}",
            abs($one->time - $began) < 0.25 ? '' : "; it began at $one->time instead of $began", "\n";
    }
});

$records = [];
$proxy = new Http(new Asked(fn (Lookup $l) => $l->host === 'dead' ? Route::to($dead) : throw new Refused(429, 'slower', ttl: 0)), '127.0.0.1:0', validation: local());
$proxy->onAccess($keep);
through($proxy, function (int $port) use ($wait): void {
    foreach (["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: dead\r\n\r\n", "GET /\r\n\r\n"] as $i => $request) {
        $peer = new Peer($port);
        fwrite($peer->stream, $request);
        $one = $wait($i + 1);
        echo "HTTP $one->status $one->end ", json_encode([$one->reason, $one->target], JSON_UNESCAPED_SLASHES), "\n";
        fclose($peer->stream);
    }
});

$records = [];
$proxy = new Smtp(new Asked(fn (Lookup $l) => $l->domain === 'dead.example' ? Route::to($dead) : throw new Refused(404, 'moved')), '127.0.0.1:0', validation: local());
$proxy->onAccess($keep);
through($proxy, function (int $port) use ($wait): void {
    foreach (['gone.example', 'dead.example'] as $i => $name) {
        $peer = new Peer($port);
        ask($peer, "EHLO $name\r");
        fclose($peer->stream);
        $one = $wait($i + 1);
        echo "SMTP $one->status $one->end ", json_encode([$one->reason, $one->target], JSON_UNESCAPED_SLASHES), "\n";
    }
});
?>
--EXPECT--
2 403 refused "not in May" null; route quick, connection quick, first byte quick, in all quick
3 502 the backend refuses connections null dead; route quick, connection quick, first byte quick, in all quick
4 0 done null backend; route slow, connection quick, first byte quick, in all slow
5 0 done null backend; route slow, connection quick, first byte quick, in all slow
6 0 done null backend; route slow, connection quick, first byte quick, in all slow
7 404 refused null null; route slow, connection quick, first byte quick, in all slow
HTTP 429 refused ["slower",null]
HTTP 502 refused ["the backend refuses connections","127.0.0.1:1"]
HTTP 400 refused ["protocol error",null]
SMTP 404 refused ["moved",null]
SMTP 502 the backend refuses connections [null,"127.0.0.1:1"]