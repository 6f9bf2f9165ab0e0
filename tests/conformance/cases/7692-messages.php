<?php

declare(strict_types=1);

// RFC 7692, sections 6 and 7.2: compressed messages, RSV1, blocks, bombs.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    $offers = [
        '' => null, 'client_max_window_bits' => null, 'server_no_context_takeover' => 'server_no_context_takeover',
        'client_no_context_takeover' => 'client_no_context_takeover',
        'server_no_context_takeover; client_no_context_takeover' => 'server_no_context_takeover; client_no_context_takeover',
        'server_max_window_bits=8' => null, 'server_max_window_bits=9' => 'server_max_window_bits=9', 'server_max_window_bits=12; client_max_window_bits=12' => 'server_max_window_bits=12; client_max_window_bits=12',
        'server_max_window_bits=15' => 'server_max_window_bits=15', 'client_max_window_bits=9; client_no_context_takeover' => 'client_max_window_bits=9; client_no_context_takeover',
    ];
    foreach ($offers as $offer => $accept) {
        $name = $offer === '' ? 'plain' : strtr($offer, ['_max_window_bits' => '-window', '_no_context_takeover' => '-forgets', '; ' => '+', '=' => '-']);
        foreach ([0, 1, 16, 64, 125, 126, 256, 1024, 4096, 8192, 16384, 32768, 65535, 65536, 131072] as $n) {
            $s->ws("7692.7.2/$name-text-$n", "compressed text of $n bytes, twice ($offer)")->deflate($offer, $accept)
                ->sendDeflated(prose($n))->text(prose($n))->sendDeflated(prose($n))->text(prose($n));
        }
        foreach ([1, 125, 1024, 65536] as $n) {
            $s->ws("7692.7.2/$name-noise-$n", "compressed noise of $n bytes ($offer)")->deflate($offer, $accept)
                ->sendDeflated(noise($n), Frame::BINARY)->binary(noise($n));
        }
        $s->ws("7692.7.2/$name-many", "a hundred messages that refer to each other ($offer)")->deflate($offer, $accept)
            ->step(static function (Session $c): void {
                for ($i = 0; $i < 100; $i++) {
                    $data = prose(500 + 7 * $i, $i % 5) . $i;
                    $c->send([text($c->deflate?->compress($data) ?? $data)->rsv1()]);
                    $c->expect(Frame::TEXT, $data);
                }
            });
        $s->ws("7692.7.2/$name-fragments", "a compressed message in 10 frames ($offer)")->deflate($offer, $accept)
            ->sendDeflated(prose(5000), Frame::TEXT, 10)->text(prose(5000));
        $s->ws("7692.7.2/$name-mixed", "compressed and plain messages by turns ($offer)")->deflate($offer, $accept)
            ->sendDeflated(prose(300))->text(prose(300))->echoes('plain')
            ->sendDeflated(prose(300))->text(prose(300))->send(binary("\0\xff"))->binary("\0\xff");
    }
    $deflated = static fn (string $id, string $title): Script => $s->ws("7692.7.2/$id", $title)->deflate();

    $deflated('empty', 'the empty message is one byte 0')->send(text("\x00")->rsv1())->text('');
    $deflated('empty-payload', 'a compressed message without any payload: empty, or refused')
        ->send(text('')->rsv1())->step(static function (Session $c): void {
            $frame = $c->frame();
            Expect::that($frame->opcode === Frame::TEXT || ($frame->opcode === Frame::CLOSE && in_array($frame->closeCode(), [1002, 1007], true)), 'got ' . $frame->describe());
        })->leaves();
    $deflated('empty-sync', 'an empty stored block as the message')->send(text("\x00\x00\x00\xff\xff\x00")->rsv1())->text('');
    $deflated('one-byte-frames', 'a compressed message, a byte per frame')->step(static function (Session $c): void {
        $packed = $c->deflate?->compress(prose(400)) ?? '';
        $frames = fragments(Frame::TEXT, str_split($packed));
        $frames[0] = $frames[0]->rsv1();
        $c->send($frames);
    })->text(prose(400));
    $deflated('empty-fragments', 'empty frames around a compressed message')->step(static function (Session $c): void {
        $packed = $c->deflate?->compress('hello') ?? '';
        $frames = fragments(Frame::TEXT, ['', substr($packed, 0, 3), '', substr($packed, 3), '']);
        $frames[0] = $frames[0]->rsv1();
        $c->send($frames);
    })->text('hello');
    $deflated('chopped', 'a compressed message, byte by byte')->chop()->sendDeflated(prose(200))->text(prose(200));
    $deflated('ping-between', 'a ping between compressed fragments is answered at once')->step(static function (Session $c): void {
        $packed = $c->deflate?->compress(prose(500)) ?? '';
        $c->send([text(substr($packed, 0, 50))->more()->rsv1(), ping('p')]);
        $c->expectPong('p');
        $c->send([cont(substr($packed, 50))]);
    })->text(prose(500));
    $deflated('stored', 'stored blocks')->send(text(Deflate::stored('stored text'))->rsv1())->text('stored text');
    $deflated('stored-blocks', 'many stored blocks')->send(binary(Deflate::stored(noise(3000), 7))->rsv1())->binary(noise(3000));
    $deflated('stored-large', 'stored blocks of 65535 bytes')->send(binary(Deflate::stored(noise(200000)))->rsv1())->binary(noise(200000));
    $deflated('fixed-example', 'the example of 7.2.3.1: "Hello" with fixed codes')->send(text("\xf2\x48\xcd\xc9\xc9\x07\x00")->rsv1())->text('Hello');
    $deflated('fixed-example-fragments', 'the same in two frames')
        ->send(text("\xf2\x48\xcd")->more()->rsv1(), cont("\xc9\xc9\x07\x00"))->text('Hello');
    $deflated('cut-in-a-block', 'a stream cut within a block: refused, or taken as far as it goes')
        ->send(binary("\xf2\x48\xcd\xc9")->rsv1())->step(static function (Session $c): void {
            $frame = $c->frame();
            Expect::that($frame->opcode === Frame::BINARY || in_array($frame->closeCode(), [1002, 1007], true), 'got ' . $frame->describe());
        })->leaves();
    $deflated('no-compression-example', 'the example of 7.2.3.3: a stored block')
        ->send(text("\x00\x05\x00\xfa\xff\x48\x65\x6c\x6c\x6f\x00")->rsv1())->text('Hello');
    $deflated('bfinal-example', 'the example of 7.2.3.4: a block with BFINAL')
        ->send(text("\xf3\x48\xcd\xc9\xc9\x07\x00\x00")->rsv1())->text('Hello');
    $deflated('bfinal-then-next', 'after a block with BFINAL the next message inflates')
        ->send(text("\xf3\x48\xcd\xc9\xc9\x07\x00\x00")->rsv1())->text('Hello')
        ->send(text("\xf2\x48\xcd\xc9\xc9\x07\x00")->rsv1())->text('Hello');
    $deflated('two-blocks-example', 'the example of 7.2.3.5: two blocks')
        ->send(text("\xf2\x48\x05\x00\x00\x00\xff\xff\xca\xc9\xc9\x07\x00")->rsv1())->text('Hello');
    foreach ([1, 6, 9] as $level) {
        $deflated("bfinal-level-$level", "a whole stream that ends with BFINAL, level $level")
            ->send(binary(Deflate::finished(noise(500) . prose(5000), $level) . "\x00")->rsv1())->binary(noise(500) . prose(5000));
        $deflated("level-$level", "level $level of the sender does not matter")->step(static function (Session $c) use ($level): void {
            $c->send([text($c->deflate?->compress(prose(30000), $level) ?? '')->rsv1()]);
        })->text(prose(30000));
    }

    // RSV1 and the others.
    foreach (['ping' => ping('x'), 'pong' => pong('x'), 'close' => close(1000)] as $name => $frame) {
        $s->ws("7692.6/rsv1-on-$name", "RSV1 on a control frame ($name): 1002")->deflate()->send($frame->rsv1())->closes(1002);
    }
    foreach ([1, 2, 3, 5, 6, 7] as $bits) {
        $s->ws("7692.6/rsv-$bits", "reserved bits $bits with deflate agreed: 1002")->deflate()->send(text("\x00")->rsv($bits))->closes(1002);
    }
    $s->ws('7692.6/rsv1-on-continuation', 'RSV1 on a continuation of a compressed message: 1002')->deflate()
        ->send(text("\xf2\x48\xcd")->more()->rsv1(), cont("\xc9\xc9\x07\x00")->rsv1())->closes(1002);
    $s->ws('7692.6/rsv1-on-continuation-of-plain', 'RSV1 on a continuation of a plain message: 1002')->deflate()
        ->send(text('plain')->more(), cont("\x00")->rsv1())->closes(1002);
    $s->ws('7692.6/rsv1-on-reserved-opcode', 'RSV1 on a reserved opcode: 1002')->deflate()
        ->send((new Frame(3, 'x'))->rsv1())->closes(1002);
    $s->ws('7692.6/plain-fragments', 'a plain fragmented message with deflate agreed')->deflate()
        ->send(...fragments(Frame::TEXT, ['a', 'b', 'c']))->text('abc');

    // Broken streams.
    $broken = [
        'reserved-block' => "\x07", 'bad-stored-length' => "\x00\x05\x00\x00\x00Hello\x00", 'noise' => "\xff\xff\xff\xff\xff\xff",
        'bad-distance' => "\x02\x13\x00\x00", 'bad-code-lengths' => "\x04\xfe\xff\xff\xff\xff\xff\xff\xff",
    ];
    foreach ($broken as $name => $bytes) {
        $s->ws("7692.7.2.2/broken-$name", "a stream that does not inflate ($name): 1007 or 1002")->deflate()
            ->send(text($bytes)->rsv1(), ping('later'))->closes([1007, 1002]);
    }
    $s->ws('7692.7.2.2/text-sent-as-compressed', 'plain text marked as compressed: 1007 or 1002')->deflate()
        ->send(binary('This is not deflate data at all.')->rsv1())->closes([1007, 1002]);
    $s->ws('7692.7.2.2/reference-after-forgetting', 'a reference to a message that was to be forgotten: 1007 or 1002')
        ->deflate('client_no_context_takeover; server_no_context_takeover', 'client_no_context_takeover; server_no_context_takeover')
        ->step(static function (Session $c): void {
            if (!array_key_exists('client_no_context_takeover', $c->agreed)) {
                throw new Absent('client_no_context_takeover is not agreed');
            }
        })
        ->send(text("\xf2\x48\xcd\xc9\xc9\x07\x00")->rsv1())->text('Hello')
        ->send(text("\xf2\x00\x11\x00\x00")->rsv1())->closes([1007, 1002])->role('server');

    // UTF-8 through deflate.
    foreach (['ff' => "\xff", 'surrogate' => "\xed\xa0\x80", 'overlong' => "\xc0\xaf", 'cut' => "\xe2\x82", 'above' => "\xf4\x90\x80\x80"] as $name => $bytes) {
        $s->ws("7692.8.1/invalid-$name", "compressed text that is not UTF-8 ($name): 1007")->deflate()
            ->sendDeflated("some text $bytes")->closes(1007);
        if ($name !== 'cut') {
            $s->ws("7692.8.1/early-$name", "the same in an unfinished message ($name): 1007 before its end")->strict()->deflate()
                ->step(static function (Session $c) use ($bytes): void {
                    $packed = $c->deflate?->compress("some text $bytes and more") ?? '';
                    $c->send([text($packed . "\x00\x00\xff\xff")->rsv1()->more()]);
                })->closes(1007);
        }
    }
    $s->ws('7692.8.1/valid-across-frames', 'characters cut by compressed frames')->deflate()
        ->sendDeflated(str_repeat("aä語\u{1f600}", 100), Frame::TEXT, 40)->text(str_repeat("aä語\u{1f600}", 100));
    $s->ws('7692.8.1/binary', 'compressed binary is not checked')->deflate()
        ->sendDeflated("\xff\xc0\x80", Frame::BINARY)->binary("\xff\xc0\x80");

    // Size: what counts is what comes out.
    $s->ws('7692.7.2/large', '8 MiB of prose, compressed, comes back')->deflate()->step(static function (Session $c): void {
        $c->timeout = 30.0;
        $data = prose(8 << 20);
        $c->send([text($c->deflate?->compress($data) ?? '')->rsv1()]);
        $c->expect(Frame::TEXT, $data);
    })->alone(); // beside a bomb whoever has half of it and pauses for 5 s, as we may on a busy machine, has to give way
    $s->ws('7692.7.2/in-64-byte-frames', '256 KiB of noise, compressed, in frames of 64 bytes')->deflate()->step(static function (Session $c): void {
        $c->timeout = 20.0;
        $packed = $c->deflate?->compress(noise(1 << 18)) ?? '';
        $frames = fragments(Frame::BINARY, str_split($packed, 64));
        $frames[0] = $frames[0]->rsv1();
        $c->send($frames);
        $c->expect(Frame::BINARY, noise(1 << 18));
    });
    $s->ws('7692.10/bomb', 'a message of 64 MiB in 64 KiB is refused with 1009')->deflate()->step(static function (Session $c): void {
        $c->timeout = 20.0;
        $c->send([binary($c->deflate?->compress(str_repeat("\0", 64 << 20), 9) ?? '')->rsv1()]);
    })->closes(1009)->role('server');
    $s->ws('7692.10/bomb-in-fragments', 'the same bomb in frames of 1 KiB')->deflate()->step(static function (Session $c): void {
        $c->timeout = 20.0;
        $packed = $c->deflate?->compress(str_repeat("\0", 64 << 20), 9) ?? '';
        $frames = fragments(Frame::BINARY, str_split($packed, 1024));
        $frames[0] = $frames[0]->rsv1();
        $c->send($frames);
    })->closes(1009)->role('server');
    $s->ws('7692.10/bomb-unfinished', 'a bomb whose last frame never comes is refused all the same')->strict()->deflate()
        ->step(static function (Session $c): void {
            $c->timeout = 20.0;
            $c->send([binary($c->deflate?->compress(str_repeat("\0", 64 << 20), 9) ?? '')->rsv1()->more()]);
        })->closes(1009)->role('server');
    $s->ws('7692.10/just-below', '31 MiB of zeros inflate and come back')->deflate()->step(static function (Session $c): void {
        $c->timeout = 30.0;
        $data = str_repeat("\0", 31 << 20);
        $c->send([binary($c->deflate?->compress($data, 9) ?? '')->rsv1()]);
        $c->expect(Frame::BINARY, $data);
    })->role('server')->alone();
};
