<?php
// SPDX-License-Identifier: MIT
// Swoole (or OpenSwoole) as a peer: php -d extension=swoole.so swoole.php ROLE PORT [DIR [CERTIFICATE KEY]]
declare(strict_types=1);

[, $role, $port] = $argv;
$dir = $argv[3] ?? '.';
$space = extension_loaded('openswoole') ? 'OpenSwoole' : 'Swoole';
$class = in_array($role, ['http', 'file'], true) ? "$space\\Http\\Server" : "$space\\WebSocket\\Server";
$tls = isset($argv[5]) ? SWOOLE_SSL : 0;
$server = new $class('127.0.0.1', (int) $port, 1 /* SWOOLE_BASE: one process, no hand-over */, SWOOLE_SOCK_TCP | $tls);
$settings = ['worker_num' => 1, 'open_tcp_nodelay' => true, 'log_level' => 5, 'max_conn' => 19000,
    'backlog' => 4096, 'enable_coroutine' => false, 'max_request' => 0];
if ($tls !== 0) {
    $settings += ['ssl_cert_file' => $argv[4], 'ssl_key_file' => $argv[5]];
}
if ($role === 'handshake') {
    $settings['websocket_subprotocol'] = 'chat.v1';
}
if ($role === 'file') {
    $settings += ['enable_static_handler' => true, 'document_root' => $dir];
}
$server->set($settings);
if (in_array($role, ['http', 'file'], true)) {
    $server->on('request', static fn ($request, $response) => $response->end('Hello, World!'));
} else {
    $server->on('message', static function ($server, $frame) use ($role): void {
        if ($role !== 'broadcast') {
            $server->push($frame->fd, $frame->data, $frame->opcode);
            return;
        }
        foreach ($server->connections as $fd) {
            $server->push($fd, $frame->data, $frame->opcode);
        }
    });
}
$server->start();
