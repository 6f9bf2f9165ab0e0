--TEST--
A Loopback settles: timers that are due by then run, those that repeat or come later are not waited for
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};
use Tusk\Http\Response;
use Tusk\Testing\Loopback;

$server = new Server();
$said = [];
$server->get('/', function () use (&$said): Response {
    $said[] = 'asked';
    Timer::delay(0.05, function () use (&$said): void {
        $said[] = 'due';
        Timer::delay(0.05, function () use (&$said): void {
            $said[] = 'and what it began';
        });
    });
    return Response::text('');
});
$loopback = new Loopback($server);
$loopback->request('GET', '/');
$loopback->settle(60);
echo implode(', ', $said), "\n";

$runs = 0;
Timer::repeat(0.001, function () use (&$runs): void { $runs++; });
Timer::delay(100, fn () => print("late\n"));
$begun = microtime(true);
$loopback->settle(60);
echo microtime(true) - $begun < 30 ? "not waited for\n" : "waited for\n";
echo $runs > 0 ? "repeats\n" : "never ran\n";
?>
--EXPECT--
asked, due, and what it began
not waited for
repeats
