<?php
// SPDX-License-Identifier: MIT
// Workerman as a peer: php workerman.php ROLE PORT DIR [CERTIFICATE KEY], DIR being its folder (with or without vendor/).
declare(strict_types=1);

use Workerman\Connection\TcpConnection;
use Workerman\Worker;

[, $role, $port, $dir] = $argv;
$tls = isset($argv[5]) ? ['ssl' => ['local_cert' => $argv[4], 'local_pk' => $argv[5], 'verify_peer' => false]] : [];
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
$worker = new Worker(($role === 'http' ? 'http' : 'websocket') . "://127.0.0.1:$port", $tls);
if ($tls !== []) {
    $worker->transport = 'ssl';
}
$worker->count = 1;
$scratch = sys_get_temp_dir() . "/tusk-bench-workerman-$port";
Worker::$pidFile = "$scratch.pid";
Worker::$logFile = "$scratch.log";
Worker::$stdoutFile = '/dev/null';
if ($role === 'handshake') {
    $worker->onWebSocketConnect = static function (TcpConnection $connection): void {
        $connection->headers = ['Sec-WebSocket-Protocol: chat.v1'];
    };
}
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
