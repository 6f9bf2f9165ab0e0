--TEST--
Load: forty thousand connections, several processes and source addresses on one side, several processes on the other
--SKIPIF--
<?php if (getenv('SKIP_ASAN') || (int) getenv('TUSK_SLOW') >= 10) die('skip too many for a checked build');
if ((posix_getrlimit()['hard openfiles'] ?? 0) !== 'unlimited' && posix_getrlimit()['hard openfiles'] < 4096) die('skip fewer than 4096 descriptors'); ?>
--EXTENSIONS--
posix
--FILE--
<?php
use Tusk\Bench\{EchoServer, Load};

$limit = posix_getrlimit()['hard openfiles'];
$limit = $limit === 'unlimited' ? 1 << 20 : (int) $limit;
$server = new EchoServer('ws', (int) ceil(40_000 / ($limit * 0.8)) + 1);
$load = new Load('ws-echo', "ws://127.0.0.1:{$server->port()}/", ['connections' => '40k', 'opening' => 1000, 'count' => 500, 'warmup' => 0,
    'timeout' => '30s', 'verify' => true, 'hiccup' => false]);
$load->start();
while ($load->poll(5)) {
}
$c = $load->counters();
$facts = $load->facts();
echo json_encode([$c['connected'], $c['opened'], $c['completed'], $c['open'], $facts['workers'] >= 40_000 / $limit, $facts['sources'] >= 2]), "\n";
foreach (array_filter($c, fn (int $n, string $name): bool => $n > 0 && str_starts_with($name, 'failed'), ARRAY_FILTER_USE_BOTH) as $name => $n) {
    echo "$name $n: ", implode('; ', array_column($load->workers(), 'error')), "\n";
}
?>
--EXPECT--
[40000,40000,500,0,true,true]
