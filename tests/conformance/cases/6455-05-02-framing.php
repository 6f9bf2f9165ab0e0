<?php

declare(strict_types=1);

// RFC 6455, section 5.2: base framing. Lengths, reserved bits, opcodes; 10.4: limits.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    foreach ([0, 1, 2, 124, 125, 126, 127, 128, 129, 254, 255, 256, 1024, 4095, 4096, 16384, 65534, 65535, 65536, 65537, 131072, 1 << 20] as $n) {
        $s->ws("6455.5.2/text-of-$n", "a text message of $n bytes comes back")->echoes(str_repeat('*', $n));
        $s->ws("6455.5.2/binary-of-$n", "a binary message of $n bytes comes back")
            ->send(binary(noise($n)))->binary(noise($n));
    }
    foreach ([8, 16, 32] as $mib) {
        $s->ws("6455.5.2/text-of-{$mib}m", "a text message of $mib MiB comes back")
            ->step(static function (Session $c) use ($mib): void {
                $c->timeout = 30.0;
                $data = str_repeat('abcdefgh', $mib << 17);
                $c->send([text($data)]);
                $c->expect(Frame::TEXT, $data);
            })->role('server')->alone();
    }
    $s->ws('6455.5.2/binary-of-16m', 'a binary message of 16 MiB comes back')
        ->step(static function (Session $c): void {
            $c->timeout = 30.0;
            $data = str_repeat(noise(65536), 256);
            $c->send([binary($data)]);
            $c->expect(Frame::BINARY, $data);
        })->alone();
    foreach (['text' => Frame::TEXT, 'binary' => Frame::BINARY] as $name => $opcode) {
        $s->ws("6455.5.2/$name-keeps-type", "an empty $name message comes back as $name")
            ->send(new Frame($opcode))->step(static fn (Session $c) => $c->expect($opcode, ''));
    }
    $s->ws('6455.5.2/binary-is-not-text', 'a binary message may hold any bytes')
        ->send(binary("\xff\xfe\x00\x80\xc0"))->binary("\xff\xfe\x00\x80\xc0");
    $s->ws('6455.5.2/text-with-nul', 'U+0000 is text')->echoes("a\0b");
    $s->ws('6455.5.2/many-in-one-write', 'a hundred messages in one segment come back in order')
        ->send(...array_map(static fn (int $i): Frame => text("message $i"), range(1, 100)))
        ->step(static function (Session $c): void {
            foreach (range(1, 100) as $i) {
                $c->expect(Frame::TEXT, "message $i");
            }
        });
    $s->ws('6455.5.2/mixed-in-one-write', 'text, binary and ping in one segment are answered in order')->strict()->role('server')
        ->send(text('a'), binary('b'), ping('c'), text('d'))->text('a')->binary('b')->pong('c')->text('d');

    // Lengths: "the minimal number of bytes MUST be used".
    foreach ([[16, 0], [16, 1], [16, 125], [64, 0], [64, 125], [64, 126], [64, 65535]] as [$form, $n]) {
        $s->ws("6455.5.2/length-$n-in-$form", "a length of $n in $form bits is a protocol error")->strict()
            ->send(text(str_repeat('x', $n))->form($form))->closes(1002);
        $s->ws("6455.5.2/ping-length-$n-in-$form", "a ping with a length of $n in $form bits is a protocol error")->strict()
            ->send(ping(str_repeat('x', $n))->form($form))->closes(1002);
    }
    $huge = [
        '2p63' => "\x80\0\0\0\0\0\0\0",
        '2p63-plus-1' => "\x80\0\0\0\0\0\0\x01",
        '2p64-minus-1' => str_repeat("\xff", 8),
        '2p64-minus-14' => str_repeat("\xff", 7) . "\xf2",
        '2p63-with-low-bits' => "\x80\0\0\0\0\x01\0\0",
    ];
    foreach ($huge as $name => $bytes) {
        foreach (['text' => text(), 'binary' => binary()] as $kind => $frame) {
            $s->ws("6455.5.2/$kind-length-$name", "the highest bit of a 64-bit length must be 0 ($kind)")
                ->send($frame->declares($bytes))->closes([1002, 1009])->role('server', 'client');
        }
        $s->ws("6455.5.2/head-only-length-$name", 'the same, from the ten bytes before the mask alone')->strict()
            ->send("\x82\xff$bytes")->closes([1002, 1009])->role('server');
    }
    $over = [
        '2p63-minus-1' => PHP_INT_MAX, '2p62' => 1 << 62, '2p32' => 1 << 32, '2p32-minus-1' => (1 << 32) - 1,
        '2p31' => 1 << 31, '1g' => 1 << 30, '40m' => 40 << 20,
    ];
    foreach ($over as $name => $length) {
        $s->ws("6455.10.4/length-$name", "a length over the limit ($name) is refused from the head, 1009")
            ->send(binary()->declares(pack('J', $length)))->closes(1009)->role('server');
        $s->ws("6455.10.4/text-length-$name", "the same for text ($name)")
            ->send(text()->declares(pack('J', $length)))->closes(1009)->role('server');
        $s->ws("6455.10.4/before-mask-$name", "the same from the ten bytes before the mask alone ($name)")->strict()
            ->send("\x82\xff" . pack('J', $length))->closes(1009)->role('server');
    }
    $s->ws('6455.10.4/continuation-over-limit', 'a continuation that would exceed the limit is refused from its head')
        ->send(binary('x')->more(), cont()->declares(pack('J', 40 << 20)))->closes(1009)->role('server');
    $s->ws('6455.10.4/sum-over-limit', 'two fragments of 17 MiB exceed 32 MiB together: 1009')
        ->step(static function (Session $c): void {
            $c->timeout = 20.0;
            $c->send([binary(str_repeat('x', 17 << 20))->more(), cont(str_repeat('x', 17 << 20))]);
        })->closes(1009)->role('server')->alone();
    $s->ws('6455.10.4/sent-in-full', 'a message over the limit that is sent in full still gets a readable 1009')
        ->step(static function (Session $c): void {
            $c->timeout = 20.0;
            $c->send([binary(str_repeat('x', 36 << 20))]);
        })->closes(1009)->role('server')->alone();

    // Reserved bits without an extension.
    foreach (range(1, 7) as $bits) {
        foreach (['text' => text('x'), 'binary' => binary('x'), 'empty' => text(), 'ping' => ping('x'), 'pong' => pong('x'), 'close' => close(1000)] as $name => $frame) {
            $s->ws("6455.5.2/rsv$bits-on-$name", "reserved bits $bits on $name without an extension: 1002")
                ->send($frame->rsv($bits))->closes(1002);
        }
        $s->ws("6455.5.2/rsv$bits-on-continuation", "reserved bits $bits on a continuation: 1002")
            ->send(text('a')->more(), cont('b')->rsv($bits))->closes(1002);
    }
    $s->ws('6455.5.2/rsv-after-good-message', 'what came before the bad frame is answered, what follows is not')->strict()->role('server')
        ->send(text('good'), text('bad')->rsv(4), text('late'))->text('good')->closes(1002);
    $s->ws('6455.5.2/rsv-chopped', 'reserved bits, byte by byte: 1002')->chop()
        ->send(text('good'))->text('good')->send(text('bad')->rsv(2))->closes(1002);
    $s->ws('6455.5.2/rsv-from-first-byte', 'a reserved bit is refused before the payload has come')->strict()
        ->send("\xc1\xfe\x10\x00")->closes(1002)->role('server');

    // Opcodes 3-7 and B-F are reserved.
    foreach ([3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as $opcode) {
        $hex = dechex($opcode);
        $s->ws("6455.5.2/opcode-$hex-empty", "opcode $hex without payload: 1002")->send(new Frame($opcode))->closes(1002);
        $s->ws("6455.5.2/opcode-$hex", "opcode $hex with payload: 1002")->send(new Frame($opcode, 'data'))->closes(1002);
        $s->ws("6455.5.2/opcode-$hex-not-final", "opcode $hex without FIN: 1002")->send((new Frame($opcode, 'data'))->more())->closes(1002);
        $s->ws("6455.5.2/opcode-$hex-after-text", "opcode $hex after a message: the message comes back, then 1002")->strict()->role('server')
            ->send(text('good'), new Frame($opcode, 'x'), ping())->text('good')->closes(1002);
        $s->ws("6455.5.2/opcode-$hex-in-fragments", "opcode $hex inside a fragmented message: 1002")
            ->send(text('a')->more(), new Frame($opcode, 'x'), cont('b'))->closes(1002);
    }
    $s->ws('6455.5.2/opcode-chopped', 'a reserved opcode, byte by byte: 1002')->chop()->send(new Frame(7, 'payload'))->closes(1002);
};
