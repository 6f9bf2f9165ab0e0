--TEST--
A server that is let go of with connections runs no timer in the midst of the code that did it: what such a timer threw sent that code back to where it had caught something before
--INI--
log_errors=1
--FILE--
<?php
use Tusk\{Server, Timer};
use Tusk\Http\Response;
use Tusk\Testing\Loopback;

function connected(): Loopback
{
    $server = new Server();
    $server->websocket('/ws', fn () => null);
    $loopback = new Loopback($server);
    $loopback->connect('/ws');
    return $loopback;
}

/** Whoever calls it has caught something. */
function catches(): void
{
    try {
        throw new LogicException('before');
    } catch (LogicException $thrown) {
        echo $thrown->getMessage(), ', ';
    }
}

final class Text
{
    public mixed $held;

    public function __toString(): string
    {
        $this->held = null;
        return 'text';
    }
}

ini_set('error_log', $log = __DIR__ . '/a-server-that-is-let-go-of.log');
@unlink($log);
$text = new Text();
$text->held = connected();
$other = connected();
Timer::defer(function (): void {
    echo "deferred\n";
    throw new RuntimeException('of a timer');
});
Timer::delay(0.0, fn () => print("delayed\n"));
$repeats = 0;
Timer::repeat(0.001, function (string $id) use (&$repeats): void {
    $repeats++;
    Timer::cancel($id);
});
usleep(2000);
catches();
echo strtoupper((string) $text), ', ';
$other = null;
echo "$repeats\n";
(new Loopback(new Server()))->settle(30); // which runs the loop
echo "$repeats\n", substr_count(file_get_contents($log), 'uncaught RuntimeException: of a timer'), "\n";
?>
--CLEAN--
<?php @unlink(__DIR__ . '/a-server-that-is-let-go-of.log'); ?>
--EXPECT--
before, TEXT, 0
delayed
deferred
1
1
