--TEST--
Constants, parameter counts and readonly properties are as the contract says
--FILE--
<?php
$r = new ReflectionClass(Tusk\WebSocket\Protocol::class);
echo json_encode($r->getConstants()), "\n";
foreach (['WebSocket\Server' => ['__construct', 'listen', 'subprotocols', 'onHandshake', 'onOpen', 'onMessage', 'onClose', 'onError', 'run', 'stop', 'getDriver'],
    'WebSocket\HandshakeResponse' => ['__construct'], 'WebSocket\HandshakeException' => ['__construct'], 'WebSocket\Request' => ['header'],
    'WebSocket\Connection' => ['send', 'close', 'isOpen'], 'WebSocket\Protocol' => ['acceptKey', 'encode', 'decode', 'pack', 'unpack'],
    'WebSocket\Frame' => ['__construct'], 'WebSocket\CloseFrame' => ['__construct'], 'WebSocket\ServerOptions' => ['__construct']] as $class => $methods) {
    foreach ($methods as $method) {
        $m = new ReflectionMethod("Tusk\\$class", $method);
        echo "$class::$method ", $m->getNumberOfRequiredParameters(), '/', $m->getNumberOfParameters(), "\n";
    }
}
foreach (['Server', 'Connection', 'Request', 'Frame', 'CloseFrame', 'ServerOptions', 'HandshakeResponse'] as $class) {
    $r = new ReflectionClass("Tusk\\WebSocket\\$class");
    echo $class, $r->isFinal() ? ' final' : '', ' ', implode(' ', array_map(fn ($p) => ($p->isReadOnly() ? '' : '!') . $p->getName(), $r->getProperties())), "\n";
}
var_dump(method_exists(Tusk\WebSocket\Server::class, 'send'), method_exists(Tusk\WebSocket\Server::class, 'close'));
echo implode(' ', array_map(fn ($c) => $c->name, Tusk\WebSocket\MessageType::cases())), "\n";
?>
--EXPECT--
{"OPCODE_CONTINUATION":0,"OPCODE_TEXT":1,"OPCODE_BINARY":2,"OPCODE_CLOSE":8,"OPCODE_PING":9,"OPCODE_PONG":10,"FLAG_FIN":1,"FLAG_COMPRESS":2,"FLAG_RSV1":4,"FLAG_RSV2":8,"FLAG_RSV3":16,"FLAG_MASK":32,"CLOSE_NORMAL":1000,"CLOSE_GOING_AWAY":1001,"CLOSE_PROTOCOL_ERROR":1002,"CLOSE_UNSUPPORTED_DATA":1003,"CLOSE_NO_STATUS":1005,"CLOSE_ABNORMAL":1006,"CLOSE_INVALID_PAYLOAD":1007,"CLOSE_POLICY_VIOLATION":1008,"CLOSE_MESSAGE_TOO_BIG":1009,"CLOSE_EXTENSION_MISSING":1010,"CLOSE_SERVER_ERROR":1011,"CLOSE_TLS":1015}
WebSocket\Server::__construct 0/1
WebSocket\Server::listen 2/2
WebSocket\Server::subprotocols 0/1
WebSocket\Server::onHandshake 1/1
WebSocket\Server::onOpen 1/1
WebSocket\Server::onMessage 1/1
WebSocket\Server::onClose 1/1
WebSocket\Server::onError 1/1
WebSocket\Server::run 0/0
WebSocket\Server::stop 0/0
WebSocket\Server::getDriver 0/0
WebSocket\HandshakeResponse::__construct 0/3
WebSocket\HandshakeException::__construct 0/1
WebSocket\Request::header 1/1
WebSocket\Connection::send 1/2
WebSocket\Connection::close 0/2
WebSocket\Connection::isOpen 0/0
WebSocket\Protocol::acceptKey 1/1
WebSocket\Protocol::encode 1/3
WebSocket\Protocol::decode 1/1
WebSocket\Protocol::pack 1/3
WebSocket\Protocol::unpack 1/1
WebSocket\Frame::__construct 2/3
WebSocket\CloseFrame::__construct 0/2
WebSocket\ServerOptions::__construct 0/7
Server final port
Connection final id remoteAddress subprotocol params identity !state
Request final method target headers
Frame final type opcode flags payload final bytesConsumed
CloseFrame final code reason flags bytesConsumed
ServerOptions final maxMessageSize maxQueuedBytes maxConnections handshakeTimeoutMs idleTimeoutMs pingIntervalMs pongTimeoutMs
HandshakeResponse final status headers body
bool(false)
bool(false)
Continuation Text Binary Ping Pong Close
