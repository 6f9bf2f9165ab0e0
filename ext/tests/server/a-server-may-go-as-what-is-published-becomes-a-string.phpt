--TEST--
A server may go in the midst of a publish(), as what is published becomes a string
--FILE--
<?php
use Tusk\Server;
use Tusk\Testing\Loopback;
use Tusk\WebSocket\Connection;

$kept = null;
$server = new Server([]);
$server->websocket('/', open: function (Connection $connection) use (&$kept): void {
    $kept = $connection;
});
$loopback = new Loopback($server);
$client = $loopback->connect('/');

$leaving = new class {
    public function __toString(): string
    {
        global $loopback, $client, $server;
        $loopback = $client = $server = null;
        return 'last words';
    }
};
foreach ([$leaving, 'afterwards'] as $said) {
    try {
        $kept->publish('all', $said);
    } catch (Error $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
}
?>
--EXPECT--
Error: The server is gone
Error: The server is gone
