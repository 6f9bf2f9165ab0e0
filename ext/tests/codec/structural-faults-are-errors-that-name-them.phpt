--TEST--
A structural fault is an Error that names it, wrong arguments are ValueErrors
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{CloseFrame, Frame, MessageType, Protocol};
foreach (["\x83\x00", "\x8b\x00", "\x09\x00", "\x89\x7e\x00\x7e", "\x81\x7e\x00\x05", "\x81\x7f\0\0\0\0\0\0\xff\xff", "\x81\x7f\xff\0\0\0\0\0\0\0",
    "\xc1\x00", "\xa1\x00", "\x91\x00", "\x88\x01\x00", "\x88\x02\x03\xed", "\x88\x03\x03\xe8\xff"] as $bytes) {
    attempt(fn () => Protocol::decode($bytes));
}
echo Protocol::unpack("\xf1\x00")->flags, ' ', Protocol::unpack("\x41\x81\0\0\0\0a")->flags, "\n";
attempt(fn () => Protocol::encode("\xff"));
attempt(fn () => Protocol::encode(str_repeat('x', 126), MessageType::Pong));
attempt(fn () => Protocol::encode("\x03", MessageType::Close));
attempt(fn () => Protocol::pack('x', 3));
attempt(fn () => Protocol::pack('x', 11));
attempt(fn () => Protocol::pack('x', -1));
attempt(fn () => Protocol::pack('x', Protocol::OPCODE_PING, 0));
attempt(fn () => Protocol::pack('x', 1, 64));
attempt(fn () => Protocol::pack("\xff", 1, 1));
attempt(fn () => Protocol::pack(new stdClass()));
foreach ([new Frame(MessageType::Ping, 'x'), new CloseFrame(1001)] as $frame) { // its own may be said, others would be lost
    attempt(fn () => Protocol::pack($frame, Protocol::OPCODE_BINARY));
    attempt(fn () => Protocol::pack($frame, flags: Protocol::FLAG_FIN | Protocol::FLAG_MASK));
    echo bin2hex(Protocol::pack($frame, $frame instanceof Frame ? $frame->opcode : Protocol::OPCODE_CLOSE, $frame->flags)), "\n";
}
attempt(fn () => new Frame(MessageType::Ping, 'x', false));
attempt(fn () => new Frame(MessageType::Ping, str_repeat('x', 126)));
attempt(fn () => new CloseFrame(1004));
attempt(fn () => new CloseFrame(1000, str_repeat('x', 124)));
attempt(fn () => new CloseFrame(1000, "\xff"));
attempt(fn () => new MessageType());
attempt(fn () => new Protocol());
attempt(fn () => (new ReflectionClass(Frame::class))->newInstanceWithoutConstructor());
attempt(fn () => unserialize('O:20:"Tusk\WebSocket\Frame":0:{}'));
echo bin2hex(Protocol::pack("\xff", 1, 0)), ' ', bin2hex(Protocol::pack(new Frame(MessageType::Binary, 'ab', false))), ' ',
    Protocol::unpack(Protocol::pack(str_repeat('a', 1000), 1, Protocol::FLAG_FIN | Protocol::FLAG_COMPRESS))->flags, "\n";
?>
--EXPECTF--
Error: Invalid WebSocket frame: unknown opcode
Error: Invalid WebSocket frame: unknown opcode
Error: Invalid WebSocket frame: control frame is fragmented
Error: Invalid WebSocket frame: control frame payload exceeds 125 bytes
Error: Invalid WebSocket frame: payload length is not minimally encoded
Error: Invalid WebSocket frame: payload length is not minimally encoded
Error: Invalid WebSocket frame: most significant bit of the 64-bit length is set
Error: Invalid WebSocket frame: reserved bit set without an extension
Error: Invalid WebSocket frame: reserved bit set without an extension
Error: Invalid WebSocket frame: reserved bit set without an extension
Error: Invalid WebSocket frame: close payload of 1 byte
Error: Invalid WebSocket frame: invalid close code
Error: Invalid WebSocket frame: close reason is not UTF-8
29 36
ValueError: Tusk\WebSocket\Protocol::encode(): Argument #1 ($payload) must be valid UTF-8 for a text frame
ValueError: Tusk\WebSocket\Protocol::encode(): Argument #1 ($payload) must be at most 125 bytes for a control frame, 126 given
ValueError: Tusk\WebSocket\Protocol::encode(): Argument #1 ($payload) must be empty or a close code and a UTF-8 reason for a close frame
ValueError: Tusk\WebSocket\Protocol::pack(): Argument #2 ($opcode) must be a known opcode (0, 1, 2, 8, 9 or 10), 3 given
ValueError: Tusk\WebSocket\Protocol::pack(): Argument #2 ($opcode) must be a known opcode (0, 1, 2, 8, 9 or 10), 11 given
ValueError: Tusk\WebSocket\Protocol::pack(): Argument #2 ($opcode) must be a known opcode (0, 1, 2, 8, 9 or 10), -1 given
ValueError: Tusk\WebSocket\Protocol::pack(): Argument #3 ($flags) must include Protocol::FLAG_FIN for a control frame
ValueError: Tusk\WebSocket\Protocol::pack(): Argument #3 ($flags) must be a combination of Protocol::FLAG_* constants
ValueError: Tusk\WebSocket\Protocol::pack(): Argument #1 ($payload) must be valid UTF-8 for a text frame
TypeError: Tusk\WebSocket\Protocol::pack(): Argument #1 ($payload) must be of type Tusk\WebSocket\Frame|Tusk\WebSocket\CloseFrame|string, stdClass given
ValueError: Tusk\WebSocket\Protocol::pack(): Argument #2 ($opcode) must be left out for a frame, which goes with its own: pack its payload, or encode(), to have another
ValueError: Tusk\WebSocket\Protocol::pack(): Argument #3 ($flags) must be left out for a frame, which goes with its own: pack its payload, or encode(), to have another
890178
ValueError: Tusk\WebSocket\Protocol::pack(): Argument #2 ($opcode) must be left out for a frame, which goes with its own: pack its payload, or encode(), to have another
ValueError: Tusk\WebSocket\Protocol::pack(): Argument #3 ($flags) must be left out for a frame, which goes with its own: pack its payload, or encode(), to have another
880203e9
ValueError: Tusk\WebSocket\Frame::__construct(): Argument #3 ($final) must be true for a control frame
ValueError: Tusk\WebSocket\Frame::__construct(): Argument #2 ($payload) must be at most 125 bytes for a control frame, 126 given
ValueError: Tusk\WebSocket\CloseFrame::__construct(): Argument #1 ($code) must be a valid close code (1000-1003, 1007-1014 or 3000-4999), 1004 given
ValueError: Tusk\WebSocket\CloseFrame::__construct(): Argument #2 ($reason) must be at most 123 bytes, 124 given
ValueError: Tusk\WebSocket\CloseFrame::__construct(): Argument #2 ($reason) must be valid UTF-8
Error: Cannot instantiate enum Tusk\WebSocket\MessageType
Error: Call to private Tusk\WebSocket\Protocol::__construct() from %s
ReflectionException: Class Tusk\WebSocket\Frame is an internal class marked as final that cannot be instantiated without invoking its constructor
Exception: Unserialization of 'Tusk\WebSocket\Frame' is not allowed
0101ff 02026162 5
