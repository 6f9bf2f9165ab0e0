--TEST--
The three constructors check each parameter by one rule, name it by its number in each, and take them by name in any order
--EXTENSIONS--
tusk
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Proxy\{Http, Lookup, Resolver, Route, Smtp, Tcp, TlsMode};

$r = new class implements Resolver {
    public function resolve(Lookup $lookup): Route
    {
        return Route::to('a:1');
    }
};
attempt(fn () => new Http());
attempt(fn () => new Http(5));
attempt(fn () => new Http($r, [], 5));
attempt(fn () => new Tcp($r, [], null));
attempt(fn () => new Tcp($r, '127.0.0.1', 5432));
attempt(fn () => new Http($r, '127.0.0.1', '8080'));
attempt(fn () => new Smtp($r, '127.0.0.1', 2525));
attempt(fn () => new Smtp($r, 2525));
attempt(fn () => (new Tcp($r))->listen('127.0.0.1', 5432));
attempt(fn () => (new Http($r))->listen('127.0.0.1', 8080));
attempt(fn () => (new Smtp($r))->listen('127.0.0.1', 2525));
attempt(fn () => new Tcp($r, '127.0.0.1', 'splice'));
foreach ([Tcp::class, Http::class, Smtp::class] as $class) {
    attempt(fn () => new $class($r, trustedProxies: 'x'));
    attempt(fn () => new $class($r, proxyProtocol: []));
    attempt(fn () => new $class($r, proxyProtocol: true));
    attempt(fn () => new $class($r, workers: 0));
}
attempt(fn () => (new Tcp($r))->listen('127.0.0.1:0', proxyProtocol: true));
attempt(fn () => new Tcp($r, bpfObject: "a\0b"));
attempt(fn () => new Smtp($r, [], null, null, TlsMode::Allow, null, [], false, null, 1, null, null, 2));
attempt(fn () => new Http($r, forwarding: new stdClass()));
attempt(fn () => new Http(workers: '1', proxyProtocol: 1, trustedProxies: ['::1'], limits: null, listen: '127.0.0.1:0', resolver: $r));
?>
--EXPECT--
ArgumentCountError: Tusk\Proxy\Http::__construct() expects at least 1 argument, 0 given
TypeError: Tusk\Proxy\Http::__construct(): Argument #1 ($resolver) must be of type Tusk\Proxy\Resolver, int given: new Tusk\Proxy\Callback($closure) and new Tusk\Proxy\Fixed($address), of the library, make one
TypeError: Tusk\Proxy\Http::__construct(): Argument #3 ($validation) must be of type ?Tusk\Proxy\Validation, int given: the port is part of the address, "127.0.0.1:8080"
TypeError: Tusk\Proxy\Tcp::__construct(): Argument #3 ($sockmap) must be of type Tusk\Proxy\Sockmap, null given
TypeError: Tusk\Proxy\Tcp::__construct(): Argument #3 ($sockmap) must be of type Tusk\Proxy\Sockmap, int given: the port is part of the address, "127.0.0.1:8080"
TypeError: Tusk\Proxy\Http::__construct(): Argument #3 ($validation) must be of type ?Tusk\Proxy\Validation, string given: the port is part of the address, "127.0.0.1:8080"
TypeError: Tusk\Proxy\Smtp::__construct(): Argument #3 ($validation) must be of type ?Tusk\Proxy\Validation, int given: the port is part of the address, "127.0.0.1:8080"
TypeError: Tusk\Proxy\Smtp::__construct(): Argument #2 ($listen) must be of type array|string, int given: an address is "127.0.0.1:8080"
TypeError: Tusk\Proxy\Tcp::listen(): Argument #2 ($first) must be of type ?Tusk\Proxy\First, int given: the port is part of the address, "127.0.0.1:8080"
TypeError: Tusk\Proxy\Http::listen(): Argument #2 ($tls) must be of type ?Tusk\Tls, int given: the port is part of the address, "127.0.0.1:8080"
TypeError: Tusk\Proxy\Smtp::listen(): Argument #2 ($tls) must be of type ?Tusk\Tls, int given: the port is part of the address, "127.0.0.1:8080"
TypeError: Tusk\Proxy\Tcp::__construct(): Argument #3 ($sockmap) must be of type Tusk\Proxy\Sockmap, string given
TypeError: Tusk\Proxy\Tcp::__construct(): Argument #11 ($trustedProxies) must be of type array, string given
TypeError: Tusk\Proxy\Tcp::__construct(): Argument #12 ($proxyProtocol) must be of type bool, array given
ValueError: Tusk\Proxy\Tcp::__construct(): Argument #12 ($proxyProtocol) wants $trustedProxies to name the balancers: the header of nobody else is asked for, or believed
ValueError: Tusk\Proxy\Tcp::__construct(): Argument #14 ($workers) must be between 1 and 64, 0 given
TypeError: Tusk\Proxy\Http::__construct(): Argument #6 ($trustedProxies) must be of type array, string given
TypeError: Tusk\Proxy\Http::__construct(): Argument #7 ($proxyProtocol) must be of type bool, array given
ValueError: Tusk\Proxy\Http::__construct(): Argument #7 ($proxyProtocol) wants $trustedProxies to name the balancers: the header of nobody else is asked for, or believed
ValueError: Tusk\Proxy\Http::__construct(): Argument #10 ($workers) must be between 1 and 64, 0 given
TypeError: Tusk\Proxy\Smtp::__construct(): Argument #7 ($trustedProxies) must be of type array, string given
TypeError: Tusk\Proxy\Smtp::__construct(): Argument #8 ($proxyProtocol) must be of type bool, array given
ValueError: Tusk\Proxy\Smtp::__construct(): Argument #8 ($proxyProtocol) wants $trustedProxies to name the balancers: the header of nobody else is asked for, or believed
ValueError: Tusk\Proxy\Smtp::__construct(): Argument #10 ($workers) must be between 1 and 64, 0 given
ValueError: Tusk\Proxy\Tcp::listen(): Argument #6 ($proxyProtocol) wants $trustedProxies to name the balancers: the header of nobody else is asked for, or believed
ValueError: Tusk\Proxy\Tcp::__construct(): Argument #15 ($bpfObject) must not contain any null bytes
ArgumentCountError: Tusk\Proxy\Smtp::__construct() expects at most 12 arguments, 13 given
TypeError: Tusk\Proxy\Http::__construct(): Argument #11 ($forwarding) must be of type ?Tusk\Proxy\Forwarding, stdClass given
nothing thrown
