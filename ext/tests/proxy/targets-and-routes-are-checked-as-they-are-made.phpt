--TEST--
Target, Route, Refused, Validation and Limits take what they say and refuse the rest, naming it
--EXTENSIONS--
tusk
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\Response;
use Tusk\Proxy\{Forward, Forwarding, Limits, Refused, Route, Target, Validation};

foreach (['10.0.0.7:5432', '[fd00::7]:5432', '[::1]:1', 'db7.internal:5432', 'unix:/run/db.sock'] as $address) {
    echo (new Target($address))->address, ' ';
}
echo "\n-- addresses that are none\n";
foreach (['', '10.0.0.7', 'host:', 'host:0', 'host:65536', 'host:99999999999999999999', 'fd00::7:5432', '[fd00::7]', '[10.0.0.7]:1', '[]:1',
    ':5432', 'a b:1', "host\0:1", 'unix:', 'unix:' . str_repeat('x', 108), 'http://x:1', '-x:1', str_repeat('a', 254) . ':1'] as $address) {
    try {
        new Target($address);
        echo "taken: $address\n";
    } catch (ValueError) {
        echo '.';
    }
}
echo "\n";
attempt(fn () => new Target('nonsense'));
attempt(fn () => new Target('a:1', -1));

echo "-- routes\n";
$route = Route::to(['a:1', new Target('b:2', 5)], ['tenant' => 7], 0, connectTimeout: 1.5, proxyProtocol: 2, first: "x\0y", user: 'u', database: 'd');
echo json_encode([$route->targets, $route->metadata, $route->ttl, $route->connectTimeout, $route->idleTimeout, $route->proxyProtocol,
    $route->tls, bin2hex($route->first), $route->user, $route->database]), "\n";
$route = Route::to('a:1');
echo json_encode([$route->targets, $route->metadata, $route->ttl, $route->first]), "\n";
attempt(fn () => Route::to([]));
attempt(fn () => Route::to(array_fill(0, 65, 'a:1')));
echo count(Route::to(array_fill(0, 64, 'a:1'))->targets), "\n";
attempt(fn () => Route::to(['a:1', 7]));
attempt(fn () => Route::to('a'));
attempt(fn () => Route::to('a:1', ttl: -1));
attempt(fn () => Route::to('a:1', ttl: NAN));
attempt(fn () => Route::to('a:1', connectTimeout: 0));
attempt(fn () => Route::to('a:1', proxyProtocol: 3));
attempt(fn () => Route::to('a:1', user: "a\0b"));
attempt(fn () => Route::to('a:1', host: "a\r\nX: y"));
attempt(fn () => Route::to('a:1', host: "a\0b"));
foreach (['', "a\0b", "\xff", str_repeat('a', 264)] as $name) {
    attempt(fn () => Route::to('a:1', name: $name));
}
echo Route::to('a:1', name: str_repeat('é', 131))->name === str_repeat('é', 131) ? "named\n" : "not named\n";
attempt(fn () => new Route());

echo "-- answers of their own\n";
$route = Route::respond(Response::redirect('https://shop.example/'), ['why' => 'moved'], 5);
echo json_encode([$route->targets, $route->metadata, $route->ttl, $route->response->status, $route->host, $route->proxyProtocol]), "\n";
attempt(fn () => Route::respond(new Response(200, 'x', ['Upgrade' => 'h2c'])));
attempt(fn () => Route::respond(new Response(200, 'x', ['X' => "a\r\nb"])));
attempt(fn () => Route::respond(new Response(200, 'x', ["X\0" => 'a'])));
attempt(fn () => Route::respond(Response::file(__FILE__)));
attempt(fn () => Route::respond(Response::stream(['a'])));
attempt(fn () => Route::respond(Response::text('x'), ttl: INF));

echo "-- what is forwarded\n";
$forwarding = new Forwarding();
echo json_encode([$forwarding->xForwarded->name, $forwarding->forwarded->name, $forwarding->via->name, $forwarding->viaName]), "\n";
$forwarding = new Forwarding(via: Forward::Set, xForwarded: Forward::Off, viaName: 'edge-1');
echo json_encode([$forwarding->xForwarded->name, $forwarding->forwarded->name, $forwarding->via->name, $forwarding->viaName]), "\n";
attempt(fn () => new Forwarding(viaName: "a\r\nb"));
attempt(fn () => new Forwarding(viaName: ''));
attempt(fn () => $forwarding->__construct());

