--TEST--
A task that was submitted does not begin in the midst of what lets go of a server with connections
--FILE--
<?php
use Tusk\Parallel\Async;
use Tusk\Server;
use Tusk\Testing\Loopback;

$server = new Server([]);
$server->websocket('/', open: function (): void {});
$loopback = new Loopback($server);
$client = $loopback->connect('/');

$tasks = (new Async())->submit([function (): string {
    echo "begun\n";
    return 'done';
}]);
unset($server, $client, $loopback);
echo "gone\n";
echo $tasks[0]->await(), "\n";
?>
--EXPECT--
gone
begun
done
