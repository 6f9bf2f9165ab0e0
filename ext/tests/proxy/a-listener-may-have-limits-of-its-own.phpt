--TEST--
A listener may have a waiting time and a limit of connections of its own; the others keep the proxy's
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Proxy\{First, Http, Limits, Lookup, Route, Smtp, Tcp};

$backend = new Backend('b', "hello\n");
$dir = sys_get_temp_dir() . '/tusk-' . getmypid();
mkdir($dir);
$seen = [];
$resolver = new Asked(function (Lookup $lookup) use ($backend, &$seen): Route {
    $seen[] = basename($lookup->listener) . ': ' . ($lookup->first === null ? 'silent' : 'spoke');
    return Route::to($backend->address(), ttl: 0.0);
});
$proxy = new Tcp($resolver, "unix:$dir/patient", validation: local(), limits: new Limits(waitMs: 1_000_000, firstMs: 2_000_000));
$proxy->listen("unix:$dir/hasty", First::Wait, waitMs: 20);
$proxy->listen("unix:$dir/single", First::Server, connections: 1);
through($proxy, function () use ($proxy, $dir, &$seen): void {
    $patient = stream_socket_client("unix://$dir/patient");
    $hasty = stream_socket_client("unix://$dir/hasty");
    while ($seen === []) {
        Tusk\Timer::sleep(0.005);
    }
    print_r($seen);
    fwrite($patient, "x\n");
    while (count($seen) < 2) {
        Tusk\Timer::sleep(0.005);
    }
    echo $seen[1], "\n";
    $first = stream_socket_client("unix://$dir/single");
    $second = stream_socket_client("unix://$dir/single");
    while (count($seen) < 3 || $proxy->stats()['refused_limit'] === 0) {
        Tusk\Timer::sleep(0.005);
    }
    echo count($seen), " routed, and one waits\n";
    fclose($first);
    while (count($seen) < 4) {
        Tusk\Timer::sleep(0.005);
    }
    echo $seen[3], "\n";
});
foreach (['waitMs', 'connections'] as $name) {
    foreach ([0, PHP_INT_MAX] as $value) {
        attempt(fn () => (new Tcp($resolver))->listen('127.0.0.1:0', ...[$name => $value]));
    }
}
attempt(fn () => (new Http($resolver))->listen('127.0.0.1:0', connections: 0));
attempt(fn () => (new Smtp($resolver))->listen('127.0.0.1:0', null, -1));
rmdir($dir);
?>
--EXPECT--
Array
(
    [0] => hasty: silent
)
patient: spoke
3 routed, and one waits
single: silent
ValueError: Tusk\Proxy\Tcp::listen(): Argument #8 ($waitMs) must be between 1 and 2000000000, 0 given
ValueError: Tusk\Proxy\Tcp::listen(): Argument #8 ($waitMs) must be between 1 and 2000000000, 9223372036854775807 given
ValueError: Tusk\Proxy\Tcp::listen(): Argument #9 ($connections) must be between 1 and 1000000000, 0 given
ValueError: Tusk\Proxy\Tcp::listen(): Argument #9 ($connections) must be between 1 and 1000000000, 9223372036854775807 given
ValueError: Tusk\Proxy\Http::listen(): Argument #3 ($connections) must be between 1 and 1000000000, 0 given
ValueError: Tusk\Proxy\Smtp::listen(): Argument #3 ($connections) must be between 1 and 1000000000, -1 given
