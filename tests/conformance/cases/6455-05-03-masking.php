<?php

declare(strict_types=1);

// RFC 6455, section 5.1 and 5.3: masking.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    $frames = [
        'text' => text('x'), 'empty-text' => text(), 'binary' => binary('x'), 'ping' => ping('x'), 'empty-ping' => ping(),
        'pong' => pong(), 'close' => close(1000), 'empty-close' => close(), 'long' => binary(str_repeat('x', 70000)),
        'medium' => text(str_repeat('x', 300)),
    ];
    foreach ($frames as $name => $frame) {
        $s->ws("6455.5.1/unmasked-$name", "an unmasked frame from the client ($name): 1002")
            ->send($frame->masked(false))->closes(1002)->role('server');
        $s->ws("6455.5.1/masked-$name", "a masked frame from the server ($name): 1002")
            ->send($frame->masked(true))->closes(1002)->role('client');
    }
    $s->ws('6455.5.1/unmasked-continuation', 'an unmasked continuation: 1002')
        ->send(text('a')->more(), cont('b')->masked(false))->closes(1002)->role('server');
    $s->ws('6455.5.1/unmasked-after-good', 'a good message is answered before an unmasked one is refused')
        ->send(text('good'), text('bad')->masked(false))->text('good')->closes(1002)->role('server');
    $s->ws('6455.5.1/unmasked-chopped', 'unmasked, byte by byte: 1002')->chop()
        ->send(text('bad')->masked(false))->closes(1002)->role('server');
    $s->ws('6455.5.1/unmasked-head-only', 'the missing mask is seen in the first two bytes')->strict()
        ->send("\x82\x7e")->closes(1002)->role('server');
    foreach (['00000000', 'ffffffff', '00ff00ff', '80808080', '01020304', 'deadbeef'] as $key) {
        foreach ([0, 1, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 1000] as $n) {
            if ($key === 'deadbeef' || $key === '00000000' || $n === 17 || $n === 1000) {
                $s->ws("6455.5.3/key-$key-length-$n", "mask key $key over $n bytes")
                    ->send(binary(noise($n))->key(hex2bin($key) ?: ''))->binary(noise($n))->role('server');
            }
        }
    }
    foreach ([1, 2, 3, 4, 5, 7, 13] as $chop) {
        $s->ws("6455.5.3/key-phase-chop-$chop", "the mask's phase survives reads of $chop bytes")->chop($chop)
            ->send(binary(noise(67))->key("\x12\x34\x56\x78"))->binary(noise(67))->role('server');
    }
    $s->ws('6455.5.3/own-key-per-fragment', 'every fragment is unmasked with its own key')
        ->send(text('first ')->more()->key('abcd'), cont('second ')->more()->key('WXYZ'), cont('third')->key("\0\1\2\3"))
        ->text('first second third')->role('server');
    $s->ws('6455.5.3/own-key-per-message', 'every message is unmasked with its own key')
        ->send(...array_map(static fn (int $i): Frame => text("m$i")->key(pack('N', $i * 0x01010101)), range(0, 20)))
        ->step(static function (Session $c): void {
            foreach (range(0, 20) as $i) {
                $c->expect(Frame::TEXT, "m$i");
            }
        })->role('server');
    $s->ws('6455.5.3/utf8-behind-mask', 'text is checked after unmasking: invalid bytes on the wire may be valid text')
        ->send(text('plain text')->key("\xff\xff\xff\xff"))->text('plain text')->role('server');
    $s->ws('6455.5.3/client-keys-differ', 'the client draws a new mask key for every frame')
        ->step(static function (Session $c): void {
            $keys = [];
            for ($i = 0; $i < 8; $i++) {
                $c->send([binary(str_repeat("\0", 16))]);
                while (strlen($c->wire->in) < 22) {
                    if (!$c->wire->read(Loop::deadline(5.0)) || $c->wire->ended) {
                        throw new Failed('no echo came');
                    }
                }
                $keys[] = substr($c->wire->in, 2, 4);
                $c->wire->take(22);
            }
            Expect::that(count(array_unique($keys)) === 8, 'a mask key was used twice');
        })->role('client');
};
