<?php

declare(strict_types=1);

// RFC 6455, sections 5.5.1 and 7: closing.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    $byUs = static fn (Script $case): Script => $case->step(static fn (Session $c) => $c->weHaveClosed());

    foreach ([1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999] as $code) {
        $byUs($s->ws("6455.7.4/code-$code", "Close $code is answered with the same code"))->send(close($code))->closes($code);
        $byUs($s->ws("6455.7.4/code-$code-reason", "Close $code with a reason is answered with the same code"))
            ->send(close($code, 'good bye'))->closes($code);
    }
    foreach ([0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 1999, 2000, 2999, 5000, 9999, 32768, 65535] as $code) {
        $s->ws("6455.7.4/code-$code-not-allowed", "Close $code must not be on the wire: 1002")->send(close($code))->closes(1002);
        $s->ws("6455.7.4/code-$code-not-allowed-reason", "Close $code with a reason must not be on the wire: 1002")
            ->send(close($code, 'reason'))->closes(1002);
    }
    $byUs($s->ws('6455.5.5.1/empty', 'a Close without a code is answered'))->send(close())->closes([1005, 1000]);
    $byUs($s->ws('6455.5.5.1/empty-stays-empty', 'a Close without a code is answered without one'))->strict()->send(close())->closes(1005);
    foreach (["\x03", "\x00", "\xff"] as $i => $byte) {
        $s->ws("6455.5.5.1/one-byte-$i", 'a Close with one byte is malformed: 1002')
            ->send(new Frame(Frame::CLOSE, $byte))->closes(1002);
    }
    foreach ([1, 2, 122, 123] as $n) {
        $byUs($s->ws("6455.5.5.1/reason-of-$n", "a reason of $n bytes is allowed"))->send(close(1000, str_repeat('r', $n)))->closes(1000);
    }
    foreach ([124, 125, 1000] as $n) {
        $s->ws("6455.5.5.1/reason-of-$n", "a reason of $n bytes makes the frame too long: 1002")
            ->send(close(1000, str_repeat('r', $n)))->closes(1002);
    }
    foreach (['ä' => 'two', '語' => 'three', "\u{1f600}" => 'four', "\u{10ffff}" => 'last'] as $reason => $name) {
        $byUs($s->ws("6455.5.5.1/reason-utf8-$name", "a reason of UTF-8 ($name) is allowed"))
            ->send(close(1000, (string) $reason))->closes(1000);
    }
    $bad = [
        'ff' => "\xff", 'cut' => "abc\xe2\x82", 'surrogate' => "\xed\xa0\x80", 'overlong' => "\xc0\xaf",
        'continuation' => "ok\x80", 'too-high' => "\xf4\x90\x80\x80", 'five-bytes' => "\xf8\x88\x80\x80\x80",
    ];
    foreach ($bad as $name => $reason) {
        $s->ws("6455.5.5.1/reason-bad-$name", "a reason that is not UTF-8 ($name): 1007")->send(close(1000, $reason))->closes([1007, 1002]);
        $s->ws("6455.5.5.1/reason-bad-$name-1007", "the same, and the code says why ($name)")->strict()
            ->send(close(1000, $reason))->closes(1007);
    }
    $s->ws('6455.5.5.1/bad-code-and-reason', 'a bad code is seen before a bad reason')->strict()
        ->send(close(1005, "\xff"))->closes([1002, 1007]);
    foreach (['chopped' => 1, 'chopped-by-3' => 3] as $name => $chop) {
        $byUs($s->ws("6455.5.5.1/$name", "a Close, $name"))->chop($chop)->send(close(1000, 'good bye'))->closes(1000);
    }

    // Nothing is processed after Close. (Answers to what came before it are asked of servers only: a client whose user asks
    // for messages one by one has answered the Close by then.)
    $late = [
        'text' => text('late'), 'ping' => ping('late'), 'close' => close(1001), 'unmasked' => text('late')->masked(false),
        'reserved' => new Frame(7), 'garbage' => noise(500), 'large' => binary(str_repeat('x', 1 << 18)),
        'http' => "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    ];
    foreach ($late as $name => $frame) {
        $byUs($s->ws("6455.5.5.1/after-close-$name", "what follows a Close in the same segment is not looked at ($name)"))
            ->send(close(1000), $frame)->closes(1000);
    }
    $byUs($s->ws('6455.5.5.1/message-before-close', 'a message before the Close in one segment is still answered'))->strict()->role('server')
        ->send(text('last words'), close(1000))->text('last words')->closes(1000);
    $byUs($s->ws('6455.5.5.1/many-before-close', 'fifty messages before the Close are all answered'))->strict()->role('server')
        ->send(...[...array_map(static fn (int $i): Frame => text("$i"), range(1, 50)), close(1000)])
        ->step(static function (Session $c): void {
            foreach (range(1, 50) as $i) {
                $c->expect(Frame::TEXT, "$i");
            }
        })->closes(1000);
    $byUs($s->ws('6455.5.5.1/large-before-close', 'a large message before the Close comes back in full'))->strict()->role('server')
        ->step(static function (Session $c): void {
            $c->timeout = 15.0;
            $c->send([binary(str_repeat('y', 4 << 20)), close(1000)]);
        })->binary(str_repeat('y', 4 << 20))->closes(1000);
    $byUs($s->ws('6455.5.5.1/ping-before-close', 'a ping before the Close is answered'))
        ->send(ping('p'), close(1000))->pong('p')->closes(1000);
    $byUs($s->ws('6455.5.5.1/two-closes', 'a second Close is not answered'))->send(close(1000), close(1000))->closes(1000);
    $byUs($s->ws('6455.5.5.1/after-unfinished', 'a Close after an unfinished message'))
        ->send(text('unfinished')->more(), close(1001))->closes(1001);

    // Failing the connection: nothing of the rest is processed.
    $s->ws('6455.7.1.7/nothing-after-failure', 'after a fault nothing more is processed: no pong')
        ->send(text('x')->rsv(4), ping('late'), text('late'))->closes(1002);
    $s->ws('6455.7.1.7/large-rest-is-drained', 'a fault in front of 1 MiB: the Close is readable, not lost in a reset')
        ->step(static function (Session $c): void {
            $c->send([new Frame(3), binary(str_repeat('z', 1 << 20))]);
            Loop::sleep(0.2);
        })->closes(1002);
    $s->ws('6455.7.1.7/rest-in-pieces', 'a fault, and a peer that goes on sending for a while: the Close is readable')
        ->step(static function (Session $c): void {
            $c->send([new Frame(3)]);
            for ($i = 0; $i < 20; $i++) {
                $c->wire->writeSome(str_repeat('z', 10000));
                Loop::sleep(0.01);
            }
        })->closes(1002)->role('server');

    // The server closes the TCP connection first (7.1.1), and does not wait for ever.
    $s->custom('ws', '6455.7.1.1/server-ends-first', 'after both Close frames the server ends TCP, not the client', static function (Target $t): void {
        $c = $t->open();
        $c->send([close(1000)]);
        $c->weHaveClosed();
        $c->expectClose([1000]);
        Expect::that(!$c->wire->wasReset, 'it ended with a reset');
    });
    $s->custom('ws', '6455.7.1.1/no-answer-to-close', 'a client that never answers the server\'s Close is dropped', static function (Target $t): void {
        $c = $t->open();
        $c->send([new Frame(3)]);
        $c->weHaveClosed();
        $frame = $c->frame();
        Expect::same(1002, $frame->closeCode(), 'code');
        $c->expectEnd(25.0);
    })->slow();
    $s->custom('ws', '6455.7.1.1/half-close', 'a client that half-closes TCP without Close is let go', static function (Target $t): void {
        $c = $t->open();
        $c->send([text('bye')]);
        $c->wire->halfClose();
        $until = 10.0;
        Expect::that($c->wire->readToEnd($until), 'the connection stayed open for 10 s after the half-close');
    });
    $s->custom('ws', '6455.7.1.1/half-close-after-close', 'a client that sends Close and half-closes gets the answer', static function (Target $t): void {
        $c = $t->open();
        $c->send([close(1000)]);
        $c->weHaveClosed();
        $c->wire->halfClose();
        $c->expectClose([1000]);
    });
    $s->custom('ws', '6455.7.1.1/half-close-gets-echo', 'messages before a half-close are answered', static function (Target $t): void {
        $c = $t->open();
        $c->send([text('one'), text('two'), close(1000)]);
        $c->weHaveClosed();
        $c->wire->halfClose();
        $c->expect(Frame::TEXT, 'one');
        $c->expect(Frame::TEXT, 'two');
        $c->expectClose([1000]);
    });
};
