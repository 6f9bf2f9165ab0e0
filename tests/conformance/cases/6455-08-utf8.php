<?php

declare(strict_types=1);

// RFC 6455, section 8.1, and RFC 3629: UTF-8 of text messages, refused as soon as it cannot become valid any more.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    $valid = [
        'ascii' => 'Hello', 'nul' => "\x00", 'del' => "\x7f", 'two-first' => "\xc2\x80", 'two-last' => "\xdf\xbf",
        'three-first' => "\xe0\xa0\x80", 'three-e1' => "\xe1\x80\x80", 'before-surrogates' => "\xed\x9f\xbf",
        'after-surrogates' => "\xee\x80\x80", 'replacement' => "\xef\xbf\xbd", 'fffe' => "\xef\xbf\xbe",
        'three-last' => "\xef\xbf\xbf", 'bom' => "\xef\xbb\xbf", 'four-first' => "\xf0\x90\x80\x80",
        'four-f1' => "\xf1\x80\x80\x80", 'four-f3' => "\xf3\xbf\xbf\xbf", 'four-last' => "\xf4\x8f\xbf\xbf",
        'noncharacter' => "\xf0\x9f\xbf\xbe", 'greek' => 'κόσμε', 'hebrew' => 'שלום', 'kanji' => '日本語テスト', 'emoji' => "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
        'combining' => "e\u{301}o\u{308}", 'long-mixed' => str_repeat("aä語\u{1f600}", 500), 'ascii-then-two' => str_repeat('a', 31) . 'ä',
        'sixteen-edge' => str_repeat('a', 15) . "\u{1f600}" . str_repeat('b', 13), 'thirty-two-edge' => str_repeat('a', 30) . "\u{1f600}xyz",
    ];
    foreach ($valid as $name => $bytes) {
        $s->ws("6455.8.1/valid-$name", "valid UTF-8 ($name) comes back")->echoes($bytes);
        if (strlen($bytes) < 100) {
            $s->ws("6455.8.1/valid-$name-in-bytes", "valid UTF-8 ($name), a frame per byte, comes back")
                ->send(...fragments(Frame::TEXT, str_split($bytes)))->text($bytes);
        }
    }
    $invalid = [
        'lone-80' => "\x80", 'lone-bf' => "\xbf", 'two-continuations' => "\x80\xbf", 'c0' => "\xc0", 'c1' => "\xc1", 'f5' => "\xf5",
        'f8' => "\xf8", 'fc' => "\xfc", 'fe' => "\xfe", 'ff' => "\xff", 'overlong-2' => "\xc0\xaf", 'overlong-2-max' => "\xc1\xbf",
        'overlong-nul' => "\xc0\x80", 'overlong-3' => "\xe0\x80\xaf", 'overlong-3-max' => "\xe0\x9f\xbf", 'overlong-4' => "\xf0\x80\x80\xaf",
        'overlong-4-max' => "\xf0\x8f\xbf\xbf", 'five-bytes' => "\xf8\x88\x80\x80\x80", 'six-bytes' => "\xfc\x84\x80\x80\x80\x80",
        'surrogate-first' => "\xed\xa0\x80", 'surrogate-high-last' => "\xed\xaf\xbf", 'surrogate-low' => "\xed\xb0\x80",
        'surrogate-last' => "\xed\xbf\xbf", 'surrogate-pair' => "\xed\xa0\x81\xed\xb0\x80", 'above-10ffff' => "\xf4\x90\x80\x80",
        'f4-bf' => "\xf4\xbf\xbf\xbf", 'two-broken' => "\xc3a", 'three-broken-1' => "\xe8a", 'three-broken-2' => "\xe8\xaaa",
        'four-broken-1' => "\xf0a", 'four-broken-2' => "\xf0\x9fa", 'four-broken-3' => "\xf0\x9f\x98a", 'two-lead-lead' => "\xc3\xc3",
        'latin1' => "caf\xe9 noir", 'utf16-bom' => "\xff\xfea\x00", 'extra-continuation' => "\xc3\xa4\xa4",
    ];
    $cut = [
        'cut-two' => "\xc3", 'cut-three-1' => "\xe2", 'cut-three-2' => "\xe2\x82", 'cut-four-1' => "\xf0",
        'cut-four-2' => "\xf0\x9f", 'cut-four-3' => "\xf0\x9f\x98", 'cut-long' => "text and then \xf0\x9f\x98",
    ];
    foreach ($invalid + $cut as $name => $bytes) {
        $s->ws("6455.8.1/invalid-$name", "not UTF-8 ($name): 1007")->send(text($bytes))->closes(1007);
    }
    foreach ($invalid as $name => $bytes) {
        $s->ws("6455.8.1/early-$name", "not UTF-8 ($name) in an unfinished message: 1007 without waiting for its end")
            ->send(text("good \u{e4} " . $bytes)->more())->closes(1007);
        $s->ws("6455.8.1/split-$name", "not UTF-8 ($name) over frames of one byte: 1007 before the message ends")
            ->send(...array_map(static fn (Frame $f): Frame => $f->more(), fragments(Frame::TEXT, str_split("ok$bytes"))))->closes(1007);
    }
    foreach ($cut as $name => $bytes) {
        $s->ws("6455.8.1/$name-goes-on", "an unfinished character ($name) at the end of a frame is no fault yet")
            ->send(text($bytes)->more())->alive()
            ->step(static function (Session $c) use ($bytes): void {
                $rest = match (true) {
                    str_ends_with($bytes, "\xc3") => "\xa4", str_ends_with($bytes, "\xe2") => "\x82\xac",
                    str_ends_with($bytes, "\xe2\x82") => "\xac", str_ends_with($bytes, "\xf0") => "\x9f\x98\x80",
                    str_ends_with($bytes, "\xf0\x9f") => "\x98\x80", default => "\x80",
                };
                $c->send([cont($rest)]);
                $c->expect(Frame::TEXT, $bytes . $rest);
            });
        $s->ws("6455.8.1/$name-ends", "an unfinished character ($name) at the end of a fragmented message: 1007")
            ->send(text($bytes)->more(), cont(''))->closes(1007);
    }
    foreach ([0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 1000, 4095] as $at) {
        foreach (["\xff" => 'ff', "\xed\xa0\x80" => 'surrogate'] as $bytes => $name) {
            $data = str_repeat('a', $at) . $bytes . str_repeat('b', 40);
            $s->ws("6455.8.1/$name-at-$at", "a bad byte ($name) at offset $at of a message: 1007")->send(text($data))->closes(1007);
        }
        $data = str_repeat('a', $at) . "\u{20ac}\u{1f600}" . str_repeat('b', 40);
        $s->ws("6455.8.1/good-at-$at", "characters of three and four bytes at offset $at")->echoes($data);
    }

    // Fail fast within one frame: the rest of the frame has not been sent yet.
    foreach ([100, 1000, 65536, 1 << 20] as $n) {
        $frame = text(str_repeat('a', 10) . "\xff" . str_repeat('b', $n - 11))->encode(true);
        $s->ws("6455.8.1/mid-frame-$n", "a bad byte early in a frame of $n bytes: 1007 before the frame is complete")->strict()
            ->send(substr($frame, 0, min(strlen($frame) - 1, 90)))->closes(1007)->role('server');
    }
    $s->ws('6455.8.1/mid-frame-ping-before', 'half a bad frame after a good message')->strict()
        ->send(text('good'), substr(text("bad \xc0\xaf " . str_repeat('x', 200))->encode(true), 0, 60))
        ->text('good')->closes(1007)->role('server');
    $s->ws('6455.8.1/mid-frame-chopped', 'a bad byte, byte by byte: 1007 while the frame is still under way')->strict()->chop()
        ->send(substr(text("abc\xff" . str_repeat('x', 100))->encode(true), 0, 30))->closes(1007)->role('server');
    $s->ws('6455.8.1/second-frame', 'a bad byte in the second frame, a third is announced: 1007')
        ->send(text('good')->more(), cont("\xff")->more())->closes(1007);
    $s->ws('6455.8.1/across-ping', 'a ping in the middle of a character does not hide that it is broken')
        ->send(text("\xe2\x82")->more(), ping('p'), cont("\x41")->more())->pong('p')->closes(1007);
    $s->ws('6455.8.1/across-ping-valid', 'a ping in the middle of a character does not disturb it')
        ->send(text("\xe2\x82")->more(), ping('p'), cont("\xac"))->pong('p')->text('€');
    $s->ws('6455.8.1/state-is-per-message', 'an unfinished character does not leak into the next message')
        ->send(text("\xe2\x82")->more(), cont("\xac"), text('next'), binary("\xff"), text('ü'))
        ->text('€')->text('next')->binary("\xff")->text('ü');
    $s->ws('6455.8.1/binary-fragments', 'binary messages are not checked, in fragments neither')
        ->send(...fragments(Frame::BINARY, ["\xff", "\xc0\x80", "\xed\xa0\x80"]))->binary("\xff\xc0\x80\xed\xa0\x80");
    $s->ws('6455.8.1/large-valid', 'a megabyte of mixed text comes back')
        ->send(text(str_repeat("aä語\u{1f600}", 104858)))->text(str_repeat("aä語\u{1f600}", 104858));
    $s->ws('6455.8.1/large-bad-last', 'a megabyte of text with a bad last byte: 1007')
        ->send(text(str_repeat("aä語\u{1f600}", 104858) . "\xff"))->closes(1007);
    $s->ws('6455.8.1/bad-then-silence', 'after 1007 nothing else is answered')
        ->send(text("\xff"), ping('late'), text('late'))->closes(1007);
};
