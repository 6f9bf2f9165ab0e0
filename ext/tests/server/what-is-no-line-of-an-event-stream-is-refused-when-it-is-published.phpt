--TEST--
An event type or id that is no line of an event stream is refused where it is given: nobody's stream ends by what another one published
--FILE--
<?php
use Tusk\Sse\EventStream;
use Tusk\Testing\Loopback;

function attempt(string $what, Closure $call): void
{
    try {
        $call();
        echo "$what: taken\n";
    } catch (ValueError $e) {
        echo "$what: {$e->getMessage()}\n";
    }
}

$server = new Tusk\Server();
$own = null;
$server->events('/', function (EventStream $s) use (&$own): void {
    $s->subscribe('news');
    $own = $s;
});
$loopback = new Loopback($server);
$events = $loopback->events('/');
foreach (["\xff", "a\nb", "a\rb", "a\0b"] as $i => $bad) {
    attempt("event $i", fn () => $server->publish('news', 'x', event: $bad));
    attempt("id $i", fn () => $server->publish('news', 'x', id: $bad));
    attempt("own event $i", fn () => $own->send('x', $bad));
    attempt("own id $i", fn () => $own->send('x', null, $bad));
    attempt("comment $i", fn () => $own->comment($bad));
}
$server->publish('news', 'good', event: 'ü');
$loopback->settle();
echo $events->receive()?->data, ' ', var_export($events->isOpen(), true), "\n";
?>
--EXPECTREGEX--
(?:(?:(?:own )?(?:event|id)|comment) \d: Tusk\\(?:Server::publish|Sse\\EventStream::(?:send|comment))\(\): Argument #\d \(\$(?:event|id|text)\) must be valid UTF-8 without CR, LF or NUL\n){20}good true
