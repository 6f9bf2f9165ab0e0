--TEST--
run() and publish() inside a web request (of php -S here, as of PHP-FPM) are exceptions that tell what to do: the browser would wait for ever, and nobody be told
--EXTENSIONS--
tusk
--SKIPIF--
<?php if ((int) getenv('TUSK_SLOW') >= 10) die('skip it runs in a PHP of its own, which valgrind would not see'); ?>
--FILE--
<?php
$folder = sys_get_temp_dir() . '/tusk-in-web-' . getmypid();
mkdir($folder);
file_put_contents("$folder/index.php", '<?php
$server = new Tusk\Server("127.0.0.1:0");
try { $server->run(); } catch (LogicException $e) { echo $e->getMessage(), "\n"; }
try { $server->publish("news", "hello"); } catch (LogicException $e) { echo $e->getMessage(), "\n"; }
$server->events("/events", fn ($s) => $s->subscribe("news"));
$server->get("/", fn () => Tusk\Http\Response::json($server->publish("news", "hello")));
$loop = new Tusk\Testing\Loopback($server);
echo $loop->request("GET", "/")->status, "\n";');
$probe = stream_socket_server('127.0.0.1:0');
$address = stream_socket_get_name($probe, false);
fclose($probe);
$command = 'exec ' . escapeshellarg(PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS') . " -S $address -t " . escapeshellarg($folder);
$process = proc_open($command, [1 => ['file', '/dev/null', 'w'], 2 => ['file', '/dev/null', 'w']], $pipes);
for ($until = time() + 20; ($socket = @stream_socket_client($address)) === false && time() < $until; usleep(10_000));
stream_set_timeout($socket, 20);
fwrite($socket, "GET / HTTP/1.0\r\n\r\n");
echo substr(strstr(stream_get_contents($socket), "\r\n\r\n"), 4);
proc_terminate($process, 9);
proc_close($process);
unlink("$folder/index.php");
rmdir($folder);
?>
--EXPECT--
A server does not run inside a web request (here of cli-server): it is a process of its own, started on the command line: php server.php
Inside a web request (here of cli-server) nobody subscribes: ask the process that runs the server to publish it, by a route of its own
200
