--TEST--
What a proxy cannot do with is refused where it is given
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Proxy\{Http, Route, Tcp};

$resolver = new Asked(fn () => Route::to('a:1'));
attempt(fn () => new Tcp($resolver, 'nonsense'));
attempt(fn () => new Tcp($resolver, ["127.0.0.1:0\0"]));
attempt(fn () => new Tcp($resolver, [7]));
attempt(fn () => new Tcp($resolver, 7));
attempt(fn () => new Tcp($resolver, '127.0.0.1:0', trustedProxies: ['x']));
attempt(fn () => new Tcp($resolver, '127.0.0.1:0', workers: 0));
attempt(fn () => new Http($resolver, '127.0.0.1:0', workers: 65));
attempt(fn () => new Tcp($resolver, mysqlVersion: ''));
attempt(fn () => (new Tcp($resolver))->listen('127.0.0.1:0', mysqlVersion: str_repeat('8', 64)));
attempt(fn () => (new Tcp($resolver))->run());
attempt(fn () => (new Tcp($resolver, '127.0.0.1:0'))->admin('nonsense'));
attempt(fn () => clone new Tcp($resolver));
$held = stream_socket_server('tcp://127.0.0.1:0');
$name = stream_socket_get_name($held, false);
try {
    (new Tcp($resolver, $name))->run();
} catch (Tusk\Exception $e) {
    echo str_contains($e->getMessage(), $name) ? "the message names the address\n" : $e->getMessage();
}
$proxy = new Tcp($resolver, 'localhost:0');
through($proxy, function () use ($proxy): void {
    attempt(fn () => $proxy->listen('127.0.0.1:0'));
    attempt(fn () => $proxy->admin('127.0.0.1:0'));
    attempt(fn () => $proxy->run());
});
attempt(fn () => $proxy->run());
var_dump($proxy->health('10.0.0.1:1'), $proxy->port > 0);
?>
--EXPECT--
ValueError: Tusk\Proxy\Tcp cannot listen on "nonsense": give "127.0.0.1:5432", "[::1]:5432", "*:5432" or "unix:/run/proxy.sock"
ValueError: An address must not contain any null bytes
TypeError: Tusk\Proxy\Tcp::__construct(): Argument #2 ($listen) must be a list of strings, int found
TypeError: Tusk\Proxy\Tcp::__construct(): Argument #2 ($listen) must be of type array|string, int given: an address is "127.0.0.1:8080"
ValueError: Tusk\Proxy\Tcp: no address or range of a trusted proxy: x
ValueError: Tusk\Proxy\Tcp::__construct(): Argument #14 ($workers) must be between 1 and 64, 0 given
ValueError: Tusk\Proxy\Http::__construct(): Argument #10 ($workers) must be between 1 and 64, 65 given
ValueError: Tusk\Proxy\Tcp::__construct(): Argument #16 ($mysqlVersion) must have 1 to 63 bytes, none of them null
ValueError: Tusk\Proxy\Tcp::listen(): Argument #7 ($mysqlVersion) must have 1 to 63 bytes, none of them null
LogicException: The proxy listens nowhere: give an address or call listen() before run()
ValueError: Tusk\Proxy\Tcp::admin(): Argument #1 ($address) must be an address such as "127.0.0.1:9100"
Error: Trying to clone an uncloneable object of class Tusk\Proxy\Tcp
the message names the address
LogicException: Listeners are given before run()
LogicException: Listeners are given before run()
LogicException: The proxy runs already
LogicException: A proxy runs only once
NULL
bool(true)
