<?php

declare(strict_types=1);

// RFC 7692, sections 7.1.1 and 7.2.3.2: messages that refer to earlier ones. Needs a peer that agrees to keep its context.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    $keeps = static fn (string $id, string $title): Script => $s->ws("7692.7.2/$id", $title)->deflate()->takeover()
        ->step(static function (Session $c): void {
            if (array_key_exists($c->isServer ? 'server_no_context_takeover' : 'client_no_context_takeover', $c->agreed)) {
                throw new Absent('our context takeover is not agreed');
            }
        });
    $hello = text("\xf2\x48\xcd\xc9\xc9\x07\x00")->rsv1();
    $again = text("\xf2\x00\x11\x00\x00")->rsv1();

    $keeps('context-example', 'the example of 7.2.3.2: "Hello" again, by reference')->send($hello)->text('Hello')->send($again)->text('Hello');
    $keeps('context-over-plain', 'an uncompressed message between does not count for the context')
        ->send($hello)->text('Hello')->echoes('something else')->send(binary("\0\1\2"))->binary("\0\1\2")->send($again)->text('Hello');
    $keeps('context-over-control', 'control frames between do not count for the context')
        ->send($hello)->text('Hello')->send(ping('p'), pong('q'))->pong('p')->send($again)->text('Hello');
    $keeps('context-over-empty', 'an empty compressed message between leaves the context as it is')
        ->send($hello, text("\x00")->rsv1(), $again)->text('Hello')->text('')->text('Hello');
    $keeps('context-over-final', 'a block with BFINAL ends a block, not the context')
        ->send(text("\xf3\x48\xcd\xc9\xc9\x07\x00\x00")->rsv1(), $again)->text('Hello')->text('Hello');
    $keeps('context-other-type', 'a binary message may refer to a text')
        ->send($hello)->text('Hello')->send(binary("\xf2\x00\x11\x00\x00")->rsv1())->binary('Hello');
    $keeps('context-chopped', 'a reference, byte by byte')->chop()->send($hello)->text('Hello')->send($again)->text('Hello');
    $keeps('context-in-frames', 'a reference cut by frames')
        ->send($hello)->text('Hello')->send(text("\xf2")->more()->rsv1(), cont("\x00\x11")->more(), cont()->more(), cont("\x00\x00"))->text('Hello');
    $keeps('context-many', 'a thousand messages, each a reference to the one before')
        ->send($hello, ...array_fill(0, 1000, $again))->step(static function (Session $c): void {
            for ($i = 0; $i <= 1000; $i++) {
                $c->expect(Frame::TEXT, 'Hello');
            }
        });
    foreach ([1000, 16384, 32000, 32500] as $n) {
        $keeps("context-far-$n", "a reference $n bytes back into the message before")->step(static function (Session $c) use ($n): void {
            for ($i = 0; $i < 4; $i++) {
                $packed = $c->deflate?->compress(noise($n)) ?? '';
                Expect::that($i === 0 || strlen($packed) < $n / 2, 'our own compressor did not refer back');
                $c->send([binary($packed)->rsv1()]);
                $c->expect(Frame::BINARY, noise($n));
            }
        });
    }
    $keeps('context-farthest', 'a reference 32768 bytes back, the most there is')->step(static function (Session $c): void {
        $first = noise(32768);
        $c->send([binary(Deflate::stored($first))->rsv1()]);
        $c->expect(Frame::BINARY, $first);
        // Fixed codes, BFINAL 0: a match of length 3 (symbol 257) at distance code 29 with 13 extra bits set (32768), end of block.
        $c->send([binary(Bits::fixed([[257, 29, 8191, 13]]))->rsv1()]);
        $c->expect(Frame::BINARY, substr($first, 0, 3));
    });
    $keeps('context-too-far', 'a reference before the first byte ever sent: 1007 or 1002')
        ->send($hello)->text('Hello')
        ->step(static fn (Session $c) => $c->send([binary(Bits::fixed([[257, 4, 1, 1]]))->rsv1()]))
        ->closes([1007, 1002]);
    $keeps('context-after-large', 'a reference behind a message of a megabyte')->step(static function (Session $c): void {
        $c->timeout = 15.0;
        foreach ([noise(1 << 20), substr(noise(1 << 20), -20000), noise(500)] as $data) {
            $c->send([binary($c->deflate?->compress($data) ?? '')->rsv1()]);
            $c->expect(Frame::BINARY, $data);
        }
    });
    $keeps('answers-refer-back', 'what the peer sends twice costs it less the second time')->strict()->step(static function (Session $c): void {
        if (array_key_exists($c->isServer ? 'client_no_context_takeover' : 'server_no_context_takeover', $c->agreed)) {
            throw new Absent('the peer does not keep its context');
        }
        $sizes = [];
        foreach ([1, 2] as $ignored) {
            $c->send([binary($c->deflate?->compress(noise(5000)) ?? '')->rsv1()]);
            $before = $c->wire->received;
            $c->expect(Frame::BINARY, noise(5000));
            $sizes[] = $c->wire->received - $before;
        }
        Expect::that($sizes[1] < 1000, "$sizes[0] bytes came, then $sizes[1]");
    });
};
