--TEST--
A pipe of standard error that nobody reads holds up no client: lines are lost, and counted in the log when it is read again; SIGTERM ends the server
--EXTENSIONS--
tusk
--SKIPIF--
<?php if ((int) getenv('TUSK_SLOW') >= 10) die('skip it serves in a PHP of its own, which valgrind would not see'); ?>
--FILE--
<?php
$server = <<<'PHP'
$s = new Tusk\Server('127.0.0.1:0');
$s->onStart(function () use ($s): void { fwrite(STDOUT, "$s->port\n"); });
$s->get('/ok', fn () => Tusk\Http\Response::text('ok'));
$s->get('/bad', fn () => throw new Exception(str_repeat('x', 4000)));
exit($s->run());
PHP;
foreach (['' => 'the default', '/dev/stderr' => 'error_log=/dev/stderr'] as $to => $name) {
    $command = 'exec ' . escapeshellarg(PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS') . " -d error_log=$to -d log_errors=1 -d display_errors=0 -r " . escapeshellarg($server);
    $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes);
    $port = trim(fgets($pipes[1]));
    $ask = static fn (string $path): string|false => @file_get_contents("http://127.0.0.1:$port$path", false, stream_context_create(['http' => ['timeout' => 5, 'ignore_errors' => true]]));
    for ($i = 0; $i < 40; $i++) {
        if ($ask('/bad') === false) {
            echo "no answer to request $i\n";
            break;
        }
    }
    echo "$name: ", $ask('/ok'), "\n";
    stream_set_blocking($pipes[2], false);
    $log = '';
    while (($more = (string) stream_get_contents($pipes[2])) !== '') {
        $log .= $more;
    }
    $ask('/bad');
    proc_terminate($process, 15);
    stream_set_blocking($pipes[2], true);
    $rest = stream_get_contents($pipes[2]);
    echo 'lost: ', preg_match('~^(\[.+\] )?Tusk: (\d+) lines of this log are lost: nobody read it$~m', $rest, $m), ', ', $m[2] + substr_count($log, 'uncaught Exception') >= 40 ? 'all are counted' : "only $m[2]", "\n";
    echo 'behind it: ', substr_count($rest, "Tusk: GET /bad: uncaught Exception: xxx"), ', with a time: ', substr_count($rest, '] Tusk: '), "\n";
    echo 'ends with ', proc_close($process), "\n";
}
?>
--EXPECT--
the default: ok
lost: 1, all are counted
behind it: 1, with a time: 0
ends with 0
error_log=/dev/stderr: ok
lost: 1, all are counted
behind it: 1, with a time: 2
ends with 0
