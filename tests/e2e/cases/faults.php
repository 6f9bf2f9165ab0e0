<?php

declare(strict_types=1);

// Faults of the start, of handlers, of the machine.

namespace Tusk\E2e;

use function Tusk\Tests\free_port;

return static function (Suite $s): void {
    /* ---- the start ---- */
    $fails = static fn (string $name, string $body, array $texts) => $s->test($name, static function () use ($body, $texts): void {
        $server = new Script($body, listening: false);
        expect($server->end() !== 0, 'it ended with 0');
        foreach ($texts as $text) {
            contains($server->log(), $text, 'the log');
        }
    });
    $s->test('a port in use: the message names the address and says why', static function (): void {
        $taken = stream_socket_server('tcp://127.0.0.1:0') ?: throw new Failed('no port');
        $address = (string) stream_socket_get_name($taken, false);
        foreach (["(new Server('$address'))->run();", '$s = new \Tusk\WebSocket\Server(); $s->listen("127.0.0.1", ' . substr($address, 10) . '); $s->run();'] as $body) {
            $server = new Script($body, listening: false);
            expect($server->end() !== 0, 'it ended with 0');
            contains($server->log(), "cannot listen on $address: ", 'the log');
            contains($server->log(), 'in use; choose another port, or 0', 'the log');
        }
    });
    $fails('a host that is none is named', "new Server('no.such.host.invalid:80');", ['no.such.host.invalid', 'no such host; give an address']);
    $fails('an address that is not of this machine', "(new Server('192.0.2.1:8080'))->run();", ['cannot listen on 192.0.2.1:8080: not an address of this machine; \'ip address\' shows']);
    $fails('a port over 65535', "(new Server('127.0.0.1:70000'))->run();", ['ValueError', '70000']);
    $fails('a certificate that is not there names the file', "new Tls('/nowhere/cert.pem', '/nowhere/key.pem');", ['ValueError', '/nowhere/cert.pem', 'No such file', '; give the path']);
    $fails('an option out of range names value and remedy', 'new Limits(connections: -5);', ['ValueError', 'connections', '-5', 'between']);
    $fails('an option that is zero where none is allowed', 'new Limits(messageBytes: 0);', ['ValueError', 'messageBytes', '0']);
    $fails('an option of the compatible class', 'new \Tusk\WebSocket\Server(["maxConnections" => 0]);', ['ValueError', 'maxConnections', '0']);
    $fails('an option that nobody knows', 'new \Tusk\WebSocket\Server(["maxConections" => 1]);', ['ValueError', 'maxConections']);
    $fails('more workers than there may be', "new Server('127.0.0.1:0', workers: 65);", ['ValueError', 'workers', 'between 1 and 64, 65 given']);
    $s->test('a certificate that is garbage, a key of another certificate', static function (): void {
        $one = Certificates::of('one.test');
        $two = Certificates::of('two.test');
        $garbage = folder() . '/garbage.pem';
        file_put_contents($garbage, "not a certificate\n");
        foreach ([[$garbage, "$one.key", $garbage, '; it has to hold'], ["$one.pem", "$two.key", "$two.key", '; give the key']] as [$certificate, $key, $named, $remedy]) {
            $server = new Script("new Tls('$certificate', '$key');", listening: false);
            expect($server->end() !== 0, 'it ended with 0');
            contains($server->log(), 'ValueError', 'the log');
            contains($server->log(), $named, 'the log');
            contains($server->log(), $remedy, 'the log');
        }
    });

    /* ---- handlers ---- */
    $handlers = static fn (string $message, string $limits = 'new Limits()', string $flags = '', string $shell = ''): Script => new Script(<<<PHP
        \$server = new Server('127.0.0.1:0', limits: $limits);
        \$server->onStart(\$started);
        \$server->websocket('/ws', message: function (Connection \$c, string \$m) use (\$server): void { $message },
            close: function (Connection \$c, int \$code): void { echo "closed \$code\\n"; });
        \$server->get('/stats', fn () => Response::json(\$server->stats()));
        exit(\$server->run());
        PHP, $flags, shell: $shell);
    $survives = static function (Script $server): void {
        $other = $server->peer()->upgrade();
        $other->send('ok');
        $other->expectText('ok');
        $other->close();
    };
    $s->test('a handler that throws: that connection gets 1011, the log tells, others go on', static function () use ($handlers, $survives): void {
        $server = $handlers('if ($m === "throw") { throw new \DomainException("on purpose"); } $c->send($m);');
        $guest = $server->peer()->upgrade();
        $peer = $server->peer()->upgrade();
        $peer->send('throw');
        $peer->expectClose(1011);
        $server->awaitLog('on purpose');
        $guest->send('still here');
        $guest->expectText('still here');
        $survives($server);
        expect($server->stop() === 0, 'a clean stop after it');
    });
    $s->test('a handler that throws while it answers HTTP: 500, nothing of it leaks', static function (): void {
        $server = new Script(<<<'PHP'
            $server = new Server('127.0.0.1:0');
            $server->onStart($started);
            $server->get('/', fn () => throw new \DomainException('a secret'));
            $server->get('/ok', fn () => Response::text('fine'));
            $server->get('/wrong', fn () => new \ArrayObject());
            exit($server->run());
            PHP);
        $answer = $server->get('/');
        contains($answer, 'HTTP/1.1 500 ');
        expect(!str_contains($answer, 'secret'), 'the client sees the exception');
        contains($server->get('/wrong'), 'HTTP/1.1 500 ');
        contains($server->get('/ok'), 'fine');
        $server->awaitLog('a secret');
    });
    $s->test('a handler that calls exit(): the same as an exception, logged', static function () use ($handlers, $survives): void {
        $server = $handlers('if ($m === "exit") { exit(3); } $c->send($m);');
        $guest = $server->peer()->upgrade();
        $peer = $server->peer()->upgrade();
        $peer->send('exit');
        $peer->expectClose(1011);
        $server->awaitLog('exit');
        $guest->send('still here');
        $guest->expectText('still here');
        $survives($server);
    });
    $s->test('a handler that blocks is named in the log with its milliseconds', static function () use ($handlers, $survives): void {
        $server = $handlers('if ($m === "block") { usleep(150000); } $c->send($m);');
        $peer = $server->peer()->upgrade();
        $peer->send('block');
        $peer->expectText('block');
        await(static fn (): bool => preg_match('/\b(1[3-9]\d|[2-9]\d\d|\d{4,})(\.\d+)? ?ms\b/', $server->log()) === 1, 'milliseconds in the log: ' . $server->log());
        contains($server->log(), "/server-", "the log"); // the handler, by file and line
        $survives($server);
    });
    $s->test('a handler over memory_limit: the process drains what it can and ends with an error', static function () use ($handlers): void {
        $server = $handlers('if ($m === "eat") { $all = []; for (;;) { $all[] = str_repeat("x", 1 << 20); } } $c->send($m);', 'new Limits(drainMs: 500)', '-d memory_limit=32M');
        $guest = $server->peer()->upgrade();
        $guest->send('before');
        $guest->expectText('before');
        $peer = $server->peer()->upgrade();
        $peer->send('eat');
        $guest->expectClose(1001);
        expect($server->end() !== 0, 'it ended with 0');
        contains($server->log(), 'Allowed memory size', 'the log');
    });
    $s->test('a handler that destroys its own connection inside the callback', static function () use ($handlers, $survives): void {
        $server = $handlers(<<<'PHP'
            match ($m) {
                'terminate' => $c->terminate(),
                'close' => $c->close(1000, 'bye'),
                'close-twice' => [$c->close(), $c->close(), $c->terminate()],
                'forget' => [$c->state = $c, $c->terminate(), gc_collect_cycles()],
                default => $c->send($m),
            };
            PHP);
        foreach (['terminate', 'close', 'close-twice', 'forget'] as $how) {
            $peer = $server->peer()->upgrade();
            $peer->write(Peer::frame($how) . Peer::frame('never'));
            $peer->write(Peer::frame("\x03\xe8", 8));
            expect(!str_contains($peer->rest(), 'never'), "$how: a message after its end reached the handler");
        }
        await(static fn (): bool => substr_count($server->log(), 'closed ') === 4, 'on_close once each: ' . $server->log());
        $survives($server);
        expect(!str_contains($server->log(), 'Fatal') && !str_contains($server->log(), 'uncaught'), 'the log is not clean: ' . $server->log());
        expect($server->stop() === 0, 'a clean stop');
    });

    /* ---- clients that vanish ---- */
    $s->test('clients that vanish in a handshake, in a frame, in a write: nothing stays', static function () use ($handlers, $survives): void {
        $server = $handlers('$c->send(str_repeat($m, 1 << 20));');
        foreach (['close', 'reset', 'halfClose'] as $round => $how) {
            $peers = [];
            $upgrade = "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnec";
            foreach ([1, 20, strlen($upgrade)] as $length) {
                ($peers[] = $server->peer())->write(substr($upgrade, 0, $length));
            }
            foreach ([1, 3, 6, 500] as $length) {
                ($peers[] = $server->peer()->upgrade())->write(substr(Peer::frame(str_repeat('f', 1000)), 0, $length));
            }
            ($peers[] = $server->peer()->upgrade())->send('w'); /* a megabyte comes, nobody reads */
            // What was written last has been read, so all of it has.
            await(static fn (): bool => ($now = $server->stats())['messages_in'] > $round && $now['handshakes_pending'] >= 3, 'all is under way');
            foreach ($peers as $peer) {
                $peer->{$how}();
            }
            if ($how === 'halfClose') {
                await(static fn (): bool => $server->stats()['handshakes_pending'] <= 1, 'the ends are seen');
                foreach ($peers as $peer) {
                    $peer->close();
                }
            }
        }
        await(static fn (): bool => ($now = $server->stats())['connections_open'] === 1 && $now['unfinished_bytes'] === 0, 'all sessions are gone: ' . json_encode($server->stats()));
        $stats = $server->stats();
        expect($stats['handshakes_pending'] <= 1 && $stats['websockets_open'] === 0, 'left over: ' . json_encode($stats));
        expect(substr_count($server->log(), 'closed ') === $stats['websockets_total'], 'one on_close for each: ' . $server->log());
    });

    /* ---- the machine ---- */
    $s->test('more connections than descriptors: a soft limit is raised, and what the hard one lacks is told at the start with the number that does', static function () use ($handlers): void {
        $begun = static fn (string $connections, string $shell): array => [
            'server' => $handlers('', "new Limits(connections: $connections)", shell: $shell),
            'proxy' => new Script(<<<PHP
                \$resolver = new class implements \Tusk\Proxy\Resolver {
                    public function resolve(\Tusk\Proxy\Lookup \$lookup): \Tusk\Proxy\Route { throw new \Tusk\Proxy\Refused(503, "x"); }
                };
                \$proxy = new \Tusk\Proxy\Tcp(\$resolver, '127.0.0.1:0', limits: new \Tusk\Proxy\Limits(connections: $connections));
                \$proxy->onStart(\$started);
                exit(\$proxy->run());
                PHP, shell: $shell),
        ];
        foreach (['server' => 1, 'proxy' => 2] as $kind => $each) {
            $short = $begun('300', 'ulimit -n 100;')[$kind];
            $told = preg_match('~300 connections need (\d+) file descriptors, and no more than 100 are allowed here: some \d+ fit~', $short->log(), $m);
            expect($told === 1 && $m[1] > 300 * $each, "$kind: {$short->log()}");
            foreach (["ulimit -n $m[1];", "ulimit -Sn 100; ulimit -Hn $m[1];"] as $shell) {
                $enough = $begun('300', $shell)[$kind];
                expect(!str_contains($enough->log(), 'need'), "$kind, $shell: {$enough->log()}");
                contains((string) file_get_contents("/proc/$enough->pid/limits"), "Max open files            $m[1] ", "$kind, $shell");
            }
        }
    });
    $s->test('a file at its limit (RLIMIT_FSIZE) ends neither a server, a worker of one, nor a worker of a pool', static function (): void {
        needs('prlimit');
        $fill = '$file = tempnam(sys_get_temp_dir(), "full"); exec("prlimit --fsize=1000 --pid " . getmypid()); $took = @file_put_contents($file, str_repeat("x", 5000)); unlink($file);';
        foreach ([1, 2] as $workers) {
            $server = new Script(<<<PHP
                \$server = new Server('127.0.0.1:0', workers: $workers);
                \$server->get('/', function () { $fill return Response::text(getmypid() . ' took ' . json_encode(\$took)); });
                \$server->onListen(\$started);
                exit(\$server->run());
                PHP);
            preg_match('~(\d+) took (\w+)~', $server->get('/'), $first);
            expect(($first[2] ?? '') === 'false' || (int) ($first[2] ?? 5000) < 5000, "$workers workers: " . json_encode($first) . $server->log());
            expect($server->stop() === 0 && !str_contains($server->log(), 'signal'), "$workers workers: {$server->log()}");
        }
        $pool = new Script(<<<PHP
            \$pool = new \Tusk\Parallel\Pool(1);
            exit(\$pool->submit([function () { $fill return \$took; }])[0]->await() === 5000 ? 1 : 0);
            PHP, listening: false);
        expect($pool->end() === 0, "the pool: {$pool->log()}");
    });
    $s->test('standard output that cannot be written, or is closed, ends no server and is no socket of it', static function (): void {
        foreach (['exec >&-;', 'exec <&- >&-;', 'exec >/dev/full;'] as $shell) {
            foreach ([1, 2] as $workers) {
                $server = new Script(<<<PHP
                    \$server = new Server('127.0.0.1:0', workers: $workers);
                    \$server->websocket('/ws', message: function (Connection \$c, string \$m): void {
                        echo "a line for nobody\n";
                        \$c->send(implode(' ', array_map(fn (int \$fd): string => (string) @readlink("/proc/self/fd/\$fd"), [0, 1])));
                    });
                    \$server->onListen(fn () => fwrite(fopen('php://stderr', 'w'), "port \$server->port\n"));
                    exit(\$server->run());
                    PHP, shell: $shell);
                $peer = $server->peer()->upgrade();
                foreach ([1, 2] as $_) {
                    $peer->send('say');
                    $standard = $peer->receive()[1];
                    expect(preg_match('~socket|anon_inode~', (string) $standard) === 0, "$shell $workers workers: $standard");
                }
                $peer->close();
                expect($server->stop() === 0, "$shell $workers workers: {$server->log()}");
            }
        }
    });
    $s->test('out of descriptors: the server waits without spinning, and recovers', static function () use ($handlers, $survives): void {
        $server = $handlers('$c->send($m === "stats" ? (string) json_encode($server->stats()) : $m);', shell: 'ulimit -n 40;');
        $first = $server->peer()->upgrade();
        $counts = static function () use ($first): array {
            $first->send('stats');

            return (array) json_decode($first->receive()[1], true);
        };
        $peers = [];
        for ($i = 0; $i < 60; $i++) {
            $peers[] = $server->peer();
        }
        await(static fn (): bool => $counts()['accept_exhausted'] >= 3, 'it looks for descriptors now and then');
        // Each answer is a turn of the loop. Who spins looks in each of them, who waits in one of many.
        $before = $counts();
        for ($i = 0; $i < 1000; $i++) {
            $first->send('served');
            $first->expectText('served');
        }
        $after = $counts();
        $looks = $after['accept_exhausted'] - $before['accept_exhausted'];
        $turns = $after['turns'] - $before['turns'];
        expect($turns >= 1000 && $looks * 2 < $turns, "it spins: $looks looks in $turns turns");
        foreach ($peers as $peer) {
            $peer->close();
        }
        $survives($server);
        $stats = $server->stats();
        expect($stats['accept_exhausted'] > 0, 'accept_exhausted counts');
        contains($server->log(), 'descriptors', 'the log');
    });
    $s->test('out of descriptors: who watches is answered while clients wait, by a server and by a proxy', static function (): void {
        $silent = stream_socket_server('tcp://127.0.0.1:0') ?: throw new Failed('no port');
        $backend = (string) stream_socket_get_name($silent, false);
        foreach ([
            'server' => "\$s = new Server('127.0.0.1:0');",
            'proxy' => <<<PHP
                \$route = new class implements \Tusk\Proxy\Resolver {
                    public function resolve(\Tusk\Proxy\Lookup \$l): \Tusk\Proxy\Route { return \Tusk\Proxy\Route::to('$backend'); }
                };
                \$s = new \Tusk\Proxy\Tcp(\$route, '127.0.0.1:0', validation: \Tusk\Proxy\Validation::none());
                PHP,
        ] as $kind => $made) {
            $admin = free_port();
            $script = new Script("$made \$s->admin('127.0.0.1:$admin'); \$s->onStart(\$started); exit(\$s->run());", shell: 'ulimit -n 100;');
            $peers = [];
            for ($i = 0; $i < 120; $i++) {
                $peers[] = $script->peer();
            }
            $script->awaitLog('descriptor');
            for ($i = 0; $i < 20; $i++) {
                $health = (string) file_get_contents("http://127.0.0.1:$admin/health", false, stream_context_create(['http' => ['timeout' => 5.0]]));
                expect($health === "ok\n", "$kind is asked for the $i. time: $health");
            }
            contains((string) file_get_contents("http://127.0.0.1:$admin/metrics"), '# EOF', $kind);
            foreach ($peers as $peer) {
                $peer->close(); // the next one would inherit them
            }
        }
    });
    $s->test('out of memory for one connection: that one closes, the others stay', static function () use ($handlers, $survives): void {
        $server = $handlers('$c->send((string) strlen($m));', 'new Limits(messageBytes: 1 << 30, queuedBytes: 1 << 30, unfinishedBytes: 1 << 30)', '-d memory_limit=48M');
        $guest = $server->peer()->upgrade();
        $peer = $server->peer()->upgrade();
        $peer->write("\x82\xff" . pack('J', 200 << 20) . "\0\0\0\0");
        $piece = str_repeat('m', 1 << 20);
        for ($i = 0; $i < 200 && !feof($peer->stream); $i++) {
            if ($peer->write($piece) === 0) {
                break;
            }
        }
        expect($i < 200, 'the whole message was taken');
        $guest->send('guest');
        $guest->expectText('5');
        expect($server->stats()['out_of_memory'] > 0, 'out_of_memory counts: ' . json_encode($server->stats()));
    });
};
