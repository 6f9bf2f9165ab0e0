--TEST--
Contract: Protocol, Frame and CloseFrame: what is encoded, decoded, refused, and what is a fault
--FILE--
<?php
require __DIR__ . '/contract.inc';
use Tusk\WebSocket\{CloseFrame, Frame, MessageType, Protocol};

// ---- acceptKey (RFC 6455, 1.3) ----
same('acceptKey', 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=', Protocol::acceptKey('dGhlIHNhbXBsZSBub25jZQ=='));
refused('Protocol: is not made', Error::class, fn () => new Protocol(), 'private');

// ---- encode ----
same('encode: text by default, one frame, no mask', "\x81\x05Hello", Protocol::encode('Hello'));
foreach (['Continuation' => 0x80, 'Text' => 0x81, 'Binary' => 0x82, 'Ping' => 0x89, 'Pong' => 0x8a] as $name => $byte) {
    same("encode: $name", chr($byte) . "\x02ab", Protocol::encode('ab', constant(MessageType::class . "::$name")));
}
same('encode: a Close payload', "\x88\x05\x03\xe8bye", Protocol::encode("\x03\xe8bye", MessageType::Close));
same('encode: an empty Close', "\x88\x00", Protocol::encode('', MessageType::Close));
foreach ([125 => "\x82\x7d", 126 => "\x82\x7e\x00\x7e", 65535 => "\x82\x7e\xff\xff", 65536 => "\x82\x7f\0\0\0\0\0\x01\0\0"] as $size => $head) {
    same("encode: the length $size takes its shortest form", [$head, $size + strlen($head)],
        [substr($bytes = Protocol::encode(str_repeat('x', $size), MessageType::Binary), 0, strlen($head)), strlen($bytes)]);
}
$masked = Protocol::encode('Hello', MessageType::Text, true);
same('encode: masked', [0x81, 0x85, 11], [ord($masked[0]), ord($masked[1]), strlen($masked)]);
same('encode: masked, by its key', 'Hello', substr($masked, 6) ^ substr($masked, 2, 4) . substr($masked, 2, 1));
holds('encode: keys differ', count(array_unique(array_map(fn () => substr(Protocol::encode('x', masked: true), 2, 4), range(1, 50)))) > 40);
foreach (["\xff", "\xc0\xaf", "\xed\xa0\x80", "cut\xe2\x82"] as $bad) {
    refused('encode: text that is not UTF-8', ValueError::class, fn () => Protocol::encode($bad), 'UTF-8');
    accepted('encode: the same as Binary', fn () => Protocol::encode($bad, MessageType::Binary));
}
foreach (['Ping', 'Pong', 'Close'] as $name) {
    refused("encode: a $name over 125 bytes", ValueError::class, fn () => Protocol::encode("\x03\xe8" . str_repeat('x', 124), constant(MessageType::class . "::$name")), '125');
}
foreach (["\x03", "\x03\xed", "\x03\xe8\xff", "\0\0"] as $bad) {
    refused('encode: no Close payload, ' . bin2hex($bad), ValueError::class, fn () => Protocol::encode($bad, MessageType::Close));
}

// ---- decode ----
foreach ([0, 1, 125, 126, 65535, 65536, 70001] as $size) {
    foreach ([false, true] as $mask) {
        $payload = str_repeat('x', $size);
        $bytes = Protocol::encode($payload, MessageType::Binary, $mask);
        $frame = Protocol::decode($bytes . 'rest');
        same("decode: $size bytes" . ($mask ? ', masked' : ''), [Frame::class, MessageType::Binary, 2, $mask ? 33 : 1, true, strlen($bytes)],
            [get_class($frame), $frame->type, $frame->opcode, $frame->flags, $frame->final, $frame->bytesConsumed]);
        holds("decode: $size bytes, the payload", $frame->payload === $payload);
        $nulls = 0;
        foreach ($cuts = [...range(0, min(14, strlen($bytes) - 1)), strlen($bytes) - 1] as $cut) {
            $nulls += (int) (Protocol::decode(substr($bytes, 0, $cut)) === null);
        }
        same("decode: $size bytes, null while bytes are missing", count($cuts), $nulls);
    }
}
same('decode: not the last of its message', [false, 0], [($frame = Protocol::decode("\x01\x01a"))->final, $frame->flags]);
$close = Protocol::decode("\x88\x05\x03\xe8bye");
same('decode: a Close', [CloseFrame::class, 1000, 'bye', 1, 7], [get_class($close), $close->code, $close->reason, $close->flags, $close->bytesConsumed]);
same('decode: an empty Close has no status', 1005, Protocol::decode("\x88\x00")->code);
$faults = [
    'opcode 3' => "\x83\x00", 'opcode 7' => "\x87\x00", 'opcode 11' => "\x8b\x00", 'opcode 15' => "\x8f\x00",
    'a fragmented Ping' => "\x09\x00", 'a fragmented Close' => "\x08\x00", 'a Ping of 126 bytes' => "\x89\x7e\x00\x7e",
    'a length that is not minimal (16 bits)' => "\x81\x7e\x00\x05", 'a length that is not minimal (64 bits)' => "\x81\x7f\0\0\0\0\0\0\xff\xff",
    'a length with its highest bit' => "\x81\x7f\x80\0\0\0\0\0\0\0", 'RSV1' => "\xc1\x00", 'RSV2' => "\xa1\x00", 'RSV3' => "\x91\x00",
    'a Close of one byte' => "\x88\x01\x00", 'a Close with code 1005' => "\x88\x02\x03\xed", 'a Close with code 999' => "\x88\x02\x03\xe7",
    'a Close whose reason is not UTF-8' => "\x88\x03\x03\xe8\xff",
];
$named = [];
foreach ($faults as $what => $bytes) {
    try {
        Protocol::decode($bytes);
        holds("decode: $what: nothing thrown", false);
    } catch (Error $e) {
        same("decode: $what is an Error", Error::class, get_class($e));
        $named[] = $e->getMessage();
    }
}
holds('decode: a fault is named', min(array_map('strlen', $named)) > 10 && count(array_unique($named)) >= 8);

// ---- pack and unpack: the same with raw bits ----
same('pack: text and FIN by default', "\x81\x01a", Protocol::pack('a'));
foreach (['FLAG_FIN' => "\x82\x01a", 'FLAG_RSV2' => "\x22\x01a", 'FLAG_RSV3' => "\x12\x01a", 'FLAG_RSV1' => "\x42\x01a"] as $flag => $bytes) {
    same("pack: $flag", $bytes, Protocol::pack('a', Protocol::OPCODE_BINARY, constant(Protocol::class . "::$flag")));
}
same('pack: FLAG_MASK', [0x82, 0x81, 7], [ord(($bytes = Protocol::pack('a', 2, Protocol::FLAG_FIN | Protocol::FLAG_MASK))[0]), ord($bytes[1]), strlen($bytes)]);
$packed = Protocol::pack(str_repeat('a', 1000), Protocol::OPCODE_TEXT, Protocol::FLAG_FIN | Protocol::FLAG_COMPRESS);
holds('pack: FLAG_COMPRESS is shorter and has RSV1', strlen($packed) < 100 && (ord($packed[0]) & 0x40) !== 0);
same('pack: a part that is cut within a character', "\x01\x02\xe2\x82", Protocol::pack("\xe2\x82", 1, 0));
foreach ([3, 7, 11, 15, 16, -1, PHP_INT_MAX] as $opcode) {
    refused("pack: opcode $opcode", ValueError::class, fn () => Protocol::pack('x', $opcode), '#2 ($opcode)');
}
foreach ([8, 9, 10] as $opcode) {
    refused("pack: control frame $opcode without FIN", ValueError::class, fn () => Protocol::pack('', $opcode, 0), 'FIN');
    refused("pack: control frame $opcode over 125 bytes", ValueError::class, fn () => Protocol::pack("\x03\xe8" . str_repeat('x', 124), $opcode), '125');
}
foreach ([64, -1, PHP_INT_MIN] as $flags) {
    refused("pack: flags $flags", ValueError::class, fn () => Protocol::pack('x', 1, $flags), '#3 ($flags)');
}
refused('pack: whole text that is not UTF-8', ValueError::class, fn () => Protocol::pack("\xff", 1, Protocol::FLAG_FIN), 'UTF-8');
refused('pack: another object', TypeError::class, fn () => Protocol::pack(new stdClass()), 'CloseFrame');
same('unpack: null while bytes are missing', null, Protocol::unpack("\x81\x05He"));
same('unpack: what decode gives', [MessageType::Text, 'Hello', 7], [($frame = Protocol::unpack("\x81\x05Hello"))->type, $frame->payload, $frame->bytesConsumed]);
foreach (['FLAG_RSV1' => "\xc1\x00", 'FLAG_RSV2' => "\xa1\x00", 'FLAG_RSV3' => "\x91\x00"] as $flag => $bytes) {
    holds("unpack: $flag is shown", (Protocol::unpack($bytes)->flags & constant(Protocol::class . "::$flag")) !== 0);
}
foreach (['opcode 3' => "\x83\x00", 'a fragmented Ping' => "\x09\x00", 'a length that is not minimal' => "\x81\x7e\x00\x05"] as $what => $bytes) {
    refused("unpack: $what", Error::class, fn () => Protocol::unpack($bytes));
}

// ---- Frame and CloseFrame ----
$frame = new Frame(MessageType::Text, 'hi');
same('Frame', [MessageType::Text, 1, 1, 'hi', true, 0], [$frame->type, $frame->opcode, $frame->flags, $frame->payload, $frame->final, $frame->bytesConsumed]);
$part = new Frame(MessageType::Continuation, 'hi', false);
same('Frame: not final', [0, 0, false], [$part->opcode, $part->flags, $part->final]);
same('pack: a Frame', ["\x81\x02hi", "\x00\x02hi"], [Protocol::pack($frame), Protocol::pack($part)]);
$close = new CloseFrame();
same('CloseFrame: defaults', [1000, '', 1, 0], [$close->code, $close->reason, $close->flags, $close->bytesConsumed]);
same('pack: a CloseFrame', ["\x88\x02\x03\xe8", "\x88\x05\x0f\xa1bye"], [Protocol::pack($close), Protocol::pack(new CloseFrame(4001, 'bye'))]);
foreach ([$frame, $close] as $object) {
    foreach ((new ReflectionObject($object))->getProperties() as $property) {
        $name = $property->getName();
        refused(get_class($object) . "::\$$name cannot be written", Error::class, function () use ($object, $name) { $object->$name = $object->$name; }, 'readonly');
    }
}
refused('Frame: a control frame that is not final', ValueError::class, fn () => new Frame(MessageType::Ping, 'x', false));
refused('Frame: a Ping over 125 bytes', ValueError::class, fn () => new Frame(MessageType::Ping, str_repeat('x', 126)), '125');
foreach ([0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, -1] as $code) {
    refused("CloseFrame: code $code", ValueError::class, fn () => new CloseFrame($code), '#1 ($code)');
}
refused('CloseFrame: a reason over 123 bytes', ValueError::class, fn () => new CloseFrame(1000, str_repeat('x', 124)), '123');
refused('CloseFrame: a reason that is not UTF-8', ValueError::class, fn () => new CloseFrame(1000, "\xff"), 'UTF-8');
refused('MessageType: is not made', Error::class, fn () => new MessageType(), 'enum');
tally();
?>
--EXPECT--
159 points hold
