<?php

declare(strict_types=1);

// RFC 6455, sections 5.5.2 and 5.5.3: ping and pong.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    foreach ([0, 1, 2, 7, 63, 124, 125] as $n) {
        $s->ws("6455.5.5.2/ping-of-$n", "a ping of $n bytes comes back as a pong of the same bytes")
            ->send(ping(noise($n)))->pong(noise($n));
    }
    foreach ([126, 127, 128, 1000, 65535, 65536] as $n) {
        foreach (['ping' => ping(str_repeat('x', $n)), 'pong' => pong(str_repeat('x', $n))] as $name => $frame) {
            $s->ws("6455.5.5/$name-of-$n", "a $name of $n bytes is too long: 1002")->send($frame)->closes(1002);
        }
    }
    $s->ws('6455.5.5/ping-length-126-head-only', 'a ping that announces a 16-bit length is refused from its head')->strict()
        ->send("\x89\xfe")->closes(1002)->role('server');
    $s->ws('6455.5.5/ping-length-127-head-only', 'a ping that announces a 64-bit length is refused from its head')->strict()
        ->send("\x89\xff")->closes(1002)->role('server');
    $s->ws('6455.5.5/not-final-ping-head-only', 'a ping without FIN is refused from its first two bytes')->strict()
        ->send("\x09\x81")->closes(1002)->role('server');
    $s->ws('6455.5.5.2/ping-is-bytes', 'a ping need not be UTF-8')->send(ping("\xff\xfe\xfd\0"))->pong("\xff\xfe\xfd\0");
    $s->ws('6455.5.5.2/ping-chopped', 'a ping, byte by byte')->chop()->send(ping(noise(125)))->pong(noise(125));
    foreach ([10, 100] as $n) {
        $s->ws("6455.5.5.2/pings-$n", "$n pings in one segment: pongs in order, or at least the last one")
            ->step(static function (Session $c) use ($n): void {
                $c->send(array_map(static fn (int $i): Frame => ping("ping $i"), range(1, $n)));
                $seen = 0;
                do {
                    $frame = $c->frame();
                    Expect::same(Frame::PONG, $frame->opcode, 'opcode');
                    $number = (int) substr($frame->payload, 5);
                    Expect::that($number > $seen, 'pongs out of order');
                    $seen = $number;
                } while ($seen < $n);
            });
        $s->ws("6455.5.5.2/pings-$n-each", "$n pings, each answered before the next")
            ->step(static function (Session $c) use ($n): void {
                for ($i = 0; $i < $n; $i++) {
                    $c->send([ping("ping $i")]);
                    $c->expectPong("ping $i");
                }
            });
    }
    $s->ws('6455.5.5.2/pings-10-chopped', 'ten pings, byte by byte')->chop()
        ->send(...array_map(static fn (int $i): Frame => ping("$i"), range(0, 9)))
        ->step(static function (Session $c): void {
            foreach (range(0, 9) as $i) {
                $c->expectPong("$i");
            }
        });
    $s->ws('6455.5.5.2/ping-and-text', 'a ping before a message is answered before it')
        ->send(ping('first'), text('second'))->pong('first')->text('second');
    $s->ws('6455.5.5.2/text-and-ping', 'a ping after a message: both are answered')
        ->send(text('first'), ping('second'))
        ->step(static function (Session $c): void {
            $got = [];
            foreach ([1, 2] as $ignored) {
                $frame = $c->frame();
                $got[$frame->opcode] = $frame->payload;
            }
            ksort($got);
            Expect::same([Frame::TEXT => 'first', Frame::PONG => 'second'], $got, 'answers');
        });
    foreach (['' => 'empty', 'unasked' => 'filled'] as $payload => $name) {
        $s->ws("6455.5.5.3/unasked-pong-$name", "a pong nobody asked for ($name) is ignored")
            ->send(pong((string) $payload))->alive();
    }
    $s->ws('6455.5.5.3/many-unasked-pongs', 'a thousand pongs nobody asked for are ignored')
        ->send(...array_fill(0, 1000, pong('x')))->alive();
    $s->ws('6455.5.5.3/pong-chopped', 'a pong nobody asked for, byte by byte')->chop()->send(pong('unasked'))->alive();
    $s->ws('6455.5.5.3/pong-then-ping', 'an unasked pong is not taken for the answer to our ping')
        ->send(pong('a'), ping('b'))->pong('b');
    $s->ws('6455.5.5.2/ping-during-large', 'a ping between the two halves of a large message is answered before the message')
        ->step(static function (Session $c): void {
            $half = noise(1 << 20);
            $c->send([binary($half)->more(), ping('now')]);
            $c->expectPong('now');
            $c->send([cont($half)]);
            $c->expect(Frame::BINARY, $half . $half);
        });
    foreach ([70000, 143778] as $n) {
        $s->ws("6455.5.5.2/pings-between-echoes-$n", "a ping behind the echo of $n bytes, and others among short messages: pongs in their order, the last among them")->role('server')->deflate()
            ->step(static function (Session $c) use ($n): void {
                $items = [text(prose($n))]; // packing its echo takes longer than a slice: the rest comes after the queue has left
                foreach (range(1, 20) as $i) {
                    array_push($items, text('abc')->more(), ping("$i"), cont('de'));
                }
                $c->send($items);
                $seen = 0;
                $echoes = 0;
                while ($echoes < 21 || $seen < 20) {
                    $frame = $c->frame();
                    if ($frame->opcode === Frame::PONG) {
                        Expect::that((int) $frame->payload > $seen, "a pong to ping $frame->payload after that to $seen");
                        $seen = (int) $frame->payload;
                    } else {
                        $echoes++;
                    }
                }
            });
    }
    foreach (['close' => [close(1000), 1000], 'violation' => [new Frame(3, 'x'), 1002]] as $name => [$last, $code]) {
        $s->ws("6455.5.5.2/ping-behind-echo-then-$name", "a ping behind a message whose echo still leaves, then a $name: the pong comes before Close")->role('server')
            ->step(static function (Session $c) use ($last, $name): void {
                $name === 'close' ? $c->weHaveClosed() : null;
                $c->send([binary(noise(1 << 17)), ping('owed'), $last]);
                $c->expect(Frame::BINARY, noise(1 << 17));
                $c->expectPong('owed');
            })->closes($code);
    }
    $s->ws('6455.5.5.2/ping-after-close', 'a ping after Close is not answered')
        ->step(static fn (Session $c) => $c->weHaveClosed())->send(close(1000), ping('late'))->closes(1000);
};
