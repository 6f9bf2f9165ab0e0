<?php
// SPDX-License-Identifier: MIT
// Workerman as a peer: php workerman.php ROLE PORT DIR, DIR being its folder (with or without vendor/).
declare(strict_types=1);

use Workerman\Connection\TcpConnection;
use Workerman\Worker;

[, $role, $port, $dir] = $argv;
if (is_file("$dir/vendor/autoload.php")) {
    require "$dir/vendor/autoload.php";
} else {
    spl_autoload_register(static function (string $class) use ($dir): void {
        $file = $dir . '/src/' . strtr(substr($class, strlen('Workerman\\')), '\\', '/') . '.php';
        if (str_starts_with($class, 'Workerman\\') && is_file($file)) {
            require $file;
        }
    });
}
$argv = [__FILE__, 'start'];
$_SERVER['argv'] = $argv;
$worker = new Worker(($role === 'http' ? 'http' : 'websocket') . "://127.0.0.1:$port");
$worker->count = 1;
$scratch = sys_get_temp_dir() . "/tusk-bench-workerman-$port";
Worker::$pidFile = "$scratch.pid";
Worker::$logFile = "$scratch.log";
Worker::$stdoutFile = '/dev/null';
$worker->onMessage = static function (TcpConnection $connection, mixed $data) use ($role, $worker): void {
    if ($role === 'http') {
        $connection->send('Hello, World!');
    } elseif ($role === 'broadcast') {
        foreach ($worker->connections as $other) {
            $other->send($data);
        }
    } else {
        $connection->send($data);
    }
};
Worker::runAll();
