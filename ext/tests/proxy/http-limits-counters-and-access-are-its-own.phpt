--TEST--
An HTTP proxy has limits and counters of its own, its access tells method, host and path, and the admin listener shows them
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Bench\EchoServer;
use Tusk\Http\Client;
use Tusk\Proxy\{Access, Http, HttpLimits, Route, Tcp};

foreach ([['headFields' => 129], ['requests' => -1], ['lineBytes' => 10], ['poolIdleMs' => 0]] as $given) {
    try {
        new HttpLimits(...$given);
    } catch (ValueError $e) {
        echo $e->getMessage(), "\n";
    }
}
var_dump((new HttpLimits())->answerMs, (new HttpLimits(poolSize: 3))->poolSize, (new HttpLimits())->clientFinMs);

$backend = new EchoServer('http', options: ['size' => 5]);
$make = fn (): Http => new Http(new Asked(fn () => Route::to("127.0.0.1:{$backend->port()}", ttl: 60)), '127.0.0.1:0', validation: local(),
    http: new HttpLimits(lineBytes: 256, bodyBytes: 10, requests: 2));
$proxy = $make();
$seen = [];
$proxy->onAccess(function (Access $access) use (&$seen): void {
    $seen[] = [$access->method, $access->host, $access->path, $access->status];
});
$probe = stream_socket_server('tcp://127.0.0.1:0');
$admin = stream_socket_get_name($probe, false);
fclose($probe);
$proxy->admin($admin);
through($proxy, function (int $port) use ($proxy, $admin): void {
    $client = new Client();
    echo $client->get("http://127.0.0.1:$port/one?x=1")->status, ' ', $client->get("http://127.0.0.1:$port/two")->header('connection'), "\n";
    echo $client->request('POST', "http://127.0.0.1:$port/", body: str_repeat('x', 11))->status, ' ',
        $client->get("http://127.0.0.1:$port/" . str_repeat('y', 300))->status, "\n";
    $stats = $proxy->stats();
    echo json_encode(array_intersect_key($stats, array_flip(['http_requests', 'http_answers_2xx', 'http_bodies_too_big', 'http_requests_used_up', 'http_bad_requests']))), "\n";
    $metrics = $client->get("http://$admin/metrics")->body;
    echo preg_match_all('~^# TYPE tusk_proxy_http_\w+ (counter|gauge)$~m', $metrics), ' ', preg_match('~^tusk_proxy_http_answers_2xx_total 2$~m', $metrics), ' ',
        preg_match('~^# TYPE tusk_proxy_http_kept gauge$~m', $metrics), "\n";
});
foreach ($seen as $one) {
    echo json_encode($one), "\n";
}
$plain = new Tcp(new Asked(fn () => Route::to('127.0.0.1:1')), '127.0.0.1:0', validation: local());
var_dump(count(array_filter(array_keys($plain->stats()), fn ($name) => str_starts_with($name, 'http_'))));
?>
--EXPECTF--
Tusk\Proxy\HttpLimits::__construct(): Argument #3 ($headFields) must be between 1 and 128, 129 given
Tusk\Proxy\HttpLimits::__construct(): Argument #5 ($requests) must be between 0 and 1000000000, -1 given
Tusk\Proxy\HttpLimits::__construct(): Argument #1 ($lineBytes) must be between 256 and 1048576, 10 given
Tusk\Proxy\HttpLimits::__construct(): Argument #15 ($poolIdleMs) must be between 1 and 2000000000, 0 given
int(60000)
int(3)
int(10000)
200 close
413 414
{"http_requests":3,"http_answers_2xx":2,"http_bad_requests":1,"http_bodies_too_big":1,"http_requests_used_up":1}
38 1 1
["GET","127.0.0.1:%d","\/one",200]
["GET","127.0.0.1:%d","\/two",200]
[null,null,null,413]
[null,null,null,414]
int(0)
