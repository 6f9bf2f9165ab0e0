--TEST--
A file of standard error that takes no more, as on a full disk, holds up no client; when there is room again the log says how many lines it lost, on a line of its own
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
$s->get('/bad', fn () => throw new Exception(str_repeat('x', 3001)));
exit($s->run());
PHP;
$file = tempnam(sys_get_temp_dir(), 'tusk');
$command = 'ulimit -f 32; exec ' . escapeshellarg(PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS') . ' -d error_log= -d log_errors=1 -d display_errors=0 -r ' . escapeshellarg($server);
$process = proc_open(['sh', '-c', $command], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', $file, 'a']], $pipes);
$port = trim(fgets($pipes[1]));
$ask = static fn (string $path): string|false => @file_get_contents("http://127.0.0.1:$port$path", false, stream_context_create(['http' => ['timeout' => 5, 'ignore_errors' => true]]));
for ($i = 0; $i < 40; $i++) {
    if ($ask('/bad') === false) {
        echo "no answer to request $i\n";
        break;
    }
}
echo $ask('/ok'), "\n";
$before = file_get_contents($file);
echo str_ends_with($before, "\n") ? 'whole' : 'cut', "\n";
ftruncate(fopen($file, 'r+'), 0); // there is room again
$ask('/bad');
$ask('/bad');
proc_terminate($process, 15);
echo 'ends with ', proc_close($process), "\n";
$rest = explode("\n", file_get_contents($file));
echo $rest[0] === '' ? 'a line of its own' : $rest[0], "\n";
echo preg_match('~^Tusk: (\d+) lines of this log are lost: the disk, or the file, was full$~', $rest[1], $m), ', ', $m[1] + preg_match_all('~uncaught Exception: x{3001} in~', $before), "\n";
echo count(preg_grep('~^Tusk: GET /bad: uncaught Exception: x~', $rest)), ", said once: ", count(preg_grep('~are lost~', $rest)), "\n";
unlink($file);
?>
--EXPECT--
ok
cut
ends with 0
a line of its own
1, 40
2, said once: 1
