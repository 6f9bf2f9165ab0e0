--TEST--
A bootstrap that fails in the first workers ends run() with its reason: an exception, exit(), a fatal error; a child that it forks is no worker
--EXTENSIONS--
pcntl
posix
--INI--
memory_limit=128M
--FILE--
<?php
require __DIR__ . '/workers.inc';
use Tusk\Http\Response;
use Tusk\Server;

ini_set('display_errors', '0');
ini_set('error_log', $log = tempnam(sys_get_temp_dir(), 'tusk'));
$fails = [
    'an exception' => fn () => throw new DomainException("no\x1b database"),
    'a class of ours' => fn () => throw new class ('anonymous') extends Error {},
    'exit' => fn () => exit(0),
    'a fatal error' => fn () => trigger_error('enough', E_USER_ERROR),
    'memory' => fn () => getenv('USE_ZEND_ALLOC') === '0' // without PHP's own memory there is no limit of it
        ? trigger_error('Allowed memory size of 134217728 bytes exhausted', E_USER_ERROR) : str_repeat('x', 1 << 40),
    'another program' => fn () => pcntl_exec('/bin/false'),
];
foreach ($fails as $name => $bootstrap) {
    foreach ([1, 3] as $workers) {
        try {
            echo (new Server(listen: '127.0.0.1:0', workers: $workers, bootstrap: $bootstrap))->run(), "\n";
        } catch (Tusk\Exception $e) {
            $place = PHP_DEBUG ? '~ at \S+\.h:\d+~' : '~^$~'; // a PHP with its own checks says where the engine asked
            echo "$name: ", preg_replace(['~\(.*/~', '~\d{6,}~', $place], ['(', 'N', ''], addcslashes($e->getMessage(), "\0..\37")), "\n";
        }
    }
}
// One that fails later is tried again; meanwhile the others accept.
$state = tempnam(sys_get_temp_dir(), 'tusk-state');
$server = new Server(workers: 2, bootstrap: function (Server $server) use ($state): void {
    $server->get('/who', fn () => Response::json(['pid' => getmypid(), 'worker' => $server->worker()]));
    if (pcntl_fork() === 0) {
        return; // it is not the worker, and ends here
    }
    pcntl_wait($status);
    clearstatcache();
    filesize($state) === 0 || throw new DomainException('later');
});
beside($server, function (int $port) use ($state, $log): void {
    $pids = array_column(whoAre($port, 2), 'pid');
    file_put_contents($state, 'fail');
    posix_kill($pids[1], SIGKILL);
    until(fn () => preg_match_all('~Tusk: the bootstrap failed: DomainException: later \(.*bootstrap-that-fails.*\.php:\d+\)~', file_get_contents($log)) > 1, 'it failed twice');
    echo 'meanwhile worker ', get($port, '/who')['worker'], "\n";
    file_put_contents($state, '');
    echo count(whoAre($port, 2)), " workers\n";
});
unlink($log);
unlink($state);
?>
--EXPECTF--
an exception: The bootstrap failed: DomainException: no\033 database (a-bootstrap-that-fails-ends-run.php:%d)
an exception: The bootstrap failed: DomainException: no\033 database (a-bootstrap-that-fails-ends-run.php:%d)
a class of ours: The bootstrap failed: Error@anonymous: anonymous (a-bootstrap-that-fails-ends-run.php:%d)
a class of ours: The bootstrap failed: Error@anonymous: anonymous (a-bootstrap-that-fails-ends-run.php:%d)
exit: The bootstrap failed: exit() was called
exit: The bootstrap failed: exit() was called
a fatal error: The bootstrap failed: enough (a-bootstrap-that-fails-ends-run.php:%d)
a fatal error: The bootstrap failed: enough (a-bootstrap-that-fails-ends-run.php:%d)
memory: The bootstrap failed: Allowed memory size of N bytes exhausted (a-bootstrap-that-fails-ends-run.php:%d)
memory: The bootstrap failed: Allowed memory size of N bytes exhausted (a-bootstrap-that-fails-ends-run.php:%d)
another program: The bootstrap failed: it ended its process by exit 1
another program: The bootstrap failed: it ended its process by exit 1
meanwhile worker 0
2 workers
run: 0
the application waits for its own child: found
