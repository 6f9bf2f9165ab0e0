--TEST--
Outside a server what a WebSocket client sends leaves at once, also when nobody receives, or the client is forgotten
--SKIPIF--
<?php if (!function_exists('pcntl_fork')) die('skip pcntl is needed'); ?>
--FILE--
<?php
use Tusk\WebSocket\{Client, Connection};

[$mine, $its] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$pid = pcntl_fork();
if ($pid === 0) {
    fclose($mine);
    $server = new Tusk\Server('127.0.0.1:0');
    $server->onStart(fn () => fwrite($its, "$server->port\n"));
    $server->websocket('/', message: fn (Connection $c, string $m) => fwrite($its, strlen($m) > 99 ? strlen($m) . "\n" : "$m\n"));
    $server->run();
    exit(0);
}
fclose($its);
stream_set_timeout($mine, 10);
$port = (int) fgets($mine);
$client = new Client("ws://127.0.0.1:$port/");
$client->send('nobody receives');
echo fgets($mine);
$client->send(str_repeat('x', 50000));
unset($client);
echo fgets($mine);
(new Client("ws://127.0.0.1:$port/"))->send('forgotten at once');
echo fgets($mine);
posix_kill($pid, SIGTERM);
pcntl_waitpid($pid, $status);
echo pcntl_wexitstatus($status), "\n";
?>
--EXPECT--
nobody receives
50000
forgotten at once
0
