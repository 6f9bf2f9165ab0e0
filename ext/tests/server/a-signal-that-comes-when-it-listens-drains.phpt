--TEST--
SIGTERM, SIGINT and SIGHUP are the server's from the moment that onListen is told: none of them kills it; and stop() in onListen stops it
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
use Tusk\{Server, Timer};

foreach ([[SIGTERM], [SIGINT], [SIGHUP, SIGTERM]] as $signals) {
    $child = pcntl_fork();
    if ($child === 0) {
        $server = new Server('127.0.0.1:0');
        $server->onListen(fn () => array_map(fn (int $signal) => posix_kill(posix_getpid(), $signal), $signals));
        Timer::delay(20, fn () => exit(9)); // it was never told
        exit($server->run());
    }
    pcntl_waitpid($child, $status);
    echo pcntl_wifexited($status) ? 'ended with ' . pcntl_wexitstatus($status) : 'killed by ' . pcntl_wtermsig($status), "\n";
}
foreach ([false, true] as $starts) {
    $child = pcntl_fork();
    if ($child === 0) {
        $server = new Server('127.0.0.1:0');
        $server->onListen(fn (Server $s) => $s->stop());
        if ($starts) {
            $server->onStart(fn () => print("started\n"));
        }
        Timer::delay(20, fn () => exit(9));
        exit($server->run());
    }
    pcntl_waitpid($child, $status);
    echo pcntl_wifexited($status) ? 'stopped with ' . pcntl_wexitstatus($status) : 'killed by ' . pcntl_wtermsig($status), "\n";
}
?>
--EXPECT--
ended with 0
ended with 0
ended with 0
stopped with 0
started
stopped with 0
