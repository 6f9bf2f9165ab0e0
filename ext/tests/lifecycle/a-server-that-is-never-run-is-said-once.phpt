--TEST--
A script that makes a server, a proxy or timers and ends without run() says so in the log, once; who has no server to run hears nothing
--EXTENSIONS--
tusk
pcntl
--SKIPIF--
<?php if ((int) getenv('TUSK_SLOW') >= 10) die('skip twenty-three scripts, each in a PHP of its own'); ?>
--FILE--
<?php
$folder = sys_get_temp_dir() . '/tusk-forgotten-' . getmypid();
mkdir($folder);
$log = "$folder/log";
$command = escapeshellarg(PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS') . ' -d error_log=' . escapeshellarg($log) . ' ' . escapeshellarg("$folder/script.php");

$resolver = 'new class () implements Tusk\Proxy\Resolver { public function resolve(Tusk\Proxy\Lookup $l): Tusk\Proxy\Route { throw new Tusk\Proxy\Refused(404); } }';
file_put_contents("$folder/factory.php", '<?php class Factory { static function make() { return new Tusk\Server("127.0.0.1:0"); } }');
$scripts = [
    'forgotten' => '$server = new Tusk\Server("127.0.0.1:0");' . "\n" . '$server->websocket("/", message: fn () => $server->publish("a", "b"));',
    'in a function of it' => "\nfunction make() {\nreturn new Tusk\Server('127.0.0.1:0'); }\n" . '$s = make();',
    'two' => '$a = new Tusk\Server("127.0.0.1:0"); $b = new Tusk\Server("127.0.0.1:0");',
    'compatible' => '$s = new Tusk\WebSocket\Server(); $s->listen("127.0.0.1", 0);',
    'proxy' => "\$p = new Tusk\\Proxy\\Tcp($resolver, '127.0.0.1:0');",
    'with workers' => '$s = new Tusk\Server("127.0.0.1:0", workers: 2);',
    'run' => '$s = new Tusk\Server("127.0.0.1:0"); $s->onStart(fn () => $s->stop()); exit($s->run());',
    'one of two is run' => '$a = new Tusk\Server("127.0.0.1:0"); $s = new Tusk\Server("127.0.0.1:0"); $s->onStart(fn () => $s->stop()); $s->run();',
    'run, which failed' => '$s = new Tusk\Server("unix:/no/such/folder/s"); try { $s->run(); } catch (Tusk\Exception) {}',
    'let go of' => '$s = new Tusk\Server("127.0.0.1:0"); unset($s);',
    'listens nowhere' => '$s = new Tusk\Server(); $s->stats();',
    'loopback' => '$s = new Tusk\Server("127.0.0.1:0"); $l = new Tusk\Testing\Loopback($s);',
    'of a class elsewhere' => "require '$folder/factory.php'; \$s = Factory::make();",
    'exit with a failure' => '$s = new Tusk\Server("127.0.0.1:0"); exit(2);',
    'an exception' => '$s = new Tusk\Server("127.0.0.1:0"); ini_set("error_log", "/dev/null"); throw new Exception("x");',
    'a child' => '$s = new Tusk\Server("127.0.0.1:0"); if (pcntl_fork() === 0) { return; } pcntl_wait($status); unset($s);',
    'timers' => "Tusk\Timer::repeat(1.0, fn () => 1);\nTusk\Timer::repeat(1.0, fn () => 1);",
    'deferred' => 'Tusk\Timer::defer(fn () => 1);',
    'timer and server' => '$s = new Tusk\Server("127.0.0.1:0"); Tusk\Timer::repeat(1.0, fn () => 1);',
    'timer of a server that ran' => '$s = new Tusk\Server("127.0.0.1:0"); Tusk\Timer::repeat(1.0, fn () => 1); $s->onStart(fn () => $s->stop()); $s->run();',
    'one timer was due' => 'Tusk\Timer::repeat(9.0, fn () => 1); Tusk\Timer::defer(fn () => 1); $l = new Tusk\Testing\Loopback(new Tusk\Server()); $l->settle();',
    'cancelled' => 'Tusk\Timer::cancel(Tusk\Timer::delay(1.0, fn () => 1));',
    'timer, and a failure' => 'Tusk\Timer::delay(1.0, fn () => 1); exit(2);',
];
foreach ($scripts as $name => $script) {
    file_put_contents("$folder/script.php", "<?php\n$script\n");
    file_put_contents($log, '');
    $process = proc_open($command, [1 => ['file', '/dev/null', 'w'], 2 => ['file', '/dev/null', 'w']], $pipes);
    proc_close($process);
    echo "$name: ", preg_replace('~^\[.*?\] ~m', '', trim(file_get_contents($log))), "\n";
}
array_map(unlink(...), glob("$folder/*"));
rmdir($folder);
?>
--EXPECT--
forgotten: Tusk: the script ended without run(): the server that it made in line 2 serves nobody. Its last line is to be exit($server->run());
in a function of it: Tusk: the script ended without run(): the server that it made in line 4 serves nobody. Its last line is to be exit($server->run());
two: Tusk: the script ended without run(): the server that it made in line 2 serves nobody. Its last line is to be exit($server->run());
compatible: Tusk: the script ended without run(): the server that it made in line 2 serves nobody. Its last line is to be exit($server->run());
proxy: Tusk: the script ended without run(): the proxy that it made in line 2 serves nobody. Its last line is to be exit($proxy->run());
with workers: Tusk: the script ended without run(): the server that it made in line 2 serves nobody. Its last line is to be exit($server->run());
run: 
one of two is run: 
run, which failed: 
let go of: 
listens nowhere: 
loopback: 
of a class elsewhere: 
exit with a failure: 
an exception: 
a child: 
timers: Tusk: the script ended before the timer of line 2 was due: timers run while a server does. Its last line is to be exit($server->run());
deferred: Tusk: the script ended before the timer of line 2 was due: timers run while a server does. Its last line is to be exit($server->run());
timer and server: Tusk: the script ended without run(): the server that it made in line 2 serves nobody. Its last line is to be exit($server->run());
timer of a server that ran: 
one timer was due: 
cancelled: 
timer, and a failure: 
