--TEST--
Where opcache may not be asked (restrict_api), SIGHUP says so in the log, and the application's error handler, which throws, is not told: the server goes on
--EXTENSIONS--
pcntl
posix
opcache
--INI--
opcache.enable=1
opcache.enable_cli=1
opcache.restrict_api=/nowhere
--FILE--
<?php
require __DIR__ . '/workers.inc';
use Tusk\Http\Response;
use Tusk\Server;

ini_set('display_errors', '0');
ini_set('error_log', $log = tempnam(sys_get_temp_dir(), 'tusk'));
set_error_handler(fn (int $level, string $text) => throw new ErrorException($text));
$server = new Server(bootstrap: function (Server $server): void {
    $server->get('/who', fn () => Response::json(['pid' => getmypid(), 'worker' => $server->worker()]));
});
beside($server, function (int $port, int $master) use ($log): void {
    restore_error_handler();
    $pid = whoAre($port, 1)[0]['pid'];
    posix_kill($master, SIGHUP);
    until(fn () => whoAre($port, 1)[0]['pid'] !== $pid, 'a new worker');
    echo preg_match_all('~Tusk: opcache may not be asked \(.*\): files that it holds are not read anew~', file_get_contents($log)), "\n";
});
unlink($log);
?>
--EXPECT--
2
run: 0
the application waits for its own child: found
