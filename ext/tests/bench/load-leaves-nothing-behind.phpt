--TEST--
Load: workers hold no descriptor of their parent, and end with it
--SKIPIF--
<?php if (!is_dir('/proc/self/fd')) die('skip only where /proc tells of descriptors'); ?>
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
use Tusk\Bench\{EchoServer, Load};

[$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
if (($parent = pcntl_fork()) === 0) {
    $open = fopen(__FILE__, 'r');
    $server = new EchoServer('tcp', 2);
    $load = new Load('tcp-hold', "tcp://127.0.0.1:{$server->port()}", ['connections' => 4, 'workers' => 2, 'duration' => '600s', 'warmup' => 0]);
    $load->start();
    while ($load->phase() !== 'measure') {
        $load->poll(0.1);
    }
    $pids = [...array_column($load->workers(), 'pid'), ...$server->pids()];
    fwrite($there, implode(' ', $pids) . "\n");
    sleep(600);
}
fclose($there);
$pids = array_map(intval(...), explode(' ', fgets($here)));
$kinds = [];
foreach ($pids as $pid) {
    foreach (glob("/proc/$pid/fd/*") as $fd) {
        if ((int) basename($fd) !== 2) {
            $kinds[preg_replace('~:?\[.*~', '', (string) readlink($fd))] = true;
        }
    }
}
ksort($kinds);
echo count($pids), ' processes: ', implode(' ', array_keys($kinds)), "\n";
posix_kill($parent, SIGKILL);
pcntl_waitpid($parent, $status);
$deadline = microtime(true) + 20;
do {
    usleep(10_000);
    $left = array_filter($pids, fn (int $pid): bool => preg_match('~^State:\s+[^ZX]~m', (string) @file_get_contents("/proc/$pid/status")) === 1);
} while ($left !== [] && microtime(true) < $deadline);
echo count($left), " left\n";
?>
--EXPECT--
4 processes: /dev/null anon_inode pipe socket
0 left
