<?php

declare(strict_types=1);

// Attacks by number: connections, handshakes, resets, leaks.

namespace Tusk\Conformance;

return static function (Suite $s): void {
    $attack = static fn (string $id, string $title, \Closure $body): Script => $s->custom('ws', "attack/$id", $title, static function (Target $t) use ($body): void {
        $server = $t->server();
        $t->open()->closeWith(1000);
        Loop::sleep(0.3);
        $before = $server->descriptors();
        $server->forgetPeak();
        $body($t);
        gc_collect_cycles();
        for ($until = Loop::deadline(15.0); Loop::now() < $until && $server->descriptors() > $before; Loop::sleep(0.1)) {
            continue;
        }
        Expect::that($server->descriptors() <= $before, "descriptors: $before before, {$server->descriptors()} after");
        Expect::that($server->peakMiB() < 128.0, sprintf('peak of %.0f MiB', $server->peakMiB()));
        $t->open()->closeWith(1000);
    })->alone();

    $attack('connect-and-leave', 'a thousand connections that say nothing and leave', static function (Target $t): void {
        for ($i = 0; $i < 1000; $i++) {
            $t->connect()->close();
        }
    });
    $attack('connect-and-reset', 'a thousand connections that are reset', static function (Target $t): void {
        for ($i = 0; $i < 1000; $i++) {
            $t->connect()->reset();
        }
    });
    $attack('unfinished-handshakes', 'six hundred unfinished handshakes; a guest is served', static function (Target $t): void {
        $held = [];
        for ($i = 0; $i < 600; $i++) {
            $wire = $t->connect();
            $wire->write(substr(Upgrade::request(), 0, 5 + $i % 120));
            $held[] = $wire;
        }
        $guest = $t->open();
        $guest->send([text('me too')]);
        $guest->expect(Frame::TEXT, 'me too');
        $guest->closeWith(1000);
        foreach ($held as $wire) {
            $wire->close();
        }
    });
    $attack('idle-open', 'six hundred open connections, each answers', static function (Target $t): void {
        $all = [];
        for ($i = 0; $i < 600; $i++) {
            $all[] = $t->open();
        }
        foreach ($all as $i => $c) {
            $c->send([text("$i")]);
        }
        foreach ($all as $i => $c) {
            $c->expect(Frame::TEXT, "$i");
        }
        foreach ($all as $c) {
            $c->send([close(1000)]);
            $c->weHaveClosed();
        }
        foreach ($all as $c) {
            $c->expectClose([1000]);
        }
    });
    $cuts = ['in-head' => 3, 'in-mask' => 7, 'in-payload' => 300];
    foreach ($cuts as $name => $at) {
        $attack("reset-mid-frame-$name", "two hundred resets in the middle of a frame ($name)", static function (Target $t) use ($at): void {
            for ($i = 0; $i < 200; $i++) {
                $c = $t->open();
                $c->wire->write(substr(binary(str_repeat('x', 1000))->encode(true), 0, $at));
                $i % 2 === 0 ? $c->wire->reset() : $c->wire->close();
            }
        });
    }
    $attack('reset-mid-write', 'resets while the server writes a large echo', static function (Target $t): void {
        for ($i = 0; $i < 20; $i++) {
            $c = $t->open();
            $c->send([binary(str_repeat('x', 1 << 20))]);
            $i % 2 === 0 ? $c->wire->reset() : $c->wire->close();
        }
    });
    $attack('reset-mid-inflate', 'resets within a compressed message', static function (Target $t): void {
        for ($i = 0; $i < 100; $i++) {
            $c = $t->open('permessage-deflate');
            $packed = (new Deflate())->compress(noise(20000));
            $c->send([binary(substr($packed, 0, 9000))->more()->rsv1()]);
            $c->wire->reset();
        }
    });
    $attack('upgrade-and-vanish', 'five hundred handshakes whose client is gone before the answer', static function (Target $t): void {
        for ($i = 0; $i < 500; $i++) {
            $wire = $t->connect();
            $wire->write(Upgrade::request());
            $i % 2 === 0 ? $wire->reset() : $wire->close();
        }
    });
    $attack('open-and-close', 'a thousand whole connections: no descriptor and no memory stays', static function (Target $t): void {
        $server = $t->server();
        $round = static function () use ($t): void {
            for ($i = 0; $i < 500; $i++) {
                $c = $t->open($i % 2 === 0 ? 'permessage-deflate' : null);
                $c->send([text('hello')]);
                $c->message();
                $c->closeWith(1000);
            }
        };
        $round();
        $resident = $server->residentMiB();
        $round();
        Expect::that($server->residentMiB() - $resident < 4.0, sprintf('grew by %.1f MiB', $server->residentMiB() - $resident));
    });
    $attack('half-closed', 'three hundred half-closed connections are let go', static function (Target $t): void {
        $held = [];
        for ($i = 0; $i < 300; $i++) {
            $c = $t->open();
            $c->wire->halfClose();
            $held[] = $c;
        }
        foreach ($held as $c) {
            Expect::that($c->wire->readToEnd(10.0), 'stayed open');
        }
    });
    $attack('flood-after-close', 'ten clients that send on after their Close are let go; none has more than a message read away', static function (Target $t): void {
        $block = str_repeat(ping('still here')->encode(true), 20000);
        for ($i = 0; $i < 10; $i++) {
            $wire = $t->connect();
            $t->open($i % 2 === 0 ? 'permessage-deflate' : null, $wire);
            $wire->readsWhileWriting = $i % 3 !== 0;
            $wire->write($i < 5 ? close(1000)->encode(true) : text("\xff")->encode(true));
            $sent = Flood::push($wire, $block, 5.0);
            Expect::that($sent < 64 << 20, sprintf('it took %d MiB after the Close', $sent >> 20));
            $guest = $t->open();
            $guest->send([text('me too')]);
            $guest->expect(Frame::TEXT, 'me too');
            $guest->closeWith(1000);
            $wire->close();
        }
    });
    $attack('noise', 'three hundred connections of noise, before and after the handshake', static function (Target $t): void {
        for ($i = 0; $i < 300; $i++) {
            $wire = $t->connect();
            if ($i % 3 !== 0) {
                $t->open($i % 3 === 1 ? 'permessage-deflate' : null, $wire);
            }
            $wire->write(noise(2000, $i));
            $i % 10 === 0 && $wire->readToEnd(1.0);
            $wire->close();
        }
    });
    $attack('mutations', 'three hundred good conversations with one byte changed', static function (Target $t): void {
        $deflate = new Deflate(15, false);
        $frames = text('hello')->encode(true) . binary(noise(300))->encode(true) . ping('p')->encode(true)
            . text($deflate->compress(prose(500)))->rsv1()->encode(true) . text('a')->more()->encode(true) . cont('b')->encode(true) . close(1000)->encode(true);
        mt_srand(7);
        for ($i = 0; $i < 300; $i++) {
            $wire = $t->connect();
            $t->open('permessage-deflate', $wire);
            $bytes = $frames;
            $at = mt_rand(0, strlen($bytes) - 1);
            $bytes[$at] = chr(ord($bytes[$at]) ^ (1 << mt_rand(0, 7)));
            $wire->write($bytes);
            $wire->halfClose();
            Expect::that($wire->readToEnd(10.0), "byte $at changed: the connection stayed open after the half-close");
            $wire->close();
        }
    });

    // HTTP.
    $s->custom('http', 'attack/pipeline-never-read', 'a client that pipelines and never reads is stopped, not buffered', static function (Target $t): void {
        $server = $t->server('http');
        $server->forgetPeak();
        $wire = $t->connect('http', 4096);
        $sent = Flood::push($wire, str_repeat("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 1000), 2.0);
        Expect::that($sent < 100 << 20, sprintf('it took %d MiB of requests', $sent >> 20));
        Expect::that($server->peakMiB() < 128.0, sprintf('peak of %.0f MiB', $server->peakMiB()));
        $other = $t->connect('http');
        $other->write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        Expect::same(200, Http::read($other, 5.0)->status, 'status for another client');
    })->strict()->alone();
    $s->custom('http', 'attack/pipeline-stalls', 'nothing more is taken from it, and what was taken is answered when it reads', static function (Target $t): void {
        $wire = $t->connect('http');
        $wire->readsWhileWriting = false;
        $request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
        $sent = Flood::untilStopped($wire, str_repeat($request, 1000), 32 << 20, 20.0);
        Expect::that($sent !== null, 'it was never stopped');
        $wanted = intdiv((int) $sent, strlen($request));
        for ($answered = 0, $until = Loop::deadline(20.0); $answered < $wanted;) {
            Expect::that($wire->read($until) && !$wire->ended, "$answered answers came of $wanted");
            $last = strrpos($wire->in, 'Hello, World!');
            $answered += substr_count($wire->take($last === false ? 0 : $last + 13), "\r\n\r\nHello, World!");
        }
        Expect::same($wanted, $answered, 'answers');
    })->alone();
    foreach (['silent' => '', 'drip' => "GET / HTTP/1.1\r\nHost: x\r\n"] as $name => $bytes) {
        $s->custom('http', 'attack/slow-head' . ($name === 'drip' ? '' : "-$name"), "a head that never ends ($name) is given up", static function (Target $t) use ($bytes): void {
            $wire = $t->connect('http');
            $wire->write($bytes);
            for ($i = 0; $i < 100 && !$wire->ended; $i++) {
                $bytes !== '' && $wire->writeSome("X-$i: $i\r\n");
                $wire->read(Loop::now() + 0.2) && Loop::sleep(0.05);
            }
            Expect::that($wire->ended || $wire->readToEnd(1.0), 'still open after 20 s');
            Expect::that($wire->in === '' || preg_match('~\AHTTP/1\.1 408 ~', $wire->in) === 1, 'got ' . Http::quote($wire->in));
        })->slow();
    }
    $s->custom('http', 'attack/files-never-read', 'fifty clients that ask for large files and never read', static function (Target $t): void {
        $server = $t->server('http');
        $server->forgetPeak();
        $held = [];
        for ($i = 0; $i < 50; $i++) {
            $held[] = $wire = $t->connect('http', 4096);
            $wire->write(str_repeat("GET /static/large.bin HTTP/1.1\r\nHost: x\r\n\r\n", 20));
        }
        Loop::sleep(1.0);
        Expect::that($server->peakMiB() < 128.0, sprintf('peak of %.0f MiB', $server->peakMiB()));
        $other = $t->connect('http');
        $other->write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        Expect::same(200, Http::read($other, 5.0)->status, 'status for another client');
    })->alone();
    $s->custom('http', 'attack/slow-body', 'a body that trickles in does not hold the connection for ever', static function (Target $t): void {
        $wire = $t->connect('http');
        $wire->write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
        for ($i = 0; $i < 60 && !$wire->ended; $i++) {
            $wire->writeSome('x');
            $wire->read(Loop::now() + 0.5);
        }
        Expect::that($wire->ended || $wire->in !== '', 'after 30 s there is neither answer nor end');
    })->slow();
};
