<?php
// SPDX-License-Identifier: MIT
// amphp/websocket-server as a peer: php amphp.php ROLE PORT AUTOLOADER [CERTIFICATE KEY]
declare(strict_types=1);

use Amp\Http\Server\DefaultErrorHandler;
use Amp\Http\Server\Request;
use Amp\Http\Server\Response;
use Amp\Http\Server\SocketHttpServer;
use Amp\Socket\BindContext;
use Amp\Socket\Certificate;
use Amp\Socket\InternetAddress;
use Amp\Socket\ServerTlsContext;
use Amp\Websocket\Server\Rfc6455Acceptor;
use Amp\Websocket\Server\Websocket;
use Amp\Websocket\Server\WebsocketAcceptor;
use Amp\Websocket\Server\WebsocketClientGateway;
use Amp\Websocket\Server\WebsocketClientHandler;
use Amp\Websocket\WebsocketClient;
use Psr\Log\NullLogger;

[, $role, $port, $autoloader] = $argv;
require $autoloader;

$handler = new class ($role, new WebsocketClientGateway()) implements WebsocketClientHandler {
    public function __construct(private readonly string $role, private readonly WebsocketClientGateway $gateway) {}

    public function handleClient(WebsocketClient $client, Request $request, Response $response): void
    {
        $this->gateway->addClient($client);
        while ($message = $client->receive()) {
            $text = $message->buffer();
            if ($this->role === 'broadcast') {
                $this->gateway->broadcastText($text)->ignore();
            } else {
                $client->sendText($text);
            }
        }
    }
};
$logger = new NullLogger();
$server = SocketHttpServer::createForDirectAccess($logger, enableCompression: false, connectionLimit: 20000, connectionLimitPerIp: 20000, concurrencyLimit: 20000);
$context = isset($argv[5])
    ? (new BindContext())->withTlsContext((new ServerTlsContext())->withDefaultCertificate(new Certificate($argv[4], $argv[5])))
    : null;
$server->expose(new InternetAddress('127.0.0.1', (int) $port), $context);
$acceptor = $role !== 'handshake' ? new Rfc6455Acceptor() : new class (new Rfc6455Acceptor()) implements WebsocketAcceptor {
    public function __construct(private readonly WebsocketAcceptor $acceptor) {}

    public function handleHandshake(Request $request): Response
    {
        $response = $this->acceptor->handleHandshake($request);
        $response->setHeader('Sec-WebSocket-Protocol', 'chat.v1');

        return $response;
    }
};
$server->start(new Websocket($server, $logger, $acceptor, $handler), new DefaultErrorHandler());
Amp\trapSignal([SIGINT, SIGTERM]);
$server->stop();
