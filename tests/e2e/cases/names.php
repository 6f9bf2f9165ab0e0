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
};
