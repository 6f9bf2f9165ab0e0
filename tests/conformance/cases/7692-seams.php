<?php

declare(strict_types=1);

// RFC 7692 where it meets RFC 6455: compressed messages cut by control frames, by Close, within characters and within blocks.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    $byUs = static fn (Script $case): Script => $case->step(static fn (Session $c) => $c->weHaveClosed());
    $hello = ["\xf2\x48\xcd", "\xc9\xc9\x07\x00"];

    // Close in the middle of a compressed message ends it all.
    $byUs($s->ws('7692.6/close-between-fragments', 'a Close between compressed fragments is answered, the message is not')->deflate())
        ->send(text($hello[0])->more()->rsv1(), close(1000))->closes(1000);
    $byUs($s->ws('7692.6/close-then-rest', 'what follows the Close of a compressed message is not looked at')->deflate())
        ->send(text($hello[0])->more()->rsv1(), close(1000), cont("\xff\xff\xff"))->closes(1000);
    $s->ws('7692.6/new-message-between', 'a new compressed message before the last one ended: 1002')->deflate()
        ->send(text($hello[0])->more()->rsv1(), text("\x00")->rsv1())->closes(1002);
    $s->ws('7692.6/compressed-within-plain', 'a compressed message within a plain one: 1002')->deflate()
        ->send(text('plain')->more(), text("\x00")->rsv1())->closes(1002);
    $s->ws('7692.6/long-ping-between', 'a ping of 126 bytes between compressed fragments: 1002')->deflate()
        ->send(text($hello[0])->more()->rsv1(), ping(str_repeat('p', 126)))->closes(1002);
    $s->ws('7692.6/cut-ping-between', 'a ping that is not final between compressed fragments: 1002')->deflate()
        ->send(text($hello[0])->more()->rsv1(), ping('p')->more())->closes(1002);

    // Where the inflater is cut.
    $s->ws('7692.7.2.2/ping-in-a-block', 'pings between all bytes of a dynamic block')->deflate()->step(static function (Session $c): void {
        $packed = str_split($c->deflate?->compress(prose(300)) ?? '');
        $frames = fragments(Frame::TEXT, $packed);
        $frames[0] = $frames[0]->rsv1();
        foreach ($frames as $i => $frame) {
            $c->send([$frame, ...$i < count($frames) - 1 ? [ping("$i")] : []]);
            if ($i < count($frames) - 1) {
                $c->expectPong("$i");
            }
        }
    })->text(prose(300));
    $s->ws('7692.7.2.2/empty-last-frame', 'an empty last frame ends a compressed message')->deflate()
        ->send(text(implode('', $hello))->more()->rsv1(), cont())->text('Hello');
    $s->ws('7692.7.2.2/only-last-has-bytes', 'a thousand empty frames, and the last has all of it')->deflate()
        ->send(text()->more()->rsv1(), ...[...array_fill(0, 1000, cont()->more()), cont(implode('', $hello))])->text('Hello');
    $s->ws('7692.7.2.2/empty-blocks', 'a thousand empty stored blocks before the text')->deflate()
        ->send(text(str_repeat("\x00\x00\x00\xff\xff", 1000) . implode('', $hello))->rsv1())->text('Hello');
    $s->ws('7692.7.2.2/final-blocks', 'five hundred final blocks of nothing before the text')->deflate()
        ->send(text(str_repeat("\x03\x00", 500) . implode('', $hello))->rsv1())->text('Hello');

    // UTF-8 is one stream over blocks, frames and final blocks.
    foreach (['block' => "\x00\x01\x00\xfe\xff\xe2\x00\x02\x00\xfd\xff\x82\xac\x00", 'final-block' => "\x01\x01\x00\xfe\xff\xe2\x00\x02\x00\xfd\xff\x82\xac\x00"] as $name => $bytes) {
        $s->ws("7692.8.1/character-over-$name", "a character that two blocks share ($name)")->deflate()->send(text($bytes)->rsv1())->text("\u{20ac}");
        $s->ws("7692.8.1/character-over-$name-bad", "the same, and it does not go on: 1007")->deflate()
            ->send(text(substr($bytes, 0, -3) . "a\xac\x00")->rsv1())->closes(1007);
    }
    $s->ws('7692.8.1/early-in-frame-of-one', 'a bad byte is seen though the message goes on')->deflate()
        ->send(text("\x00\x01\x00\xfe\xff\xff")->more()->rsv1())->closes(1007);

    // Codes that deflate does not have.
    foreach (['distance-30' => [257, 30, 0, 0], 'distance-31' => [257, 31, 0, 0], 'before-the-first' => [257, 0, 0, 0]] as $name => $match) {
        $s->ws("7692.7.2.2/code-$name", "a match that cannot be ($name): 1007 or 1002")->deflate()
            ->send(binary(Bits::fixed([$match]))->rsv1(), ping('later'))->closes([1007, 1002]);
    }
};
