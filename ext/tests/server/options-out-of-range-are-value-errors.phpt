--TEST--
Options out of range and unknown keys are ValueErrors that name the value
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Server, ServerOptions};

attempt(fn () => new Server(['maxMessageSize' => 0]));
attempt(fn () => new Server(['maxConnections' => -5]));
attempt(fn () => new Server(['pongTimeoutMs' => '10']));
attempt(fn () => new Server(['nope' => 1]));
attempt(fn () => new Server([1]));
attempt(fn () => new Server('x'));
attempt(fn () => new ServerOptions(0));
attempt(fn () => new ServerOptions(idleTimeoutMs: 0));
attempt(fn () => new ServerOptions(pingIntervalMs: -1));
attempt(fn () => new ServerOptions(nope: 1));
attempt(fn () => new ServerOptions(1, 2, 3, 4, 5, 6, 7, 8));
attempt(fn () => new Tusk\Limits(headFields: 1000));
attempt(fn () => new Tusk\Limits(parkedHandlers: 40000));
attempt(fn () => new Tusk\Limits(unfinishedMs: 0));
attempt(fn () => new Tusk\Limits(heartbeatMs: -1));
attempt(fn () => new Tusk\Limits(historyBytes: 65535));
attempt(fn () => new Tusk\WebSocket\Deflate(serverMaxWindowBits: 8));
$o = new ServerOptions(pingIntervalMs: 5000);
echo json_encode(get_object_vars($o)), "\n";
attempt(function () use ($o) { $o->maxConnections = 1; });
attempt(fn () => $o->__construct(1));
new Server($o);
new Server(['pingIntervalMs' => 0]);
new Server();
?>
--EXPECT--
ValueError: Tusk\WebSocket\Server::__construct(): Argument #1 ($options) must have maxMessageSize between 1 and 1099511627776, 0 given
ValueError: Tusk\WebSocket\Server::__construct(): Argument #1 ($options) must have maxConnections between 1 and 1000000000, -5 given
ValueError: Tusk\WebSocket\Server::__construct(): Argument #1 ($options) must have an integer as pongTimeoutMs, string given
ValueError: Tusk\WebSocket\Server::__construct(): Argument #1 ($options) must not have the unknown option "nope"; there are maxMessageSize, maxQueuedBytes, maxConnections, handshakeTimeoutMs, idleTimeoutMs, pingIntervalMs, pongTimeoutMs
ValueError: Tusk\WebSocket\Server::__construct(): Argument #1 ($options) must not have the unknown option "(a number)"; there are maxMessageSize, maxQueuedBytes, maxConnections, handshakeTimeoutMs, idleTimeoutMs, pingIntervalMs, pongTimeoutMs
TypeError: Tusk\WebSocket\Server::__construct(): Argument #1 ($options) must be of type Tusk\WebSocket\ServerOptions|array, string given: where to listen is said by listen('127.0.0.1', 8080)
ValueError: Tusk\WebSocket\ServerOptions::__construct(): Argument #1 ($maxMessageSize) must be between 1 and 1099511627776, 0 given
ValueError: Tusk\WebSocket\ServerOptions::__construct(): Argument #5 ($idleTimeoutMs) must be between 1 and 2000000000, 0 given
ValueError: Tusk\WebSocket\ServerOptions::__construct(): Argument #6 ($pingIntervalMs) must be between 0 and 2000000000, -1 given
Error: Unknown named parameter $nope
ArgumentCountError: Tusk\WebSocket\ServerOptions::__construct() expects at most 7 arguments, 8 given
ValueError: Tusk\Limits::__construct(): Argument #14 ($headFields) must be between 1 and 128, 1000 given
ValueError: Tusk\Limits::__construct(): Argument #26 ($parkedHandlers) must be between 1 and 30000, 40000 given
ValueError: Tusk\Limits::__construct(): Argument #7 ($unfinishedMs) must be between 1 and 2000000000, 0 given
ValueError: Tusk\Limits::__construct(): Argument #24 ($heartbeatMs) must be between 0 and 2000000000, -1 given
ValueError: Tusk\Limits::__construct(): Argument #25 ($historyBytes) must be between 65536 and 1099511627776, 65535 given
ValueError: Tusk\WebSocket\Deflate::__construct(): Argument #3 ($serverMaxWindowBits) must be between 9 and 15, 8 given
{"maxMessageSize":16777216,"maxQueuedBytes":16777216,"maxConnections":10000,"handshakeTimeoutMs":10000,"idleTimeoutMs":120000,"pingIntervalMs":5000,"pongTimeoutMs":10000}
Error: Cannot modify readonly property Tusk\WebSocket\ServerOptions::$maxConnections
Error: Tusk\WebSocket\ServerOptions is readonly once it is made
