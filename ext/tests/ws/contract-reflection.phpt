--TEST--
Contract: parameter counts, names, types, defaults, properties, constants and cases of every member
--FILE--
<?php
require __DIR__ . '/contract.inc';

/** "Type|null $name = default, …: return type", as the contract's table has it. */
function signature(string $class, string $method): string
{
    $m = new ReflectionMethod("Tusk\\WebSocket\\$class", $method);
    $parameters = array_map(function (ReflectionParameter $p): string {
        $default = $p->isDefaultValueAvailable() ? ' = ' . ($p->isDefaultValueConstant()
            ? preg_replace('/^(self|.*\\\\)(?=\w+::)/', '', $p->getDefaultValueConstantName())
            : str_replace([\Tusk\WebSocket\MessageType::class, '\\'], ['MessageType', ''], preg_replace('/\s+|\d+ => /', '', var_export($p->getDefaultValue(), true)))) : '';
        return str_replace('Tusk\\WebSocket\\', '', (string) $p->getType()) . ($p->isVariadic() ? ' ...$' : ' $') . $p->getName() . $default;
    }, $m->getParameters());
    $return = $m->hasReturnType() ? ': ' . str_replace('Tusk\\WebSocket\\', '', (string) $m->getReturnType()) : '';
    return ($m->isStatic() ? 'static ' : '') . '(' . implode(', ', $parameters) . ')' . $return;
}

$members = [
    'Server' => [
        '__construct' => '(ServerOptions|array $options = array())',
        'listen' => '(string $host, int $port): void',
        'subprotocols' => '(string ...$protocols): void',
        'onHandshake' => '(Closure $callback): void',
        'onOpen' => '(Closure $callback): void',
        'onMessage' => '(Closure $callback): void',
        'onClose' => '(Closure $callback): void',
        'onError' => '(Closure $callback): void',
        'onStart' => '(Closure $callback): void',
        'run' => '(): void',
        'stop' => '(): void',
        'getDriver' => '(): string',
        'deflate' => '(Deflate $options): void',
    ],
    'Request' => ['header' => '(string $name): ?string'],
    'HandshakeResponse' => ['__construct' => "(int \$status = 403, array \$headers = array(), string \$body = '')"],
    'HandshakeException' => ['__construct' => '(?HandshakeResponse $response = NULL)'],
    'Connection' => [
        'send' => '(string $data, MessageType $type = MessageType::Text): void',
        'close' => "(int \$code = 1000, string \$reason = ''): void",
        'isOpen' => '(): bool',
        'bufferedBytes' => '(): int',
        'ping' => "(string \$payload = ''): void",
        'terminate' => '(): void',
        'unsubscribe' => '(string $topic): void',
    ],
    'Protocol' => [
        'acceptKey' => 'static (string $key): string',
        'encode' => 'static (string $payload, MessageType $type = MessageType::Text, bool $masked = false): string',
        'decode' => 'static (string $bytes): Frame|CloseFrame|null',
        'pack' => 'static (Frame|CloseFrame|string $payload, int $opcode = Protocol::OPCODE_TEXT, int $flags = Protocol::FLAG_FIN): string',
        'unpack' => 'static (string $bytes): Frame|CloseFrame|null',
    ],
    'Frame' => ['__construct' => '(MessageType $type, string $payload, bool $final = true)'],
    'CloseFrame' => ['__construct' => "(int \$code = 1000, string \$reason = '')"],
    'ServerOptions' => ['__construct' => '(int $maxMessageSize = 16777216, int $maxQueuedBytes = 16777216, int $maxConnections = 10000, '
        . 'int $handshakeTimeoutMs = 10000, int $idleTimeoutMs = 120000, int $pingIntervalMs = 0, int $pongTimeoutMs = 10000)'],
];
foreach ($members as $class => $methods) {
    foreach ($methods as $method => $expected) {
        same("$class::$method", $expected, signature($class, $method));
    }
}
// Parameter counts, as somebody who calls by position counts them: required/all.
$counts = ['Server::__construct' => '0/1', 'Server::listen' => '2/2', 'Server::subprotocols' => '0/1', 'Server::onHandshake' => '1/1',
    'Server::onOpen' => '1/1', 'Server::onMessage' => '1/1', 'Server::onClose' => '1/1', 'Server::onError' => '1/1', 'Server::run' => '0/0',
    'Server::stop' => '0/0', 'Server::getDriver' => '0/0', 'Request::header' => '1/1', 'HandshakeResponse::__construct' => '0/3',
    'HandshakeException::__construct' => '0/1', 'Connection::send' => '1/2', 'Connection::close' => '0/2', 'Connection::isOpen' => '0/0',
    'Protocol::acceptKey' => '1/1', 'Protocol::encode' => '1/3', 'Protocol::decode' => '1/1', 'Protocol::pack' => '1/3', 'Protocol::unpack' => '1/1',
    'Frame::__construct' => '2/3', 'CloseFrame::__construct' => '0/2', 'ServerOptions::__construct' => '0/7'];
