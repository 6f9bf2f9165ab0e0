--TEST--
encode() and decode() are inverse for every type, size and mask
--FILE--
<?php
use Tusk\WebSocket\{CloseFrame, Frame, MessageType, Protocol};
$wrong = 0;
foreach ([0, 1, 125, 126, 127, 65535, 65536, 100000] as $size) {
    foreach ([MessageType::Text, MessageType::Binary, MessageType::Continuation, MessageType::Ping, MessageType::Pong] as $type) {
        foreach ([false, true] as $masked) {
            if ($size > 125 && in_array($type, [MessageType::Ping, MessageType::Pong], true)) {
                continue;
            }
            $payload = str_repeat('x', $size);
            $bytes = Protocol::encode($payload, $type, $masked);
            $frame = Protocol::decode($bytes . 'rest');
            $wrong += (int) !($frame instanceof Frame && $frame->type === $type && $frame->payload === $payload && $frame->final
                && $frame->bytesConsumed === strlen($bytes) && $frame->flags === ($masked ? 33 : 1));
            for ($cut = 0; $cut < min(20, strlen($bytes)); $cut++) {
                $wrong += (int) (Protocol::decode(substr($bytes, 0, $cut)) !== null);
            }
        }
    }
}
var_dump($wrong);
echo Protocol::acceptKey('dGhlIHNhbXBsZSBub25jZQ=='), "\n";
echo bin2hex(Protocol::encode('Hello')), ' ', bin2hex(Protocol::encode('', MessageType::Close)), ' ', bin2hex(Protocol::pack(new CloseFrame())), "\n";
// RFC 6455, 5.7
var_dump(Protocol::decode("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58")->payload);
$close = Protocol::decode("\x88\x05\x03\xe8bye");
var_dump($close::class, $close->code, $close->reason, $close->flags, $close->bytesConsumed);
var_dump(Protocol::decode("\x88\x00")->code);
?>
--EXPECT--
int(0)
s3pPLMBiTxaQ9kYGzzhZRbK+xOo=
810548656c6c6f 8800 880203e8
string(5) "Hello"
string(25) "Tusk\WebSocket\CloseFrame"
int(1000)
string(3) "bye"
int(1)
int(7)
int(1005)