echo "-- refusals\n";
$refused = new Refused(404, 'no such database', 1.5);
echo json_encode([$refused->getCode(), $refused->getMessage(), $refused->ttl, $refused instanceof Tusk\Exception]), "\n";
$refused = new Refused();
echo json_encode([$refused->getCode(), $refused->getMessage(), $refused->ttl]), "\n";
attempt(fn () => new Refused(200));
attempt(fn () => new Refused(399));
attempt(fn () => new Refused(600));
attempt(fn () => new Refused(451, str_repeat('x', 513)));
echo (new Refused(451, str_repeat('x', 512)))->getCode(), "\n";
attempt(fn () => new Refused(403, "a\r\nb"));
attempt(fn () => new Refused(403, '', -1));
attempt(fn () => $refused->__construct(404));

echo "-- validation\n";
$one = Validation::publicOnly();
$two = $one->allow('10.0.0.0/8', 'fd00::/8')->allow('127.0.0.1', 'unix:/run/');
echo json_encode([$one->anyAddress, $one->allowed, $two->anyAddress, $two->allowed, Validation::none()->anyAddress]), "\n";
foreach (['', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/a', 'host', '10.0.0/8', "10.0.0.0/8\0", '10.0.0.7/8', 'unix:', "unix:/\0"] as $range) {
    try {
        $one->allow($range);
        echo "taken: $range\n";
    } catch (ValueError) {
        echo '.';
    }
}
echo "\n";
attempt(fn () => $one->allow('10.0.0.0/8', 'host'));

echo "-- limits\n";
echo json_encode(new Limits(connections: 5, dnsTtlMs: 1)), "\n";
attempt(fn () => new Limits(connections: 0));
attempt(fn () => new Limits(lookups: 30001));
attempt(fn () => new Limits(dnsTtlMs: 0));
?>
--EXPECT--
10.0.0.7:5432 [fd00::7]:5432 [::1]:1 db7.internal:5432 unix:/run/db.sock 
-- addresses that are none
..................
ValueError: Tusk\Proxy\Target::__construct(): Argument #1 ($address) must be "host:port", "[IPv6]:port" or "unix:/path", "nonsense" given
ValueError: Tusk\Proxy\Target::__construct(): Argument #2 ($weight) must be between 0 and 1000000, -1 given
-- routes
[[{"address":"a:1","weight":1},{"address":"b:2","weight":5}],{"tenant":7},0,1.5,null,2,null,"780079","u","d"]
[[{"address":"a:1","weight":1}],[],60,null]
ValueError: Tusk\Proxy\Route::to(): Argument #1 ($targets) must not be empty
ValueError: Tusk\Proxy\Route::to(): Argument #1 ($targets) must be 64 targets at most, 65 given
64
TypeError: Tusk\Proxy\Route::to(): Argument #1 ($targets) must be of type Tusk\Proxy\Target|string or a list of them, int given
ValueError: Tusk\Proxy\Route::to(): Argument #1 ($targets) must be "host:port", "[IPv6]:port" or "unix:/path", "a" given
ValueError: Tusk\Proxy\Route::to(): Argument #3 ($ttl) must be between 0 and 2000000 seconds
ValueError: Tusk\Proxy\Route::to(): Argument #3 ($ttl) must be between 0 and 2000000 seconds
ValueError: Tusk\Proxy\Route::to(): Argument #4 ($connectTimeout) must be greater than 0
ValueError: Tusk\Proxy\Route::to(): Argument #6 ($proxyProtocol) must be 0, 1 or 2
ValueError: Tusk\Proxy\Route::to(): Argument #9 ($user) must not contain any null bytes
ValueError: Tusk\Proxy\Route::to(): Argument #11 ($host) must be a host such as "shop.internal" or "[::1]:8080"
ValueError: Tusk\Proxy\Route::to(): Argument #11 ($host) must be a host such as "shop.internal" or "[::1]:8080"
ValueError: Tusk\Proxy\Route::to(): Argument #12 ($name) must be 1 to 263 bytes of UTF-8 without a NUL
ValueError: Tusk\Proxy\Route::to(): Argument #12 ($name) must be 1 to 263 bytes of UTF-8 without a NUL
ValueError: Tusk\Proxy\Route::to(): Argument #12 ($name) must be 1 to 263 bytes of UTF-8 without a NUL
ValueError: Tusk\Proxy\Route::to(): Argument #12 ($name) must be 1 to 263 bytes of UTF-8 without a NUL
named
Error: Call to private Tusk\Proxy\Route::__construct() from global scope
-- answers of their own
[[],{"why":"moved"},5,303,null,0]
ValueError: Tusk\Proxy\Route::respond(): Argument #1 ($response) must have no header of one hop, such as Upgrade
ValueError: Tusk\Http\Response::__construct(): Argument #3 ($headers) must have no CR, LF, NUL or other control byte in header "X"
ValueError: Tusk\Http\Response::__construct(): Argument #3 ($headers) must be of the form name => value, "X" is no header name
ValueError: Tusk\Proxy\Route::respond(): Argument #1 ($response) must have a body of its own, no file and no stream
ValueError: Tusk\Proxy\Route::respond(): Argument #1 ($response) must have a body of its own, no file and no stream
ValueError: Tusk\Proxy\Route::respond(): Argument #3 ($ttl) must be between 0 and 2000000 seconds
-- what is forwarded
["Append","Append","Append","tusk"]
["Off","Append","Set","edge-1"]
ValueError: Tusk\Proxy\Forwarding::__construct(): Argument #4 ($viaName) must be a token such as "edge-1"
ValueError: Tusk\Proxy\Forwarding::__construct(): Argument #4 ($viaName) must be a token such as "edge-1"
Error: Tusk\Proxy\Forwarding is readonly once it is made
-- refusals
[404,"no such database",1.5,true]
[403,"",5]
ValueError: Tusk\Proxy\Refused::__construct(): Argument #1 ($status) must be between 400 and 599, 200 given
ValueError: Tusk\Proxy\Refused::__construct(): Argument #1 ($status) must be between 400 and 599, 399 given
ValueError: Tusk\Proxy\Refused::__construct(): Argument #1 ($status) must be between 400 and 599, 600 given
ValueError: Tusk\Proxy\Refused::__construct(): Argument #2 ($reason) must have 512 bytes at most
451
ValueError: Tusk\Proxy\Refused::__construct(): Argument #2 ($reason) must not contain CR, LF or NUL
ValueError: Tusk\Proxy\Refused::__construct(): Argument #3 ($ttl) must be between 0 and 2000000 seconds
Error: Tusk\Proxy\Refused is readonly once it is made
-- validation
[false,[],false,["10.0.0.0\/8","fd00::\/8","127.0.0.1","unix:\/run\/"],true]
...........
ValueError: Tusk\Proxy\Validation::allow(): Argument #2 must be an address, a range such as "10.0.0.0/8" or "unix:/run/", "host" given
-- limits
{"connections":5,"perListener":0,"perSource":0,"perTarget":0,"ratePerSource":0,"lookups":1024,"routes":65536,"firstBytes":16384,"pendingBytes":65536,"waitMs":200,"firstMs":10000,"resolveMs":5000,"connectMs":5000,"connectTotalMs":15000,"backendFirstMs":0,"idleMs":0,"halfClosedMs":60000,"ageMs":0,"drainMs":30000,"keepIdleS":30,"keepIntervalS":10,"keepCount":3,"userTimeoutMs":0,"attempts":3,"ejectFailures":3,"ejectMs":10000,"checkMs":0,"checkRise":2,"checkFall":3,"dnsTtlMs":1,"dnsStaleMs":86400000,"queueMs":0,"notSentBytes":0,"backlog":4096,"metrics":256}
ValueError: Tusk\Proxy\Limits::__construct(): Argument #1 ($connections) must be between 1 and 1000000000, 0 given
ValueError: Tusk\Proxy\Limits::__construct(): Argument #6 ($lookups) must be between 1 and 30000, 30001 given
ValueError: Tusk\Proxy\Limits::__construct(): Argument #30 ($dnsTtlMs) must be between 1 and 2000000000, 0 given
