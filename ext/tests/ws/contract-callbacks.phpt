--TEST--
Contract: what onOpen, onMessage, onClose and onError are called with, and what becomes of what they return and throw
--FILE--
<?php
require __DIR__ . '/contract.inc';
use Tusk\WebSocket\{CloseFrame, Connection, MessageType, Server};

foreach (['onHandshake', 'onOpen', 'onMessage', 'onClose', 'onError'] as $on) {
    foreach (['strlen', [new ArrayObject(), 'count'], null, 1] as $bad) {
        refused("$on: " . get_debug_type($bad), TypeError::class, fn () => (new Server())->$on($bad), 'Closure');
    }
    accepted("$on: a first-class callable", fn () => (new Server())->$on(strlen(...)));
    accepted("$on: twice, the last one counts", function () use ($on): void {
        $server = new Server();
        $server->$on(fn () => 1);
        $server->$on(fn () => 2);
    });
}

// ---- arguments ----
$calls = [];
$note = function (string $on) use (&$calls): Closure {
    return function (mixed ...$arguments) use ($on, &$calls): void {
        $calls[$on][] = $arguments;
        if ($on === 'onMessage' && $arguments[1] === 'boom') {
            throw new DomainException('thrown');
        }
    };
};
$server = contract_server();
foreach (['onOpen', 'onMessage', 'onClose', 'onError'] as $on) {
    $server->$on($note($on));
}
talk($server, function (int $port) use (&$calls, $server): void {
    $peer = Peer::open($port);
    $peer->send('text', MessageType::Text);
    $peer->send("\xff\0", MessageType::Binary);
    $peer->write(Tusk\WebSocket\Protocol::pack('fra', 1, 32) . Tusk\WebSocket\Protocol::pack('gments', 0, 33));
    $peer->send('ping', MessageType::Ping);
    $pong = $peer->receive();
    same('a ping is answered with its payload', ['Pong', 'ping'], [$pong->type->name, $pong->payload]);
    $peer->send('boom');
    same('onError has been called: the connection is closed with 1011', 1011, $peer->receive()->code);
    $peer->goodbye();
    until(fn () => isset($calls['onClose']));
    $types = fn (string $on) => array_map(fn (array $arguments) => array_map('get_debug_type', $arguments), $calls[$on]);
    same('onOpen(Connection)', [[Connection::class]], $types('onOpen'));
    same('onMessage(Connection, string, MessageType)', array_fill(0, 4, [Connection::class, 'string', MessageType::class]), $types('onMessage'));
    same('onMessage: payloads', ['text', "\xff\0" === $calls['onMessage'][1][1] ? 'binary' : '?', 'fragments', 'boom'],
        array_map(fn (array $a) => preg_match('//u', $a[1]) ? $a[1] : 'binary', $calls['onMessage']));
    same('onMessage: types; pings are no messages', ['Text', 'Binary', 'Text', 'Text'], array_map(fn (array $a) => $a[2]->name, $calls['onMessage']));
    same('onClose(Connection), once', [[Connection::class]], $types('onClose'));
    same('onError(Throwable)', [[DomainException::class]], $types('onError'));
    holds('every callback gets the same object while it is held', $calls['onOpen'][0][0] === $calls['onMessage'][3][0] && $calls['onOpen'][0][0] === $calls['onClose'][0][0]);
});

