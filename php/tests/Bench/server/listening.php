<?php

declare(strict_types=1);

// Listens and takes nothing: says its port, then sleeps. With an argument a child of it, which does not have the listener, sleeps too.

$listener = stream_socket_server('tcp://127.0.0.1:0');
$name = $listener === false ? '' : (string) stream_socket_get_name($listener, false);
$child = isset($argv[1]) ? pcntl_fork() : -1;
if ($child === 0 && $listener !== false) {
    fclose($listener);
    pcntl_exec('/bin/sleep', ['60']);
    exit(1);
}
while ($child > 0 && file_get_contents("/proc/$child/comm") !== "sleep\n") {
    usleep(1000);
}
echo substr($name, (int) strrpos($name, ':') + 1), "\n";
sleep(60);
