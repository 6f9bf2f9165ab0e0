--TEST--
A task of a web request (of php -S here, as of PHP-FPM) may flush and write past its buffer, and reads the body again: the page's client gets the page, the caller the task's output
--EXTENSIONS--
tusk
--SKIPIF--
<?php if ((int) getenv('TUSK_SLOW') >= 10) die('skip it runs in a PHP of its own, which valgrind would not see'); ?>
--FILE--
<?php
$folder = sys_get_temp_dir() . '/tusk-task-in-web-' . getmypid();
mkdir($folder);
file_put_contents("$folder/index.php", <<<'PHP'
    <?php
    ini_set('html_errors', '0');
    echo "the page begins\n";
    flush();
    $pool = new Tusk\Parallel\Pool(workers: 1);
    $no_bytes = (static fn () => yield 1)();
    $flushes = static function (): int {
        echo 'told';
        flush();
        ob_end_flush();
        echo 'past the buffer';
        flush();
        return strlen(file_get_contents('php://input'));
    };
    foreach ([$flushes, static fn () => [$flushes(), $no_bytes->current()]] as $job) {
        $task = $pool->task($job);
        echo json_encode($task->await()), ' ', $task->output(), "\n";
    }
    PHP);
$probe = stream_socket_server('127.0.0.1:0');
$address = stream_socket_get_name($probe, false);
fclose($probe);
$command = 'exec ' . escapeshellarg(PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS') . " -S $address -t " . escapeshellarg($folder);
$process = proc_open($command, [1 => ['file', '/dev/null', 'w'], 2 => ['file', '/dev/null', 'w']], $pipes);
for ($until = time() + 20; ($socket = @stream_socket_client($address)) === false && time() < $until; usleep(10_000));
stream_set_timeout($socket, 20);
fwrite($socket, "POST / HTTP/1.0\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc");
echo substr(strstr(stream_get_contents($socket), "\r\n\r\n"), 4);
proc_terminate($process, 9);
proc_close($process);
unlink("$folder/index.php");
rmdir($folder);
?>
--EXPECT--
the page begins
3 told
[3,1] told
