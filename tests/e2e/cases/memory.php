<?php

declare(strict_types=1);

// The greatest memory of a server, computed as docs/guide/limits.md says, and an attack from all sides at once.

namespace Tusk\E2e;

return static function (Suite $s): void {
    /** The formula of docs/guide/limits.md, in KiB; `$base` is what the process has before anybody comes. */
    $bound = static function (int $base, array $l, bool $isSealed = false): int {
        $unfinished = $l['unfinishedBytes'] + max($l['unfinishedBytes'] / 4, 1 << 20);
        $queues = max($l['queuedBytesTotal'], $l['messageBytes'] + $l['queuedBytesTotal'] / 8);
        $fixed = $l['historyBytes'] * 9 / 8 + $l['connections'] * 1536 + (7 << 20) + (4 << 20);
        $tls = $isSealed ? $l['connections'] * (48 << 10) + $l['handshakes'] * (28 << 10) : 0;

        return $base + (int) (($unfinished + $queues + $fixed + $tls) / 1024);
    };
    /** @return list<Peer> */
    $many = static fn (int $count, \Closure $make): array => array_map($make, range(1, $count));
    $quiet = static function (Peer $peer, string $bytes): void { /* as much as the server takes, never waiting for it */
        stream_set_blocking($peer->stream, false);
        for ($tries = 0; $bytes !== '' && $tries < 20; $tries++) {
            $n = $peer->write($bytes);
            $bytes = substr($bytes, $n);
            if ($n === 0) {
                usleep(500);
            }
        }
    };
    /* All that was sent has been taken, as far as it is: nothing has changed over some questions in a row. */
    $settled = static function (Script $server): void {
        $same = 0;
        $last = [];
        await(static function () use ($server, &$same, &$last): bool {
            $now = array_intersect_key($server->stats(), array_flip(['unfinished_bytes', 'queued_bytes', 'messages_in', 'messages_too_big', 'unfinished_closed', 'overflow_closed']));
            $same = $now === $last ? $same + 1 : 0;
            $last = $now;

            return $same >= 20;
        }, 'the attack is over');
    };
    $attack = static function (Script $server, int $crowd) use ($many, $quiet, $settled): array {
        $ws = static fn (): Peer => $server->peer()->upgrade('/ws', "Sec-WebSocket-Extensions: permessage-deflate\r\n");
        $held = [];
        /* readers that stall behind a large echo, some of them a few bytes before its end */
        foreach ($many(6, $ws) as $i => $peer) {
            $quiet($peer, Peer::frame(str_repeat('e', 12 << 20), 2));
            $held[] = $peer;
        }
        /* unfinished messages, as far as the server lets them come */
        foreach ($many($crowd, $ws) as $i => $peer) {
            $quiet($peer, "\x02\xff" . pack('J', 30 << 20) . "\0\0\0\0" . str_repeat('u', $i < 8 ? 6 << 20 : 100000));
            $held[] = $peer;
        }
        /* unfinished heads and bodies */
        foreach ($many($crowd, static fn (): Peer => $server->peer()) as $i => $peer) {
            $quiet($peer, $i % 2 === 0
                ? "GET / HTTP/1.1\r\nHost: x\r\nX-Long: " . str_repeat('h', 15000)
                : "POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\n\r\n" . str_repeat('b', 100000));
            $held[] = $peer;
        }
        /* bombs: a quarter of a gigabyte in a few kilobytes */
        $context = deflate_init(ZLIB_ENCODING_RAW, ['level' => 9]) ?: throw new Failed('no zlib');
        $bomb = '';
        $zeros = str_repeat("\0", 1 << 20);
        for ($i = 0; $i < 256; $i++) {
            $bomb .= deflate_add($context, $zeros, ZLIB_NO_FLUSH);
        }
        $bomb .= deflate_add($context, '', ZLIB_SYNC_FLUSH);
        foreach ($many(20, $ws) as $peer) {
            $quiet($peer, Peer::frame($bomb, 2, true, true));
            $held[] = $peer;
        }
        /* pings of somebody who reads no pong */
        foreach ($many(20, $ws) as $peer) {
            $quiet($peer, str_repeat(Peer::frame(str_repeat('p', 125), 9), 4000));
            $held[] = $peer;
        }
        /* a guest is served in the middle of it */
        $guest = $server->peer()->upgrade();
        for ($i = 0; $i < 20; $i++) {
            $guest->send("guest $i");
            $guest->expectText("guest $i");
        }
        $settled($server);

        return $held;
    };
    $s->test('memory-bound: attacked from all sides, memory stays below what the limits add up to', static function () use ($attack, $bound): void {
        $limits = ['connections' => 2000, 'messageBytes' => 32 << 20, 'unfinishedBytes' => 12 << 20, 'queuedBytes' => 33 << 20, 'queuedBytesTotal' => 48 << 20, 'historyBytes' => 65536];
        $named = implode(', ', array_map(static fn (string $name, int $value): string => "$name: $value", array_keys($limits), $limits));
        $server = new Script(<<<PHP
            ini_set('memory_limit', '-1');
            \$server = new Server('127.0.0.1:0', limits: new Limits($named));
            \$server->onStart(\$started);
            \$server->websocket('/ws', message: fn (Connection \$c, string \$m, MessageType \$t) => \$c->send(\$m, \$t), deflate: new Deflate());
            \$server->post('/post', fn () => Response::text('ok'));
            \$server->get('/stats', fn () => Response::json(\$server->stats()));
            exit(\$server->run());
            PHP);
        \fclose($server->peer()->stream);
        $base = $server->memory();
        $held = $attack($server, 300);
        $peak = $server->memory();
        $most = $bound($base, $limits);
        printf("      peak %d MiB, computed %d MiB, at first %d MiB\n", $peak >> 10, $most >> 10, $base >> 10);
        expect($peak < $most, "peak of $peak KiB, $most KiB computed");
        foreach ($held as $peer) {
            $peer->close();
        }
        await(static fn (): bool => ($now = $server->stats())['unfinished_bytes'] === 0 && $now['queued_bytes'] < 4096 * 8, 'nothing unfinished is left');
    });
    foreach (['that no queue may hold' => 4, 'that all may have' => 48] as $what => $total) {
        $s->test("memory-bound: publications $what", static function () use ($many, $bound, $settled, $total): void {
            $size = 14 << 20;
            $limits = ['connections' => 500, 'messageBytes' => 16 << 20, 'unfinishedBytes' => 1 << 20, 'queuedBytes' => 20 << 20, 'queuedBytesTotal' => $total << 20, 'historyBytes' => 65536];
            $named = implode(', ', array_map(static fn (string $name, int $value): string => "$name: $value", array_keys($limits), $limits));
            $server = new Script(<<<PHP
                ini_set('memory_limit', '-1');
                \$server = new Server('127.0.0.1:0', limits: new Limits($named));
                \$server->onStart(\$started);
                \$open = fn (Connection|EventStream \$c) => \$c->subscribe('t', overflow: Overflow::DropNewest);
                \$server->websocket('/ws', open: \$open, deflate: new Deflate());
                \$server->websocket('/publish', message: fn (Connection \$c, string \$m) => \$server->publish('t', \$m, MessageType::Binary));
                \$server->events('/events', \$open);
                \$server->get('/stats', fn () => Response::json(\$server->stats()));
                exit(\$server->run());
                PHP);
            $server->stats();
            $base = $server->memory();
            $held = [
                ...$many(60, static fn (): Peer => $server->peer()->upgrade('/ws')),
                ...$many(60, static fn (): Peer => $server->peer()->upgrade('/ws', "Sec-WebSocket-Extensions: permessage-deflate\r\n")),
                ...$many(60, static fn (): Peer => $server->peer()),
            ];
            foreach (array_slice($held, 120) as $stream) {
                $stream->write("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
                $stream->until('event-stream');
            }
            $publisher = $server->peer()->upgrade('/publish');
            for ($i = 1; $i <= 3; $i++) {
                $publisher->write(Peer::frame(str_repeat("\xff", $size), 2));
                await(static fn (): bool => $server->stats()['published'] === $i, 'it is published');
            }
            $settled($server);
            $peak = $server->memory();
            $most = $bound($base, $limits) + ($size > $total << 20 ? 0 : 5 * $size >> 10);
            printf("      peak %d MiB, computed %d MiB, at first %d MiB\n", $peak >> 10, $most >> 10, $base >> 10);
            expect($peak < $most, "peak of $peak KiB, $most KiB computed");
        });
    }
    /** Of examples/echo.php: its limits as they stand there, without and with TLS. @return array<string, int> */
    $limits_of = static function (string $source, bool $isSealed): array {
        preg_match_all('/^ {4}(\w+): (?:\$tls \? ([\d_]+) : )?([\d_]+)(?: (\*|<<) (MIB|\d+))?,$/m', $source, $named, PREG_SET_ORDER);
        $limits = [];
        foreach ($named as $one) {
            $value = (int) str_replace('_', '', $isSealed && $one[2] !== '' ? $one[2] : $one[3]);
            $limits[$one[1]] = match ($one[4] ?? '') {
                '<<' => $value << (int) $one[5],
                '*' => $value * (1 << 20),
                default => $value,
            };
        }

        return $limits;
    };
    /* What OpenSSL holds at its worst: hellos of which a byte is missing, and records of which one is, of whoever is let in. */
    $seal = static function (Script $server, int $hellos, int $records): array {
        $held = [];
        for ($i = 0; $i < $hellos; $i++) {
            $held[] = $peer = new Peer("tcp://127.0.0.1:$server->port");
            $peer->write("\x16\x03\x01\x40\x00\x01\x00\x3f\xfc" . str_repeat('h', 16379));
        }
        for ($i = 0; $i < $records; $i++) {
            $socket = socket_create(AF_INET, SOCK_STREAM, SOL_TCP); // a stream with TLS gives no socket, but a socket gives a stream
            expect($socket !== false && socket_connect($socket, '127.0.0.1', $server->port), 'a socket');
            $stream = socket_export_stream($socket) ?: throw new Failed('no stream');
            stream_context_set_option($stream, ['ssl' => ['verify_peer' => false, 'verify_peer_name' => false]]);
            expect(stream_socket_enable_crypto($stream, true, STREAM_CRYPTO_METHOD_TLS_CLIENT) === true, 'a handshake');
            $peer = Peer::of($stream)->upgrade();
            $held[] = [$peer, $socket];
            $peer->write(str_repeat(Peer::frame(str_repeat('p', 100), 9), 150)); // a whole record before it, in the same read
            expect(socket_write($socket, "\x17\x03\x03\x41\x00" . str_repeat('r', 16639)) === 16644, 'a record is sent but for its last byte');
        }

        return $held;
    };
    foreach (['' => false, ', over TLS too' => true] as $how => $isSealed) {
        $s->test("memory-bound: examples/echo.php stays below 128 MiB$how", static function () use ($attack, $bound, $limits_of, $seal, $isSealed): void {
            $source = (string) file_get_contents(dirname(__DIR__, 3) . '/examples/echo.php');
            $body = (string) preg_replace(['/^.*?require [^;]+;\n\nuse [^;]+;\nuse [^;]+;/s', '/"127\.0\.0\.1:\$argv\[1\]"/'], ['', '"127.0.0.1:0"'], $source);
            $file = Certificates::of('localhost', 'echo');
            if ($isSealed) {
                @mkdir(folder() . '/echo');
                copy("$file.pem", folder() . '/echo/cert.pem');
                copy("$file.key", folder() . '/echo/key.pem');
                $body = '$argv[2] = ' . var_export(folder() . '/echo', true) . ";\n$body";
            }
            $server = new Script(str_replace('exit($server->run())', '$server->onStart($started); exit($server->run())', $body));
            $server->isSealed = $isSealed;
            \fclose($server->peer()->stream);
            $limits = $limits_of($source, $isSealed);
            expect($limits['connections'] === ($isSealed ? 450 : 18000), 'the limits are read as they stand');
            $most = $bound(max($server->memory(), 30 << 10), $limits, $isSealed);
            $held = $isSealed ? $seal($server, 180, 100) : [];
            $attack($server, $isSealed ? 60 : 300);
            printf("      peak %d MiB, computed %d MiB\n", $server->memory() >> 10, $most >> 10);
            expect($most < 128 << 10, "the limits add up to $most KiB");
            expect($server->memory() < $most, "peak of {$server->memory()} KiB, $most KiB computed");
            expect($server->memory() < 128 << 10, "peak of {$server->memory()} KiB");
            unset($held);
        });
    }
    $s->test('memory-bound: what a crowd left goes back to the system, so that it is not beside what the next one has', static function () use ($many, $quiet, $settled): void {
        $server = new Script(<<<'PHP'
            ini_set('memory_limit', '-1');
            $server = new Server('127.0.0.1:0', limits: new Limits(queuedBytesTotal: 48 << 20));
            $server->onStart($started);
            $server->websocket('/ws', message: fn (Connection $c, string $m, MessageType $t) => $c->send($m, $t));
            $server->get('/stats', fn () => Response::json($server->stats()));
            exit($server->run());
            PHP);
        $server->stats();
        $resident = static fn (): int => $server->memory('VmRSS');
        $base = $resident();
        $frames = str_repeat(Peer::frame(str_repeat('s', 100)), 20_000);
        /* echoes of many small parts, which nobody reads, and between them in the heap those who stay */
        $held = $stay = [];
        for ($i = 0; $i < 1000 && $server->stats()['queued_bytes'] < 36 << 20; $i++) {
            $quiet($held[] = $server->peer()->upgrade('/ws'), $frames);
            $stay[] = $server->peer()->upgrade('/ws');
        }
        $settled($server);
        $most = $resident();
        foreach ($held as $peer) {
            $peer->close();
        }
        await(static fn (): bool => $server->stats()['heap_trims'] > 0 && $resident() < $base + ($most - $base) / 3, 'the memory is given back');
        printf("      %d MiB, with the crowd of %d %d, afterwards %d\n", $base >> 10, count($held), $most >> 10, $resident() >> 10);
        $last = end($stay) ?: throw new Failed('nobody stays');
        $last->send('on');
        $last->expectText('on');
    });
    $s->test('memory-bound: what a crowd of stalled readers left of a proxy goes back to the system', static function (): void {
        $folder = folder();
        file_put_contents("$folder/large", str_repeat('x', 8 << 20));
        $server = new Script(<<<PHP
            \$server = new Server('127.0.0.1:0');
            \$server->onStart(\$started);
            \$server->files('/', '$folder');
            exit(\$server->run());
            PHP);
        $proxy = proxy("new HttpProxy(\$resolver, '127.0.0.1:0', validation: \$validation)", "'127.0.0.1:$server->port'");
        $resident = static fn (): int => $proxy->memory('VmRSS');
        $ask = static function () use ($proxy): Peer {
            $peer = new Peer("tcp://127.0.0.1:$proxy->port");
            $peer->write("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");

            return $peer;
        };
        $ask()->until('xxx');
        $base = $resident();
        $held = array_map($ask, range(1, 600));
        $stay = $ask(); /* in the heap behind them */
        await(static fn (): bool => $resident() > $base + (20 << 10), 'answers wait in the proxy');
        $most = $resident();
        foreach ($held as $peer) {
            $peer->close();
        }
        await(static fn (): bool => $resident() < $base + ($most - $base) / 3, 'the memory is given back');
        printf("      %d MiB, with the crowd %d, afterwards %d\n", $base >> 10, $most >> 10, $resident() >> 10);
        $stay->until('xxx');
    });
    $s->test('memory-bound: a connection over TLS has 48 KiB at its worst, and its handshake 28 more', static function () use ($seal): void {
        $file = Certificates::of('localhost', 'echo');
        foreach (['hellos of which a byte is missing' => [300, 0, 48 + 28], 'records of which a byte is missing' => [0, 300, 48]] as $what => [$hellos, $records, $most]) {
            $server = new Script(<<<PHP
                \$server = new Server('127.0.0.1:0', tls: new Tls('$file.pem', '$file.key'));
                \$server->onStart(\$started);
                \$server->websocket('/ws', message: fn (Connection \$c, string \$m) => null);
                \$server->get('/stats', fn () => Response::json(\$server->stats()));
                exit(\$server->run());
                PHP);
            $server->isSealed = true;
            $held = $seal($server, min(20, $hellos), min(20, $records)); // what is made once
            $server->stats();
            $base = $server->memory();
            $held = [...$held, ...$seal($server, $hellos, $records)];
            await(static fn (): bool => $server->stats()['connections_open'] >= 321, 'all of them are there');
            $each = ($server->memory() - $base) / 300;
            printf("      %.1f KiB each: %s\n", $each, $what);
            expect($each < $most + 1.5, sprintf('%s: %.1f KiB each', $what, $each));
            expect($each > $most / 2, sprintf('%s: %.1f KiB each, so that nothing was held', $what, $each));
            unset($held);
        }
    });
};