// ---- what they return and throw ----
$server = contract_server();
$errors = $closed = [];
$server->onOpen(fn () => match ($GLOBALS['open']) { 'false' => false, 'throw' => throw new DomainException('open'), 'error' => strlen(), default => $GLOBALS['open'] });
$server->onMessage(function (Connection $c, string $m): mixed {
    return match ($m) { 'throw' => throw new DomainException('message'), 'exit' => exit(7), 'false' => false, default => $c->send($m) };
});
$server->onClose(function () use (&$closed): void {
    $closed[] = $GLOBALS['open'];
    if ($GLOBALS['open'] === 'close throws') {
        throw new DomainException('close');
    }
});
$server->onError(function (Throwable $e) use (&$errors): void {
    $errors[] = get_class($e) . ' ' . strtok($e->getMessage(), ' ');
    if ($GLOBALS['open'] === 'onError throws') {
        throw new LogicException('in onError');
    }
});
$open = null;
talk($server, function (int $port) use (&$open, &$errors, &$closed, $server): void {
    $bystander = Peer::open($port);
    $one = function (string $what, mixed $returned, ?string $message, ?int $code, array $expected) use ($port, $bystander, $server, &$open, &$errors, &$closed): void {
        $open = $returned;
        $errors = $closed = [];
        $peer = Peer::open($port);
        if ($message !== null) {
            $peer->send($message);
        }
        $frame = $peer->receive();
        same("$what: " . ($code === null ? 'goes on' : "closed with $code"), $code, $frame instanceof CloseFrame ? $frame->code : null);
        $peer->goodbye();
        until(fn () => $server->stats()['websockets_open'] === 1);
        same("$what: onError", $expected, $errors);
        same("$what: onClose once", [$returned], $closed);
        $bystander->send('here');
        same("$what: others go on", 'here', $bystander->text());
    };
    $one('false from onOpen', 'false', null, 1000, []);
    foreach ([null, true, 0, '', []] as $value) {
        $one(json_encode($value) . ' from onOpen', $value, 'echo', null, []);
    }
    $one('an exception from onOpen', 'throw', null, 1011, ['DomainException open']);
    $one('an Error from onOpen', 'error', null, 1011, ['ArgumentCountError strlen()']);
    $one('an exception from onMessage', null, 'throw', 1011, ['DomainException message']);
    $one('exit() in onMessage', null, 'exit', 1011, []);
    $open = null;
    $peer = Peer::open($port);
    $peer->send('false');
    $peer->send('still here');
    same('false from onMessage means nothing', 'still here', $peer->text());
    $peer->goodbye();
    until(fn () => $server->stats()['websockets_open'] === 1);
    $one('an exception from onClose', 'close throws', 'echo', null, ['DomainException close']);
    $one('an exception from onError', 'onError throws', 'throw', 1011, ['DomainException message']);
    $open = null;
    $bystander->goodbye();
});

// ---- closures that declare fewer parameters ----
$server = contract_server();
$server->onHandshake(function () use (&$calls): void { $calls['none'][] = 'onHandshake'; });
$server->onOpen(function () use (&$calls): void { $calls['none'][] = 'onOpen'; });
$server->onMessage(function (Connection $c) use (&$calls): void { $calls['none'][] = 'onMessage'; $c->close(); });
$server->onClose(function () use (&$calls): void { $calls['none'][] = 'onClose'; });
talk($server, function (int $port) use (&$calls): void {
    $peer = Peer::open($port);
    $peer->send('x');
    $peer->receive();
    $peer->goodbye();
    until(fn () => count($calls['none']) === 4);
    same('closures may declare fewer parameters', ['onHandshake', 'onOpen', 'onMessage', 'onClose'], $calls['none']);
});
// Without callbacks a server serves all the same; without onError exceptions are logged.
$server = contract_server();
talk($server, function (int $port): void {
    $peer = Peer::open($port);
    same('without any callback', 101, $peer->status());
    $peer->send('nobody listens');
    $peer->send('x', MessageType::Ping);
    same('without onMessage', 'x', $peer->text());
    $peer->goodbye();
});
$log = tempnam(sys_get_temp_dir(), 'tusk');
ini_set('error_log', $log);
$server = contract_server();
$server->onMessage(fn () => throw new DomainException('nobody catches this'));
talk($server, function (int $port): void {
    $peer = Peer::open($port);
    $peer->send('x');
    same('without onError: 1011 all the same', 1011, $peer->receive()->code);
    $peer->goodbye();
});
holds('without onError: logged', str_contains(file_get_contents($log), 'DomainException: nobody catches this'));
unlink($log);
tally();
?>
--EXPECT--
93 points hold
