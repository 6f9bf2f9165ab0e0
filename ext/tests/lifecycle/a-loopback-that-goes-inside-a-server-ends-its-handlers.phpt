--TEST--
A handler that waits hears that its server stops when a Loopback is let go inside another server; its own server goes with the last of them
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Testing\Loopback;
use Tusk\Timer;

/** Two of one server. */
function loopbacks(string $name): array
{
    $server = new Tusk\Server();
    $kept = new Kept($name);
    $server->get('/', fn () => $kept);
    $server->websocket('/', open: function ($connection) use ($name): void {
        try {
            Timer::sleep(100);
            echo "$name slept\n";
        } catch (Tusk\Exception $e) {
            echo "$name: ", $e->getMessage(), "\n";
            try {
                Timer::sleep(100);
            } catch (Tusk\Exception) {
                echo "$name: nor may it wait again\n";
            }
        }
    });
    return [new Loopback($server), new Loopback($server)];
}

// Destroyed with its server.
final class Kept
{
    public static bool $gone = false;

    public function __construct(private string $name) {}

    public function __destruct()
    {
        self::$gone = true;
        echo "$this->name: its server is gone\n";
    }
}

$other = new Tusk\Server('127.0.0.1:0');
$loopbacks = loopbacks("second");
$client = $loopbacks[0]->connect('/');
$other->onStart(function () use ($other): void {
    $GLOBALS["client"] = $GLOBALS["loopbacks"] = null;
    echo "second: let go\n";
    until(fn () => Kept::$gone, 'its server to go');
    echo "the other server goes on\n";
    $other->stop();
});
$other->run();
?>
--EXPECT--
second: let go
second: The server stops: this handler waited too long
second: nor may it wait again
second: its server is gone
the other server goes on
