<?php

declare(strict_types=1);

// Servers with workers, seen from outside: reload under load, TLS, Unix paths, what cannot be shared.

namespace Tusk\E2e;

return static function (Suite $s): void {
    $server = static function (int $workers, string $listen = "'127.0.0.1:0'", string $tls = 'null'): Script {
        return new Script(<<<PHP
            \$server = new Server($listen, tls: $tls, workers: $workers);
            \$server->onListen(\$started);
            \$server->get('/', fn (Request \$r) => Response::text("worker {\$server->worker()} is " . getmypid() . '.'));
            \$server->websocket('/ws', open: fn (Connection \$c) => \$c->subscribe('t'));
            \$server->post('/', fn (Request \$r) => Response::text('at ' . \$server->publish('t', \$r->body)));
            exit(\$server->run());
            PHP);
    };
    /** Number and process of whoever wrote this. */
    $who = static fn (string $answer): array => preg_match('/worker (\d+) is (\d+)\./', $answer, $m) === 1
        ? [(int) $m[1], (int) $m[2]] : throw new Failed('no answer: ' . json_encode(substr($answer, 0, 200)));

    $s->test('workers: a reload under a storm of connections answers every one of them', static function () use ($server, $who): void {
        $here = $server(3);
        $processes = [];
        $reloads = 0;
        for ($round = 0; $reloads < 3 || count($processes) < 12; $round++) {
            expect($round < 2000, 'no new processes: ' . json_encode($processes));
            $peers = array_map(static fn (int $n): Peer => $here->peer(), range(1, 16)); // all wait in some queue
            if ($reloads < 3 && count($processes) >= 3 * ($reloads + 1)) {
                $here->signal(SIGHUP);
                $reloads++;
            }
            foreach ($peers as $peer) {
                $peer->write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            }
            foreach ($peers as $peer) {
                [, $pid] = $who($peer->rest());
                $processes[$pid] = true;
            }
        }
        expect($here->stop() === 0, 'exit code');
    });
    $s->test('workers: a TLS session of one is resumed by another, and a reload shows the new certificate everywhere', static function () use ($server, $who): void {
        $path = folder() . '/workers';
        foreach (['pem', 'key'] as $end) {
            copy(Certificates::of('one.test') . ".$end", "$path.$end");
        }
        $here = $server(2, tls: "new Tls('$path.pem', '$path.key')");
        $client = static fn (string $options): string => command("openssl s_client -connect 127.0.0.1:$here->port -ign_eof $options", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")[1];
        [$first] = $who($client("-sess_out $path.session"));
        for ($tries = 0; ($by = $who($text = $client("-sess_in $path.session"))[0]) === $first; $tries++) {
            expect($tries < 100, 'always the same worker');
        }
        contains($text, 'Reused, TLSv1.3', "s_client, of worker $first at worker $by");
        foreach (['pem', 'key'] as $end) {
            copy(Certificates::of('two.test') . ".$end", "$path.$end");
        }
        $old = [];
        while (count($old) < 2) {
            [$number, $pid] = $who($client(''));
            $old[$number] = $pid;
        }
        $here->signal(SIGHUP);
        $new = [];
        await(static function () use ($client, $who, $old, &$new): bool {
            [$number, $pid] = $who($text = $client(''));
            if (!in_array($pid, $old, true)) {
                contains($text, 'CN = two.test', 's_client');
                $new[$number] = $pid;
            }

            return count($new) === 2;
        }, 'both have the new certificate');
        expect($here->stop() === 0, 'exit code');
    });
    $s->test('workers: who follows another has the certificate that was good last, though its files are no good by then', static function () use ($server, $who): void {
        $path = folder() . '/followed';
        $put = static function (string $host, string ...$ends) use ($path): void {
            foreach ($ends as $end) {
                copy(Certificates::of($host) . ".$end", "$path.$end");
            }
        };
        $put('one.test', 'pem', 'key');
        $here = $server(2, tls: "new Tls('$path.pem', '$path.key')");
        /** @var \Closure(): array{int, int, string} $ask worker, process, whose certificate */
        $ask = static function () use ($here, $who): array {
            $text = command("openssl s_client -connect 127.0.0.1:$here->port -ign_eof", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")[1];

            return [...$who($text), preg_match('/^subject=CN = (\S+)$/m', $text, $m) === 1 ? $m[1] : 'nobody'];
        };
        /** Until both workers, of which none is one of these, say what they have. */
        $both = static function (array $without, ?string $wanted) use ($ask): array {
            $seen = [];
            await(static function () use ($ask, $without, $wanted, &$seen): bool {
                [$number, $pid, $name] = $ask();
                if (!in_array($pid, $without, true) && ($wanted === null || $name === $wanted)) {
                    $seen[$number] = [$pid, $name];
                }

                return count($seen) === 2;
            }, 'both have ' . ($wanted ?? 'a certificate'), 30.0);

            return $seen;
        };
        $before = $both([], 'one.test');
        /* The master looks by a clock of its own: it may have been here a moment before the files were. */
        for ($rounds = 1, $name = ''; $name !== 'two.test'; $rounds++) {
            expect($rounds <= 8, "a successor has the certificate of $name");
            $put('two.test', 'pem', 'key');
            [[$victim]] = $both([], 'two.test');
            $put('one.test', 'key');
            posix_kill($victim, SIGKILL);
            $name = $both([$victim], null)[0][1];
        }
        $old = array_column($both([$victim], 'two.test'), 0);
        $here->signal(SIGHUP);
        $both([...$old, $victim], 'two.test');
        expect($here->stop() === 0, 'exit code');
    });
    $s->test('workers: a Unix path is served by all of them and gone after the stop', static function () use ($server, $who): void {
        $path = folder() . '/workers.sock';
        $here = $server(2, "['127.0.0.1:0', 'unix:$path']");
        $seen = [];
        for ($i = 0; count($seen) < 2; $i++) {
            expect($i < 2000, 'one worker takes all: ' . json_encode($seen));
            $peers = array_map(static fn (): Peer => new Peer("unix://$path"), range(1, 8));
            foreach ($peers as $peer) {
                $peer->write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            }
            foreach ($peers as $peer) {
                $seen[$who($peer->rest())[0]] = true;
            }
        }
        expect($here->stop() === 0, 'exit code');
        expect(!file_exists($path), 'the path is left behind');
    });
    $s->test('workers: connections that are open before run() are refused by name', static function () use ($server): void {
        $other = $server(1);
        $script = new Script("\$client = new Tusk\\WebSocket\\Client('ws://127.0.0.1:$other->port/ws');\n" . '(new Server("127.0.0.1:0", workers: 2))->run();', listening: false);
        expect($script->end() === 255, 'exit code');
        contains($script->log(), 'connections of clients are open in this process, and workers cannot share them', 'the log');
        expect($other->stop() === 0, 'exit code');
    });
    $s->test('workers: they die with a master that is killed', static function () use ($server, $who): void {
        $here = $server(2);
        $pids = [];
        while (count($pids) < 2) {
            [$number, $pid] = $who($here->get('/'));
            $pids[$number] = $pid;
        }
        $here->signal(SIGKILL);
        await(static fn (): bool => array_filter($pids, static fn (int $pid): bool => is_dir("/proc/$pid") && !str_contains((string) @file_get_contents("/proc/$pid/stat"), ') Z')) === [], 'the workers are gone');
    });
};
