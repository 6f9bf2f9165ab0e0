--TEST--
A resolver that refuses, throws, exits, waits too long or answers rubbish: its client is told, one line is logged, others go on
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Proxy\{Access, First, Limits, Lookup, Refused, Resolver, Route, Tcp};
use Tusk\Timer;

final class Fickle implements Resolver
{
    public string $mood = '';
    public bool $isOver = false;

    public function __construct(private Backend $good) {}

    public function resolve(Lookup $lookup): Route
    {
        $lookup->peerPort; // so that nothing is remembered for the next one
        return match ($this->mood) {
            'good' => Route::to($this->good->address()),
            'refuse' => throw new Refused(404, 'no such tenant'),
            'throw' => throw new RuntimeException('database is away'),
            'rubbish' => 'nowhere',
            'metadata' => Route::to($this->good->address(), ["\xff"]),
            'no number' => Route::to($this->good->address(), [NAN]),
            'exit' => exit(3),
            'slow' => $this->slow(),
        };
    }

    private function slow(): Route
    {
        Timer::sleep(2e-3 * resolveMs());
        $this->isOver = true;
        return Route::to($this->good->address());
    }
}

/** Long enough for a resolver that only computes, on a busy machine as well. */
function resolveMs(): int
{
    return (int) (300 * slow());
}

$backend = new Backend('b');
$ends = [];
$resolver = new Fickle($backend);
$proxy = new Tcp($resolver, '127.0.0.1:0', validation: local(), first: First::Server, limits: new Limits(resolveMs: resolveMs()));
$proxy->onAccess(function (Access $a) use (&$ends): void {
    $ends[] = "$a->status $a->end";
});
echo logged(function () use ($proxy, $resolver): void {
    through($proxy, function (int $port) use ($resolver): void {
        foreach (['good', 'refuse', 'refuse', 'throw', 'throw', 'rubbish', 'metadata', 'no number', 'exit', 'slow', 'good'] as $line) {
            $resolver->mood = $line;
            echo "$line -> ", ask(new Peer($port), $line), "\n";
        }
        until(fn () => $resolver->isOver, 'the slow one to come to its end, though nobody waits for it');
        echo ask(new Peer($port), 'good'), "\n";
    });
});
$stats = $proxy->stats();
echo "timeouts {$stats['lookup_timeouts']} refused {$stats['refused_resolver']} parked {$stats['parked_handlers']}\n";
sort($ends);
echo implode("\n", $ends), "\n";
?>
--EXPECTF--
good -> b:good
refuse -> 
refuse -> 
throw -> 
throw -> 
rubbish -> 
metadata -> 
no number -> 
exit -> 
slow -> 
good -> b:good
b:good
Tusk: uncaught RuntimeException: database is away in %s
Stack trace:
%A
Tusk: uncaught TypeError: Fickle::resolve(): Return value must be of type Tusk\Proxy\Route, string returned in %s
%A
Tusk: the route that Fickle::resolve() gave cannot be used: its metadata is no JSON
Tusk: the route that Fickle::resolve() gave cannot be used: its metadata is no JSON
Tusk: a handler called exit(): it ends, the proxy goes on. Write return or throw; $proxy->stop() ends the proxy: %sa-resolver-that-fails-costs-its-client-only.php:%d
timeouts 1 refused %d parked 0
0 done
0 done
0 stopped
404 refused
404 refused
500 refused
500 refused
500 refused
500 refused
500 refused
500 refused
504 refused
