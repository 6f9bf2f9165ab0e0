<?php
// SPDX-License-Identifier: MIT
// Ratchet as a peer: php ratchet.php ROLE PORT AUTOLOADER [CERTIFICATE KEY]
declare(strict_types=1);

use Ratchet\ConnectionInterface;
use Ratchet\RFC6455\Messaging\MessageInterface;
use Ratchet\WebSocket\MessageComponentInterface;
use Ratchet\WebSocket\WsServerInterface;

[, $role, $port, $autoloader] = $argv;
error_reporting(E_ALL & ~E_DEPRECATED);
require $autoloader;

$peer = new class ($role) implements MessageComponentInterface, WsServerInterface {
    /** @var SplObjectStorage<ConnectionInterface, null> */
    private SplObjectStorage $open;

    public function __construct(private readonly string $role)
    {
        $this->open = new SplObjectStorage();
    }

    public function getSubProtocols(): array
    {
        return $this->role === 'handshake' ? ['chat.v1'] : [];
    }

    public function onOpen(ConnectionInterface $connection): void
    {
        $this->open->attach($connection);
    }

    public function onMessage(ConnectionInterface $connection, MessageInterface $message): void
    {
        foreach ($this->role === 'broadcast' ? $this->open : [$connection] as $receiver) {
            $receiver->send($message);
        }
    }

    public function onClose(ConnectionInterface $connection): void
    {
        $this->open->detach($connection);
    }

    public function onError(ConnectionInterface $connection, Exception $fault): void
    {
        $connection->close();
    }
};
$loop = React\EventLoop\Loop::get();
$socket = isset($argv[5])
    ? new React\Socket\SocketServer("tls://127.0.0.1:$port", ['tls' => ['local_cert' => $argv[4], 'local_pk' => $argv[5]]], $loop)
    : new React\Socket\SocketServer("127.0.0.1:$port", [], $loop);
(new Ratchet\Server\IoServer(new Ratchet\Http\HttpServer(new Ratchet\WebSocket\WsServer($peer)), $socket, $loop))->run();
