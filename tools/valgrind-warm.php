<?php

// SPDX-License-Identifier: MIT
// What most tests do, done once in the PHP under valgrind whose children run them (tools/valgrind-door.php): they have its translation then, which took
// them longer than what they test. The extension sees the end of a request afterwards and the beginning of another, so that nothing of it is left.
declare(strict_types=1);

namespace Tusk\Valgrind;

use ArrayObject;
use FFI;
use LogicException;
use RuntimeException;
use stdClass;
use Throwable;
use Tusk\Http\{Request, Response};
use Tusk\Parallel\Sync;
use Tusk\Server;
use Tusk\Timer;
use Tusk\WebSocket\{Connection, Frames, MessageType, Protocol};

return static function (string $module): void {
    work();
    gc_collect_cycles();
    end_request($module);
    // Objects have the numbers that they would have had: what was freed last is given first.
    for ($objects = []; count($objects) < 1000;) {
        $objects[] = new stdClass();
    }
    while ($objects !== []) {
        array_pop($objects);
    }
};

function work(): void
{
    $log = ini_set('error_log', '/dev/null');
    $peer = static function (int $port, string $written, callable $until): void {
        $stream = stream_socket_client("tcp://127.0.0.1:$port", $code, $text, 20, STREAM_CLIENT_CONNECT, stream_context_create([]));
        stream_set_blocking($stream, false);
        $in = '';
        foreach (str_split($written, 100) as $part) {
            fwrite($stream, $part);
        }
        while (!$until($in) && !feof($stream)) {
            $in .= (string) @fread($stream, 65536);
            Timer::sleep(0.001);
        }
        fclose($stream);
    };

    $server = new Server();
    $server->get('/thing/{id}', static fn (Request $r): Response => Response::json(['id' => $r->params['id'] ?? null, 'q' => $r->query('q'), 'h' => $r->header('x-one')]));
    $server->post('/thing', static fn (Request $r): Response => Response::text(strrev($r->body), 201)->withHeader('X-Two', '2'));
    $server->get('/fails', static fn (Request $r): Response => throw new RuntimeException('as it shall'));
    $server->onError(static fn (Throwable $e): string => $e->getMessage() . $e->getTraceAsString());
    $server->websocket('/ws', open: static fn (Connection $c) => $c->send('hello'), message: static function (Connection $c, string $m, MessageType $type): void {
        Timer::sleep(0.001);
        $c->send($m, $type);
    }, close: static fn (Connection $c): bool => $c->isOpen());
    $server->listen('127.0.0.1:0');
    $server->onStart(static function () use ($server, $peer): void {
        try {
            $timer = Timer::repeat(0.001, static fn (): int => 0);
            $head = "Host: a\r\nX-One: 1\r\n";
            $peer($server->port, "GET /thing/7?q=a%20b HTTP/1.1\r\n$head\r\nPOST /thing HTTP/1.1\r\n{$head}Content-Length: 4\r\n\r\nabcd"
                . "GET /none HTTP/1.1\r\n$head\r\nGET /fails HTTP/1.1\r\n{$head}Connection: close\r\n\r\n", static fn (string $in): bool => false);
            $frames = new Frames(1 << 20);
            $key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
            $mask = Protocol::FLAG_FIN | Protocol::FLAG_MASK;
            $peer($server->port, "GET /ws HTTP/1.1\r\n{$head}Upgrade: websocket\r\nConnection: Upgrade\r\n$key\r\nSec-WebSocket-Version: 13\r\n\r\n"
                . Protocol::encode('text', MessageType::Text, true) . Protocol::pack(random_bytes(300), Protocol::OPCODE_BINARY, $mask)
                . Protocol::pack(pack('n', 1000) . 'bye', Protocol::OPCODE_CLOSE, $mask), static function (string $in) use ($frames): bool {
                    $at = strpos($in, "\r\n\r\n");
                    if ($at !== false && strlen($in) > $at + 330) {
                        $frames->push(substr($in, $at + 4));
                        while (($frame = $frames->next()) !== null) {
                            json_encode($frame->payload ?? '', JSON_INVALID_UTF8_SUBSTITUTE);
                        }
                    }

                    return false;
                });
            Timer::cancel($timer);
        } finally {
            $server->stop();
        }
    });
    $server->run();
    json_encode($server->stats(), JSON_PRETTY_PRINT);

    $engine = new Sync();
    $tasks = $engine->submit([static fn (): array => ['a' => 1, 'b' => [1.5, 'x', new ArrayObject([1])]], [static fn (object $o): int => $o->n, (object) ['n' => 1]],
        static fn () => throw new LogicException('as it shall')]);
    foreach ($tasks as $task) {
        $task->error();
    }
    $engine->close();
    ini_set('error_log', (string) $log);
}

/** As PHP ends a request of the extension, which is the library $module, and begins the next one. */
function end_request(string $module): void
{
    $ffi = FFI::cdef('struct module {
        unsigned short size; unsigned int api; unsigned char debug, zts; const void *ini, *needs; const char *name; const void *functions;
        int (*startup)(int, int), (*shutdown)(int, int), (*begin)(int, int), (*end)(int, int); void *info; const char *version; size_t globals_size;
        void *globals, *globals_init, *globals_fini; int (*after)(void); int started; unsigned char type; void *handle; int number;
    }; struct module *get_module(void);', $module);
    $module = $ffi->get_module();
    ($module->end)($module->type, $module->number);
    ($module->after)();
    ($module->begin)($module->type, $module->number);
}
