<?php

declare(strict_types=1);

// Host names that take their time: a name server that answers when the test says so (root: a mount of its own and port 53).

namespace Tusk\E2e;

return static function (Suite $s): void {
    $name_server = static function (): array {
        needs('unshare');
        if (command('unshare -m true')[0] !== 0) {
            throw new Absent('unshare -m (CAP_SYS_ADMIN)');
        }
        $socket = @stream_socket_server('udp://127.0.0.77:53', $number, $text, STREAM_SERVER_BIND);
        if ($socket === false) {
            throw new Absent("port 53 of 127.0.0.77 ($text)");
        }
        $file = folder() . '/resolv.conf';
        file_put_contents($file, "nameserver 127.0.0.77\noptions timeout:30 attempts:1\n");

        return [$socket, "exec unshare -m sh -c 'mount --bind $file /etc/resolv.conf && \"\$@\"' sh "];
    };
    // One question is answered: there is no such name.
    $answer = static function ($socket): void {
        $read = [$socket];
        $none = null;
        if (stream_select($read, $none, $none, 0, 20_000) === 1) {
            $question = (string) stream_socket_recvfrom($socket, 512, 0, $peer);
            stream_socket_sendto($socket, substr($question, 0, 2) . "\x81\x83" . substr($question, 4, 2) . str_repeat("\0", 6) . substr($question, 12), 0, $peer);
        }
    };

    $s->test('a handler that waits for a name server holds up nobody else', static function () use ($name_server, $answer): void {
        [$socket, $shell] = $name_server();
        $here = new Script(<<<'PHP'
            $server = new Server('127.0.0.1:0');
            $server->onStart($started);
            $server->get('/slow', function (): Response {
                try {
                    (new Tusk\Http\Client())->get('http://slow.tusk.test/');
                } catch (Tusk\Exception $e) {
                    return Response::text('slow: ' . $e->getMessage() . ';');
                }
            });
            $server->get('/quick', fn () => Response::text('quick;'));
            exit($server->run());
            PHP, shell: $shell);
        $slow = $here->peer();
        $slow->write("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
        await(static function () use ($socket): bool {
            $read = [$socket];
            $none = null;

            return stream_select($read, $none, $none, 0, 0) === 1;
        }, 'the question reaches the name server');
        for ($i = 0; $i < 3; $i++) {
            contains($here->get('/quick'), 'quick;', 'the answer meanwhile');
        }
        expect($slow->buffer === '', 'the slow answer came before its name was known');
        stream_set_blocking($slow->stream, false);
        $text = '';
        await(static function () use ($socket, $answer, $slow, &$text): bool {
            $answer($socket);
            $text .= (string) fread($slow->stream, 4096);

            return str_contains($text, ';');
        }, 'the slow answer');
        contains($text, 'slow: Cannot request http://slow.tusk.test/ (resolve)', 'the slow answer');
    });

    // What waits is answered with this address; how many questions that were.
    $resolve = static function ($socket, string $address): int {
        $read = [$socket];
        $none = null;
        for ($count = 0; stream_select($read, $none, $none, 0, 10_000) === 1; $count++, $read = [$socket]) {
            $question = (string) stream_socket_recvfrom($socket, 512, 0, $peer);
            $end = strpos($question, "\0", 12) + 5; // behind the name, its type and its class
            $is_a = substr($question, $end - 4, 2) === "\0\1";
            $answer = "\xc0\x0c\0\1\0\1\0\0\0\0\0\4" . inet_pton($address); // with a TTL of 0: nobody but the proxy may remember it
            stream_socket_sendto($socket, substr($question, 0, 2) . "\x81\x80\0\1" . ($is_a ? "\0\1" : "\0\0") . "\0\0\0\0"
                . substr($question, 12, $end - 12) . ($is_a ? $answer : ''), 0, $peer);
        }

        return $count;
    };

    $s->test('a target\'s name is looked up once for dnsTtlMs, and each time it is, its address is judged', static function () use ($name_server, $resolve): void {
        [$socket, $shell] = $name_server();
        $one = stream_socket_server('tcp://127.0.0.1:0') ?: throw new Failed('no port');
        $port = (int) substr((string) strrchr((string) stream_socket_get_name($one, false), ':'), 1);
        $two = stream_socket_server("tcp://127.0.0.2:$port") ?: throw new Absent('127.0.0.2');
        $proxy = static fn (int $ttl): Script => new Script(<<<PHP
            use Tusk\Proxy\{Access, First, Lookup, Resolver, Route, Tcp, Validation};
            final class Named implements Resolver
            {
                public function resolve(Lookup \$lookup): Route { return Route::to('db.tusk.test:$port'); }
            }
            \$proxy = new Tcp(new Named(), '127.0.0.1:0', validation: Validation::publicOnly()->allow('127.0.0.0/8'), first: First::Server, limits: new Tusk\Proxy\Limits(dnsTtlMs: $ttl));
            \$proxy->onStart(\$started);
            \$proxy->onAccess(function (Access \$a): void { echo "access \$a->status \$a->end\n"; });
            exit(\$proxy->run());
            PHP, shell: $shell);
        // Where a client comes out, while the name server says this; and how often that was asked.
        $visit = static function (Script $proxy, string $address) use ($socket, $resolve, $one, $two): array {
            $peer = $proxy->peer();
            $asked = 0;
            $seen = substr_count($proxy->log(), 'access ');
            $out = null;
            await(static function () use ($proxy, $address, $socket, $resolve, $one, $two, $seen, &$asked, &$out): bool {
                $asked += $resolve($socket, $address);
                $read = [$one, $two];
                $none = null;
                if (stream_select($read, $none, $none, 0, 0) > 0) {
                    $server = stream_socket_accept(current($read));
                    $out = explode(':', (string) stream_socket_get_name($server, false))[0];
                    fclose($server);

                    return true;
                }

                return substr_count($proxy->log(), 'access ') > $seen; // refused
            }, 'the client is somewhere');
            fclose($peer->stream);
            await(static fn (): bool => substr_count($proxy->log(), 'access ') > $seen, 'its record');

            return [$out, $asked > 0];
        };

        $pinning = $proxy(60_000);
        expect($visit($pinning, '127.0.0.1') === ['127.0.0.1', true], 'looked up');
        expect($visit($pinning, '127.0.0.2') === ['127.0.0.1', false], 'pinned, though the name has moved');
        expect($pinning->stop() === 0, 'exit code');

        $short = $proxy(1);
        expect($visit($short, '127.0.0.1') === ['127.0.0.1', true], 'looked up');
        expect($visit($short, '127.0.0.2') === ['127.0.0.2', true], 'its time is over: the new address');
        expect($visit($short, '10.255.255.1') === [null, true], 'the name moved to an address that is not allowed');
        contains($short->log(), "access 403 the backend's address is not allowed", 'the record');
        expect($short->stop() === 0, 'exit code');
    });

    $s->test('a target whose name server is silent is left for another one after connectMs', static function () use ($name_server): void {
        [, $shell] = $name_server();
        $backend = stream_socket_server('tcp://127.0.0.1:0') ?: throw new Failed('no port');
        $address = stream_socket_get_name($backend, false);
        $proxy = new Script(<<<PHP
            use Tusk\Proxy\{Access, First, Lookup, Resolver, Route, Target, Tcp, Validation};
            final class Named implements Resolver
            {
                public function resolve(Lookup \$lookup): Route { return Route::to([new Target('silent.tusk.test:80', 1_000_000), '$address']); }
            }
            \$proxy = new Tcp(new Named(), '127.0.0.1:0', validation: Validation::none(), first: First::Server, limits: new Tusk\Proxy\Limits(connectMs: 50, connectTotalMs: 25_000));
            \$proxy->onStart(\$started);
            \$proxy->onAccess(function (Access \$a): void { echo "access \$a->status \$a->end \$a->target\n"; });
            exit(\$proxy->run());
            PHP, shell: $shell);
        $peer = $proxy->peer();
        $server = stream_socket_accept($backend, 20.0) ?: throw new Failed('nobody came while the name server was silent');
        fclose($server);
        expect($peer->rest() === '', 'its end');
        $peer->close();
        $proxy->awaitLog("access 0 done $address");
        expect($proxy->stop() === 0, 'exit code');
    });
};
