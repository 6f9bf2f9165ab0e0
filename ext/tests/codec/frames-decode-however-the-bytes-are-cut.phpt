--TEST--
Frames decodes a stream however it is cut; a fault stays
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{CloseFrame, Frames, MessageType, Protocol};
$stream = '';
$expected = [];
foreach ([0, 1, 125, 126, 300, 65535, 65536] as $i => $size) {
    $payload = str_repeat(chr(97 + $i), $size);
    $stream .= Protocol::encode($payload, MessageType::Binary, $i % 2 === 0);
    $expected[] = $payload;
}
$stream .= Protocol::pack(new CloseFrame(4000, 'end'));
foreach ([1, 2, 3, 7, 1000, 65537, strlen($stream)] as $cut) {
    $frames = new Frames();
    $got = [];
    foreach (str_split($stream, $cut) as $part) {
        $frames->push($part);
        while (($frame = $frames->next()) !== null) {
            $got[] = $frame instanceof CloseFrame ? "$frame->code $frame->reason" : $frame->payload;
        }
    }
    var_dump($got === [...$expected, '4000 end'] && $frames->bufferedBytes() === 0);
}
$frames = new Frames(100);
$frames->push("\x82\x65");
attempt(fn () => $frames->next());
attempt(fn () => $frames->next());
attempt(fn () => $frames->push('x'));
attempt(fn () => new Frames(0));
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
Error: Invalid WebSocket frame: 101 bytes are over the limit of 100
Error: Invalid WebSocket frame: 101 bytes are over the limit of 100
Error: Invalid WebSocket frame: 101 bytes are over the limit of 100
ValueError: Tusk\WebSocket\Frames::__construct(): Argument #1 ($maxFrameSize) must be greater than 0, 0 given
