--TEST--
While onError waits, others that fail are told to it as well, and have its answer; what it throws itself is logged
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};
use Tusk\Http\{Request, Response};

$log = tempnam(sys_get_temp_dir(), 'tusk');
ini_set('error_log', $log);
$together = 0;
$server = new Server('127.0.0.1:0');
$server->get('/{n}', fn (Request $r) => throw new Exception("number {$r->params['n']}"));
$server->onError(function (Throwable $e) use (&$together): Response {
    $together++;
    until(function () use (&$together): bool { return $together === 3; }, "all three");
    if ($e->getMessage() === 'number 3') {
        throw new Exception('onError itself');
    }
    return Response::text("sorry, {$e->getMessage()}", 503);
});
talk($server, function (int $port): void {
    $peers = [];
    foreach ([1, 2, 3] as $n) {
        $peers[] = $peer = new Peer($port);
        $peer->write("GET /$n HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    }
    foreach ($peers as $peer) {
        $answer = $peer->readAll();
        echo substr($answer, 9, 3), ' ', trim(substr(strstr($answer, "\r\n\r\n"), 4)), "\n";
    }
});
preg_match_all('/uncaught Exception: (.*) in /', file_get_contents($log), $told);
echo implode(', ', $told[1]), "\n";
unlink($log);
?>
--EXPECT--
503 sorry, number 1
503 sorry, number 2
500 500 Internal Server Error
onError itself, number 3