foreach ($counts as $name => $expected) {
    $m = new ReflectionMethod(...explode('::', "Tusk\\WebSocket\\$name"));
    same("$name takes", $expected, $m->getNumberOfRequiredParameters() . '/' . $m->getNumberOfParameters());
}
// Properties: type, and '!' for one that can be written.
$properties = [
    'Server' => ['port' => 'int'],
    'Request' => ['method' => 'string', 'target' => 'string', 'headers' => 'array'],
    'HandshakeResponse' => ['status' => 'int', 'headers' => 'array', 'body' => 'string'],
    'Connection' => ['id' => 'string', 'remoteAddress' => 'string', 'subprotocol' => '?string', 'state' => '!mixed'],
    'Frame' => ['type' => 'Tusk\WebSocket\MessageType', 'opcode' => 'int', 'flags' => 'int', 'payload' => 'string', 'final' => 'bool', 'bytesConsumed' => 'int'],
    'CloseFrame' => ['code' => 'int', 'reason' => 'string', 'flags' => 'int', 'bytesConsumed' => 'int'],
    'ServerOptions' => array_fill_keys(['maxMessageSize', 'maxQueuedBytes', 'maxConnections', 'handshakeTimeoutMs', 'idleTimeoutMs', 'pingIntervalMs', 'pongTimeoutMs'], 'int'),
];
foreach ($properties as $class => $list) {
    foreach ($list as $name => $type) {
        $p = new ReflectionProperty("Tusk\\WebSocket\\$class", $name);
        same("$class::\$$name", $type, ($p->isReadOnly() ? '' : '!') . $p->getType());
        holds("$class::\$$name is public", $p->isPublic() && !$p->isStatic());
    }
}
foreach (['Server', 'Request', 'HandshakeResponse', 'HandshakeException', 'Connection', 'Protocol', 'Frame', 'CloseFrame', 'ServerOptions'] as $class) {
    holds("$class is final", (new ReflectionClass("Tusk\\WebSocket\\$class"))->isFinal());
}
foreach (['send', 'close'] as $method) {
    holds("Server has no $method()", !method_exists(Tusk\WebSocket\Server::class, $method));
}
same('Protocol has the constants', ['OPCODE_CONTINUATION' => 0, 'OPCODE_TEXT' => 1, 'OPCODE_BINARY' => 2, 'OPCODE_CLOSE' => 8, 'OPCODE_PING' => 9, 'OPCODE_PONG' => 10,
    'FLAG_FIN' => 1, 'FLAG_COMPRESS' => 2, 'FLAG_RSV1' => 4, 'FLAG_RSV2' => 8, 'FLAG_RSV3' => 16, 'FLAG_MASK' => 32,
    'CLOSE_NORMAL' => 1000, 'CLOSE_GOING_AWAY' => 1001, 'CLOSE_PROTOCOL_ERROR' => 1002, 'CLOSE_UNSUPPORTED_DATA' => 1003, 'CLOSE_NO_STATUS' => 1005,
    'CLOSE_ABNORMAL' => 1006, 'CLOSE_INVALID_PAYLOAD' => 1007, 'CLOSE_POLICY_VIOLATION' => 1008, 'CLOSE_MESSAGE_TOO_BIG' => 1009,
    'CLOSE_EXTENSION_MISSING' => 1010, 'CLOSE_SERVER_ERROR' => 1011, 'CLOSE_TLS' => 1015], (new ReflectionClass(Tusk\WebSocket\Protocol::class))->getConstants());
same('MessageType has the cases', ['Continuation', 'Text', 'Binary', 'Ping', 'Pong', 'Close'], array_map(fn ($c) => $c->name, Tusk\WebSocket\MessageType::cases()));
holds('HandshakeException is an Exception', is_subclass_of(Tusk\WebSocket\HandshakeException::class, Exception::class));
// By name and in this order.
same('ServerOptions takes its arguments by name', [1, 2, 3, 4, 5, 6, 7], array_values(get_object_vars(new Tusk\WebSocket\ServerOptions(
    pongTimeoutMs: 7, pingIntervalMs: 6, idleTimeoutMs: 5, handshakeTimeoutMs: 4, maxConnections: 3, maxQueuedBytes: 2, maxMessageSize: 1))));
same('ServerOptions takes its arguments in order', [1, 2, 3, 4, 5, 6, 7], array_values(get_object_vars(new Tusk\WebSocket\ServerOptions(1, 2, 3, 4, 5, 6, 7))));
tally();
?>
--EXPECT--
128 points hold
