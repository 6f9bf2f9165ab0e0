--TEST--
A port that is taken ends a script with one sentence where nobody catches the exception; who does has it, trace and all
--SKIPIF--
<?php if ((int) getenv('TUSK_SLOW') >= 10) die('skip thirteen scripts, each in a PHP of its own'); ?>
--FILE--
<?php
$taken = stream_socket_server('tcp://127.0.0.1:0');
$address = stream_socket_get_name($taken, false);
$folder = sys_get_temp_dir() . '/tusk-taken-' . getmypid();
mkdir($folder);
$log = "$folder/log";
function ends(string $name, string $code): void
{
    global $address, $folder, $log;
    file_put_contents("$folder/script.php", '<?php ' . strtr($code, ['ADDRESS' => "'$address'", 'PORT' => substr($address, 10)]));
    file_put_contents($log, '');
    exec(escapeshellarg(PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS') . ' -d display_errors=0 -d log_errors=1 -d error_log=' . escapeshellarg($log) . ' ' . escapeshellarg("$folder/script.php"), $said, $status);
    $text = preg_replace('~^\[.*?\] ~m', '', file_get_contents($log));
    $lines = explode("\n", strtr(rtrim($text), [$address => 'ADDRESS', "$folder/" => '']));
    echo "$name: $status, ", implode(' ', $said) ?: '-', "\n    ", $lines[0] ?: '-', isset($lines[1]) ? ' and a trace' : '', "\n";
}
file_put_contents("$folder/inside.php", '<?php return static fn ($s) => $s->run();');
$server = '$s = new Tusk\Server(ADDRESS);';
ends('plainly', "$server exit(\$s->run());");
ends('with workers', '$s = new Tusk\Server(ADDRESS, workers: 2); exit($s->run());');
ends('of the compatible class', '$s = new Tusk\WebSocket\Server(); $s->listen("127.0.0.1", PORT); $s->run();');
ends('a proxy', 'class R implements Tusk\Proxy\Resolver { public function resolve(Tusk\Proxy\Lookup $l): Tusk\Proxy\Route { throw new Tusk\Proxy\Refused(404); } } $p = new Tusk\Proxy\Tcp(new R(), ADDRESS); exit($p->run());');
ends('in a function of another file', "$server (require 'inside.php')(\$s);");
ends('what is shut down is shut down', "register_shutdown_function(fn () => print('shut down')); $server \$s->run();");
ends('caught', "$server try { \$s->run(); } catch (Exception \$e) { echo get_class(\$e), ' ', count(\$e->getTrace()), ' ', str_contains(\$e->getMessage(), 'in use'); }");
ends('caught further out', "$server function f(\$s) { \$s->run(); } try { f(\$s); } catch (Tusk\\Exception) { echo 'caught'; }");
ends('caught behind it', "$server try { echo 'tried '; } catch (Exception) { } \$s->run();");
ends('finally', "$server try { \$s->run(); } finally { echo 'finally'; }");
ends('a handler of exceptions', "set_exception_handler(fn (\$e) => exit(7)); $server \$s->run();");
ends('called by something else', "$server array_map(fn (\$s) => \$s->run(), [\$s]);");
ends('in a fiber', "$server try { (new Fiber(fn () => \$s->run()))->start(); } catch (Exception) { echo 'caught'; }");
array_map(unlink(...), glob("$folder/*"));
rmdir($folder);
?>
--EXPECT--
plainly: 255, -
    Tusk: cannot listen on ADDRESS: address already in use; choose another port, or 0 for any that is free
with workers: 255, -
    Tusk: cannot listen on ADDRESS: address already in use; choose another port, or 0 for any that is free
of the compatible class: 255, -
    Tusk: cannot listen on ADDRESS: address already in use; choose another port, or 0 for any that is free
a proxy: 255, -
    Tusk: cannot listen on ADDRESS: address already in use; choose another port, or 0 for any that is free
in a function of another file: 255, -
    Tusk: cannot listen on ADDRESS: address already in use; choose another port, or 0 for any that is free
what is shut down is shut down: 255, shut down
    Tusk: cannot listen on ADDRESS: address already in use; choose another port, or 0 for any that is free
caught: 0, Tusk\Exception 1 1
    -
caught further out: 0, caught
    -
caught behind it: 255, tried
    Tusk: cannot listen on ADDRESS: address already in use; choose another port, or 0 for any that is free
finally: 255, finally
    PHP Fatal error:  Uncaught Tusk\Exception: cannot listen on ADDRESS: address already in use; choose another port, or 0 for any that is free in script.php:1 and a trace
a handler of exceptions: 7, -
    -
called by something else: 255, -
    PHP Fatal error:  Uncaught Tusk\Exception: cannot listen on ADDRESS: address already in use; choose another port, or 0 for any that is free in script.php:1 and a trace
in a fiber: 0, caught
    -
