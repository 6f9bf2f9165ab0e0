<?php

declare(strict_types=1);

// A WebSocket client in plain PHP that is right, or wrong in one named way: ws-client.php URL [FAULT]; it connects, sends every
// message back, and ends when the connection does.

require __DIR__ . '/WsPeer.php';
ini_set('memory_limit', '-1');

if (preg_match('~\Aws://([^/]+)(/.*)?\z~', $argv[1], $m) !== 1) {
    exit(2);
}
$fault = $argv[2] ?? 'none';
$stream = stream_socket_client("tcp://$m[1]", $code, $text, 5.0) ?: exit(1);
stream_set_blocking($stream, false);
$peer = new BrokenPeer($stream, $fault, $m[1], $m[2] ?? '/');
while (true) {
    $read = [$stream];
    $write = $peer->out === '' ? [] : [$stream];
    $none = null;
    stream_select($read, $write, $none, 15) > 0 || exit(1);
    if ($read !== []) {
        $bytes = @fread($stream, 1 << 18);
        if ($bytes === '' || $bytes === false) {
            if (feof($stream)) {
                $fault === 'stays' ? sleep(60) : exit(0);
            }
        } else {
            $peer->take($bytes);
        }
    }
    $peer->out = (string) substr($peer->out, $peer->out === '' ? 0 : (int) @fwrite($stream, $peer->out));
    if ($peer->isDone && $peer->out === '' && $fault !== 'keeps-open') {
        stream_socket_shutdown($stream, STREAM_SHUT_WR);
        if ($peer->key !== null && $fault === 'leaves-at-once') {
            exit(0);
        }
    }
}
