--TEST--
GET /metrics is OpenMetrics with every counter of stats(), GET /health is 200 and 503 while it drains
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Http\Client;
use Tusk\Proxy\{Route, Tcp};

$probe = stream_socket_server('tcp://127.0.0.1:0');
$admin = stream_socket_get_name($probe, false);
fclose($probe);
$backend = new Backend('b');
$proxy = new Tcp(new Asked(fn () => Route::to($backend->address())), '127.0.0.1:0', validation: local());
$proxy->admin($admin);
$proxy->onStart(function () use ($proxy, $admin): void {
    $client = new Client();
    $held = new Peer($proxy->port);
    ask($held, 'x');
    $answer = $client->get("http://$admin/metrics");
    echo $answer->status, ' ', $answer->header('content-type'), "\n";
    $lines = explode("\n", rtrim($answer->body));
    echo end($lines), ' ', preg_match_all('~^tusk_proxy_(accepted_total|active|lookups_total|dials_total) 1$~m', $answer->body), "\n";
    preg_match_all('~^# TYPE tusk_proxy_(\w+) (counter|gauge)\n# HELP tusk_proxy_\1 [A-Z].*\.\ntusk_proxy_\1(_total|) \d+$~m', $answer->body, $found);
    echo implode(' ', array_diff(array_keys($proxy->stats()), $found[1])), "|\n";
    foreach ($found[2] as $i => $type) {
        if (($type === 'counter') !== ($found[3][$i] === '_total')) {
            echo "suffix of {$found[1][$i]}\n";
        }
    }
    $answer = $client->get("http://$admin/health");
    echo $answer->status, ' ', $answer->body;
    $proxy->stop();
    $answer = $client->get("http://$admin/health");
    echo $answer->status, ' ', $answer->body;
    echo $client->get("http://$admin/nothing")->status, "\n";
    echo ask($held, 'a session that drains goes on'), "\n";
    fclose($held->stream);
});
var_dump($proxy->run());
?>
--EXPECT--
200 application/openmetrics-text; version=1.0.0; charset=utf-8
# EOF 4
|
200 ok
503 draining
404
b:a session that drains goes on
int(0)
