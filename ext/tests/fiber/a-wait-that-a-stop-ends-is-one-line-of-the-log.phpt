--TEST--
Of handlers that still wait as a server stops, each is one line of the log, with its request and where it waited; what they throw besides has its trace
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Server, Timer};
use Tusk\Http\Request;

$log = tempnam(sys_get_temp_dir(), 'tusk');
ini_set('error_log', $log);
$server = new Server('127.0.0.1:0', limits: new Limits(drainMs: slow() > 1 ? 2500 : 500, slowHandlerMs: 0));
$server->get('/wait/{n}', function (Request $r): void { Timer::sleep(60); });
$server->get('/else', function (): void {
    try {
        Timer::sleep(60);
    } finally {
        throw new LogicException('of its own');
    }
});
$server->onStart(function () use ($server): void {
    foreach (['/wait/1?key=secret', '/wait/2', '/else'] as $path) {
        $GLOBALS['peers'][] = $peer = new Peer($server->port);
        $peer->write("GET $path HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    until(fn () => $server->stats()['parked_handlers'] === 3);
    $server->stop();
});
$server->run();
$lines = preg_replace('~^(\[.*?\] )?Tusk: ~m', '', str_replace(__FILE__, 'FILE', trim(file_get_contents($log))));
$lines = preg_split('/\n(?=GET )/', $lines);
sort($lines);
foreach ($lines as $line) {
    echo substr_count($line, "\n") === 0 ? 'one line: ' : (str_contains($line, 'Stack trace') ? 'with its trace: ' : 'lines: '), strtok($line, "\n"), "\n";
}
unlink($log);
?>
--EXPECTF--
with its trace: GET /else: uncaught Tusk\Exception: The server stops: this handler waited too long in FILE:%d
one line: GET /wait/1: uncaught Tusk\Exception: The server stops: this handler waited too long in FILE:9
one line: GET /wait/2: uncaught Tusk\Exception: The server stops: this handler waited too long in FILE:9
