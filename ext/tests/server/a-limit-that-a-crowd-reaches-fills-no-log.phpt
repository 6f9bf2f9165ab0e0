--TEST--
Handlers that a limit refuses are one line in the log, not one each; other exceptions are all told
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\Response;
use Tusk\{Limits, Server, Timer};

$log = tempnam(sys_get_temp_dir(), 'tusk');
ini_set('error_log', $log);
$server = new Server('127.0.0.1:0', limits: new Limits(drainMs: 50, parkedHandlers: 5));
$server->get('/wait', function () {
    Timer::sleep(60);
    return Response::text('late');
});
$server->get('/throw', fn () => throw new RuntimeException('its own'));
talk($server, function (int $port) use ($server): void {
    $peers = [];
    for ($i = 0; $i < 12; $i++) {
        $peers[] = $peer = new Peer($port);
        $peer->write('GET ' . ($i < 9 ? '/wait' : '/throw') . " HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    until(fn () => $server->stats()['responses_5xx'] >= 7);
});
$text = file_get_contents($log);
echo substr_count($text, 'Overload: '), ' ', substr_count($text, 'its own'), "\n";
unlink($log);
?>
--EXPECT--
1 3
