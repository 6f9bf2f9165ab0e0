<?php

// A server that does what KIND says to everybody who connects, until it is ended: hostile.php KIND; the first line is its port.

declare(strict_types=1);

$kind = $argv[1] ?? '';
$listener = stream_socket_server('tcp://127.0.0.1:0') ?: exit(1);
echo substr((string) strrchr((string) stream_socket_get_name($listener, false), ':'), 1), "\n";
fflush(STDOUT);

$ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
/** What each connection gets once it has asked, and then again and again. */
[$once, $again] = match ($kind) {
    'silent', 'resets' => ['', ''],
    'rubbish' => ["\x00\x01 rubbish \xff\r\n\r\n", ''],
    'a word' => ['hello', ''],
    'a line' => ["-ERR unknown command\n", ''],
    'interims' => ['', "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"],
    'endless body' => ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"],
    'huge chunk' => ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", 'x'],
    'twice' => [$ok . $ok, ''],
    'stream without events' => ["HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", "rubbish \xff\n\n"],
    'broken stream' => ["HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nrubbish\r\n", ''],
    'first only' => [$ok, ''],
    default => exit(2),
};
/** @var array<int, resource> $peers */
$peers = [];
$asked = [];
while (true) {
    $read = [$listener, ...array_values($peers)];
    $write = $except = null;
    if (stream_select($read, $write, $except, 0, 20_000) === false) {
        break;
    }
    foreach ($read as $stream) {
        if ($stream === $listener) {
            $peer = stream_socket_accept($listener, 0);
            if ($peer !== false) {
                stream_set_blocking($peer, false);
                $peers[(int) $peer] = $peer;
            }
            continue;
        }
        $bytes = fread($stream, 65536);
        if ($bytes === '' || $bytes === false) {
            unset($peers[(int) $stream], $asked[(int) $stream]);
            fclose($stream);
        } elseif ($kind === 'resets') {
            unset($peers[(int) $stream]);
            $socket = socket_import_stream($stream);
            if ($socket !== false) {
                socket_set_option($socket, SOL_SOCKET, SO_LINGER, ['l_onoff' => 1, 'l_linger' => 0]);
            }
            fclose($stream);
        } elseif (!isset($asked[(int) $stream])) {
            $asked[(int) $stream] = true;
            $once === '' || @fwrite($stream, $once);
        }
    }
    foreach (array_intersect_key($peers, $again === '' ? [] : $asked) as $peer) {
        @fwrite($peer, $again);
    }
}
