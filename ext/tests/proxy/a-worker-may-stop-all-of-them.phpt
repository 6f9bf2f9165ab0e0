--TEST--
stop() in a worker stops the proxy; a loop that has connections already is not forked; another proxy can follow
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/workers.inc';
use Tusk\Proxy\Http;

$doing = new Doing();
$proxy = new Http($doing, workers: 2);
$doing->of($proxy);
beside($proxy, function (int $port, int $master): void {
    get($port, '/stop');
    until(fn () => @stream_socket_client("tcp://127.0.0.1:$port") === false, 'the sockets to close');
}, stops: false);
$other = new Http($doing, workers: 2);
$doing->of($other);
beside($other, fn (int $port) => print('workers ' . implode(', ', array_keys(whoAre($port, 2))) . "\n"));
?>
--EXPECT--
run: 0
the application waits for its own child: found
workers 0, 1
run: 0
the application waits for its own child: found
