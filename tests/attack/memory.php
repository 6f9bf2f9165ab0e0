<?php

declare(strict_types=1);

// Attacks on memory: bombs, readers that never read, floods of connections. The server stays below 128 MiB and serves the others.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    $below = static function (Server $server, float $limit = 128.0): void {
        Expect::that($server->peakMiB() < $limit, sprintf('peak of %.0f MiB', $server->peakMiB()));
    };
    /** Runs the attack while a guest talks; the guest's answers must keep coming. */
    $attack = static fn (string $id, string $title, \Closure $body): Script => $s->custom('ws', "attack/$id", $title, static function (Target $t) use ($body, $below): void {
        $server = $t->server();
        $server->forgetPeak();
        $guest = Guest::start($t);
        try {
            $body($t);
            Loop::sleep(0.3);
        } finally {
            $guest->stop();
        }
        $guest->check();
        $below($server);
        $t->open()->closeWith(1000);
    })->alone();

    $attack('bomb-1g', 'a compressed gigabyte: 1009, flat memory', static function (Target $t): void {
        $c = $t->open('permessage-deflate');
        $c->timeout = 20.0;
        $context = deflate_init(ZLIB_ENCODING_RAW, ['level' => 9]) ?: throw new \LogicException();
        $packed = '';
        $zeros = str_repeat("\0", 1 << 20);
        for ($i = 0; $i < 1024; $i++) {
            $packed .= deflate_add($context, $zeros, ZLIB_NO_FLUSH);
        }
        $packed .= deflate_add($context, '', ZLIB_SYNC_FLUSH);
        $c->send([binary($packed)->rsv1()]);
        $c->expectClose([1009]);
    });
    $attack('bomb-20', 'twenty bombs at once', static function (Target $t): void {
        $packed = (new Deflate())->compress(str_repeat("\0", 64 << 20), 9);
        $all = [];
        for ($i = 0; $i < 20; $i++) {
            $c = $t->open('permessage-deflate');
            $c->timeout = 30.0;
            $c->send([binary($packed)->rsv1()]);
            $all[] = $c;
        }
        foreach ($all as $c) {
            $c->expectClose([1009, 1008, 1013]);
        }
    });
    $attack('bomb-fragments', 'a bomb in frames of one byte that never ends', static function (Target $t): void {
        $c = $t->open('permessage-deflate');
        $c->timeout = 20.0;
        $packed = (new Deflate())->compress(str_repeat("\0", 40 << 20), 9);
        $frames = array_map(static fn (string $b): Frame => cont($b)->more(), str_split($packed));
        $frames[0] = binary($packed[0])->more()->rsv1();
        $c->send($frames);
        $c->expectClose([1009, 1008]);
    });
    $attack('declared-and-silent', 'a hundred messages of 30 MiB announced, a byte of each sent', static function (Target $t): void {
        $all = [];
        for ($i = 0; $i < 100; $i++) {
            $c = $t->open();
            $c->send([substr(binary('x')->declares(pack('J', 30 << 20))->encode(true), 0, 15)]);
            $all[] = $c;
        }
        Loop::sleep(0.5);
    });
    $attack('unfinished-messages', 'thirty unfinished messages of 8 MiB: reading pauses or some are refused', static function (Target $t): void {
        $half = binary(str_repeat('x', 8 << 20))->more()->encode(true);
        $all = [];
        for ($i = 0; $i < 30; $i++) {
            $c = $t->open();
            for ($offset = 0, $stuck = 0; $offset < strlen($half) && $stuck < 3;) {
                $count = $c->wire->writeSome(substr($half, $offset, 1 << 20));
                if ($count < 0) {
                    break;
                }
                $offset += $count;
                $stuck = $count === 0 ? $stuck + 1 : 0;
                Loop::sleep(0.005);
            }
            $all[] = $c;
        }
    });
    $attack('unfinished-holds-others', 'messages that are never finished do not hold up a message of 400 KiB in pieces', static function (Target $t): void {
        $held = [];
        for ($i = 0; $i < 6; $i++) {
            $held[] = $c = $t->open();
            Flood::push($c->wire, binary(str_repeat('x', 9 << 20))->more()->encode(true), 1.0, 1);
        }
        $guest = $t->open();
        $guest->timeout = 30.0;
        foreach (fragments(Frame::BINARY, array_fill(0, 4, str_repeat('g', 100 << 10))) as $frame) {
            $guest->send([$frame]);
            Loop::sleep(0.05);
        }
        $guest->expect(Frame::BINARY, str_repeat('g', 400 << 10));
        $guest->closeWith(1000);
        unset($held);
    });
    $attack('unfinished-and-whole', 'four hundred messages of 60 KB are never finished; a guest whose own are whole is answered', static function (Target $t): void {
        $part = binary(str_repeat('x', 60_000))->more()->encode(true);
        $held = [];
        for ($i = 0; $i < 400; $i++) {
            $held[] = $c = $t->open();
            $c->wire->writeSome($part);
        }
        $guest = $t->open();
        $guest->timeout = 2.0;
        for ($i = 0; $i < 20; $i++) {
            $guest->send([binary(str_repeat('g', 60_000))]);
            $guest->expect(Frame::BINARY, str_repeat('g', 60_000));
        }
        $guest->closeWith(1000);
        unset($held);
    });
    $attack('pings-never-read', 'a client that sends pings and never reads', static function (Target $t): void {
        $wire = $t->connect('ws', 4096);
        $c = $t->open(null, $wire);
        Flood::push($wire, str_repeat(ping(str_repeat('p', 125))->encode(true), 500), 2.0);
        unset($c);
    });
    $attack('echoes-never-read', 'a client that sends messages and never reads', static function (Target $t): void {
        $wire = $t->connect('ws', 4096);
        $c = $t->open(null, $wire);
        Flood::push($wire, str_repeat(text(str_repeat('m', 4000))->encode(true), 50), 2.0);
        unset($c);
    });
    $attack('large-echoes-never-read', 'ten clients with messages of 4 MiB that never read', static function (Target $t): void {
        $frame = binary(str_repeat('L', 4 << 20))->encode(true);
        $wires = [];
        for ($i = 0; $i < 10; $i++) {
            $wires[] = $wire = $t->connect('ws', 4096);
            $t->open(null, $wire);
        }
        foreach (range(1, 4) as $round) {
            foreach ($wires as $wire) {
                Flood::push($wire, $frame, 0.25);
            }
        }
    });
    $attack('compressed-echoes-never-read', 'small compressed messages whose echoes are large, never read', static function (Target $t): void {
        $wire = $t->connect('ws', 4096);
        $c = $t->open('permessage-deflate; server_no_context_takeover; client_no_context_takeover', $wire);
        $packed = (new Deflate(15, false))->compress(str_repeat('a', 1 << 20), 9);
        Flood::push($wire, str_repeat(binary($packed)->rsv1()->encode(true), 50), 2.0);
        unset($c);
    });
    $attack('close-to-never-reader', 'the Close of a client that never read still ends the connection', static function (Target $t): void {
        $wire = $t->connect();
        $c = $t->open(null, $wire);
        Flood::push($wire, str_repeat(text(str_repeat('m', 1000))->encode(true), 20), 1.0);
        $wire->halfClose();
        Expect::that($wire->readToEnd(20.0), 'still open 20 s after the half-close');
        unset($c);
    });
    $attack('empty-frames', 'a million empty frames in two seconds: cost, not memory', static function (Target $t): void {
        $c = $t->open();
        Flood::push($c->wire, text('a')->more()->encode(true) . str_repeat("\x00\x80abcd", 100000), 2.0, 10);
    });
    $attack('tiny-messages', 'messages of one byte as fast as they go, echoes read late', static function (Target $t): void {
        $c = $t->open();
        Flood::push($c->wire, str_repeat(text('x')->encode(true), 10000), 1.5);
    });
};
