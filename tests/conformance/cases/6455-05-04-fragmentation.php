<?php

declare(strict_types=1);

// RFC 6455, section 5.4: fragmentation.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    foreach (['text' => Frame::TEXT, 'binary' => Frame::BINARY] as $kind => $opcode) {
        foreach ([2, 3, 10, 255, 1000] as $n) {
            $pieces = array_map(static fn (int $i): string => "piece $i;", range(1, $n));
            $whole = implode('', $pieces);
            $s->ws("6455.5.4/$kind-in-$n", "a $kind message in $n frames, one segment")
                ->send(...fragments($opcode, $pieces))->step(static fn (Session $c) => $c->expect($opcode, $whole));
        }
        $s->ws("6455.5.4/$kind-each-alone", "a $kind message in 5 frames, a segment each")
            ->each(...fragments($opcode, ['a', 'b', 'c', 'd', 'e']))->step(static fn (Session $c) => $c->expect($opcode, 'abcde'));
        $s->ws("6455.5.4/$kind-chopped", "a $kind message in 5 frames, byte by byte")->chop()
            ->send(...fragments($opcode, ['ab', 'cd', '', 'ef', 'gh']))->step(static fn (Session $c) => $c->expect($opcode, 'abcdefgh'));
        $s->ws("6455.5.4/$kind-empty-frames", "a $kind message of empty frames is an empty message")
            ->send(...fragments($opcode, ['', '', '']))->step(static fn (Session $c) => $c->expect($opcode, ''));
        $s->ws("6455.5.4/$kind-empty-first", "an empty first frame of $kind")
            ->send(...fragments($opcode, ['', 'x']))->step(static fn (Session $c) => $c->expect($opcode, 'x'));
        $s->ws("6455.5.4/$kind-empty-last", "an empty last frame of $kind")
            ->send(...fragments($opcode, ['x', '']))->step(static fn (Session $c) => $c->expect($opcode, 'x'));
        $s->ws("6455.5.4/$kind-empty-middle", "an empty frame in the middle of $kind")
            ->send(...fragments($opcode, ['x', '', 'y']))->step(static fn (Session $c) => $c->expect($opcode, 'xy'));
        foreach ([1, 64, 125, 126, 1000, 65535, 65536] as $size) {
            $data = str_repeat('0123456789abcdef', 16384);
            $total = $size === 1 ? 4096 : 262144;
            $data = substr($data, 0, $total);
            $s->ws("6455.5.4/$kind-frames-of-$size", "$total bytes of $kind in frames of $size")
                ->send(...fragments($opcode, str_split($data, $size)))->step(static fn (Session $c) => $c->expect($opcode, $data));
        }
    }
    $s->ws('6455.5.4/two-in-a-row', 'a fragmented message leaves nothing behind for the next one')
        ->send(...fragments(Frame::TEXT, ['a', 'b']), ...fragments(Frame::BINARY, ['c', 'd']), ...[text('e')])
        ->text('ab')->binary('cd')->text('e');

    // Control frames in the middle of a message.
    foreach (['ping' => ping('p'), 'empty-ping' => ping()] as $name => $ping) {
        $s->ws("6455.5.4/$name-between", "a $name between fragments is answered at once, before the message ends")
            ->send(text('a')->more(), $ping)->pong($ping->payload)->send(cont('b'))->text('ab');
        $s->ws("6455.5.4/$name-between-one-segment", "a $name between fragments, all in one segment")
            ->send(text('a')->more(), $ping, cont('b'))->pong($ping->payload)->text('ab');
        $s->ws("6455.5.4/$name-between-chopped", "a $name between fragments, byte by byte")->chop()
            ->send(text('a')->more(), $ping, cont('b'))->pong($ping->payload)->text('ab');
    }
    $s->ws('6455.5.4/pings-between-all', 'a ping after every one of ten fragments')
        ->step(static function (Session $c): void {
            $frames = fragments(Frame::TEXT, str_split('0123456789'));
            foreach ($frames as $i => $frame) {
                $c->send([$frame]);
                if ($i < 9) {
                    $c->send([ping("$i")]);
                    $c->expectPong("$i");
                }
            }
            $c->expect(Frame::TEXT, '0123456789');
        });
    $s->ws('6455.5.4/pong-between', 'an unasked pong between fragments is ignored')
        ->send(text('a')->more(), pong('x'), cont('b'))->text('ab');
    $s->ws('6455.5.4/long-ping-between', 'a ping of 125 bytes does not disturb the message around it')
        ->send(binary(noise(300))->more(), ping(str_repeat('p', 125)), cont(noise(300, 2)))
        ->pong(str_repeat('p', 125))->binary(noise(300) . noise(300, 2));
    $s->ws('6455.5.4/close-between', 'a Close between fragments closes; the message is not delivered')
        ->step(static fn (Session $c) => $c->weHaveClosed())
        ->send(text('a')->more(), close(1000), cont('b'))->closes(1000);

    // What must not be.
    foreach (['' => 'empty', 'x' => 'filled'] as $payload => $name) {
        $s->ws("6455.5.4/lone-continuation-$name", "a continuation ($name) with nothing to continue: 1002")
            ->send(cont((string) $payload))->closes(1002);
        $s->ws("6455.5.4/lone-continuation-$name-not-final", "the same without FIN ($name): 1002")
            ->send(cont((string) $payload)->more())->closes(1002);
    }
    $s->ws('6455.5.4/continuation-after-message', 'a continuation after a complete message: 1002')->role('server')
        ->send(text('whole'), cont('x'))->text('whole')->closes(1002);
    $s->ws('6455.5.4/continuation-after-fragments', 'a continuation after the final one: 1002')->role('server')
        ->send(...fragments(Frame::TEXT, ['a', 'b']), ...[cont('c')])->text('ab')->closes(1002);
    $s->ws('6455.5.4/continuation-after-ping', 'a ping begins nothing that could be continued: 1002')
        ->send(ping('x'), cont('y'))->pong('x')->closes(1002);
    foreach (['text' => text('b'), 'binary' => binary('b'), 'empty' => text(), 'not-final' => text('b')->more()] as $name => $second) {
        foreach (['text' => text('a'), 'binary' => binary('a')] as $kind => $first) {
            $s->ws("6455.5.4/$name-inside-$kind", "a new message ($name) inside an unfinished $kind message: 1002")
                ->send($first->more(), $second)->closes(1002);
        }
    }
    $s->ws('6455.5.4/new-message-after-continuation', 'a new message after some continuations: 1002')
        ->send(text('a')->more(), cont('b')->more(), text('c'))->closes(1002);
    $s->ws('6455.5.4/new-message-chopped', 'a new message inside an unfinished one, byte by byte: 1002')->chop()
        ->send(text('a')->more(), text('c'))->closes(1002);
    foreach (['ping' => ping('x'), 'pong' => pong('x'), 'close' => close(1000), 'empty-ping' => ping()] as $name => $frame) {
        $s->ws("6455.5.5/fragmented-$name", "a control frame without FIN ($name): 1002")->send($frame->more())->closes(1002);
        $s->ws("6455.5.5/fragmented-$name-continued", "a control frame ($name) continued: 1002")
            ->send($frame->more(), cont('y'))->closes(1002);
        $s->ws("6455.5.5/fragmented-$name-inside", "a control frame without FIN ($name) inside a message: 1002")
            ->send(text('a')->more(), $frame->more())->closes(1002);
    }

    // Cost: linear, or 16 MiB in 64-byte frames takes minutes.
    $s->ws('6455.5.4/16m-in-64', '16 MiB in frames of 64 bytes within 20 s')
        ->step(static function (Session $c): void {
            $c->timeout = 30.0;
            $data = str_repeat('0123456789abcdef', 1 << 20);
            $key = "\x11\x22\x33\x44";
            $middle = "\x00\xc0$key" . (substr($data, 0, 64) ^ str_repeat($key, 16));
            $started = Loop::now();
            $c->send([text(substr($data, 0, 64))->more(), str_repeat($middle, (1 << 18) - 2), cont(substr($data, 0, 64))]);
            $c->expect(Frame::TEXT, $data);
            $took = Loop::now() - $started;
            Expect::that($took < 20.0, sprintf('it took %.1f s', $took));
        })->role('server')->alone();
    $s->ws('6455.5.4/200k-empty-frames', 'two hundred thousand empty continuations are a message (or refused by name)')
        ->step(static function (Session $c): void {
            $c->timeout = 20.0;
            $c->send([text('a')->more(), str_repeat("\x00\x80abcd", 200000), cont('b')]);
            $frame = $c->frame();
            Expect::that(
                ($frame->opcode === Frame::TEXT && $frame->payload === 'ab')
                || ($frame->opcode === Frame::CLOSE && in_array($frame->closeCode(), [1008, 1009], true)),
                'got ' . $frame->describe(),
            );
            $c->wire->close();
        })->leaves()->role('server');
};
