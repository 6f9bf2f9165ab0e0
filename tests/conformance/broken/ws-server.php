<?php

declare(strict_types=1);

// A small WebSocket echo server in plain PHP that is right, or wrong in one named way: ws-server.php PORT [FAULT]

const LIMIT = 32 << 20;
const HEAD = 16384;
const DEADLINE = 10.0;
ini_set('memory_limit', '-1');

final class BrokenServer
{
    /** @var array<int, BrokenPeer> */
    private array $peers = [];
    /** @var list<mixed> what a server that leaks keeps */
    private array $kept = [];

    public function __construct(private readonly int $port, private readonly string $fault) {}

    public function run(): never
    {
        $context = stream_context_create(['socket' => ['backlog' => 1024]]);
        $listener = stream_socket_server("tcp://127.0.0.1:$this->port", context: $context) ?: exit(1);
        while (true) {
            $read = [$listener];
            $write = [];
            $none = null;
            foreach ($this->fault === 'one-at-a-time' ? array_slice($this->peers, 0, 1, true) : $this->peers as $id => $peer) {
                $read[$id] = $peer->stream;
                if ($peer->out !== '') {
                    $write[$id] = $peer->stream;
                }
            }
            stream_select($read, $write, $none, 1);
            foreach ($read as $stream) {
                $stream === $listener ? $this->accept($listener) : $this->turn((int) $stream);
            }
            foreach ($write as $stream) {
                isset($this->peers[(int) $stream]) && $this->flush((int) $stream);
            }
            $this->sweep();
        }
    }

    private function sweep(): void
    {
        foreach ($this->fault === 'no-deadline' ? [] : $this->peers as $id => $peer) {
            if ($peer->isLate()) {
                $this->drop($id);
            }
        }
    }

    /** @param resource $listener */
    private function accept($listener): void
    {
        $stream = stream_socket_accept($listener, 0);
        if ($stream !== false) {
            stream_set_blocking($stream, false);
            $this->peers[(int) $stream] = new BrokenPeer($stream, $this->fault);
        }
    }

    private function turn(int $id): void
    {
        $peer = $this->peers[$id];
        $bytes = @fread($peer->stream, 1 << 18);
        if ($bytes === '' || $bytes === false) {
            if (feof($peer->stream)) {
                $this->drop($id);
            }

            return;
        }
        $peer->take($bytes);
        $this->flush($id);
    }

    private function flush(int $id): void
    {
        $peer = $this->peers[$id];
        $sent = $peer->out === '' ? 0 : (int) @fwrite($peer->stream, $peer->out);
        $peer->out = substr($peer->out, $sent);
        if ($peer->out === '' && $peer->isDone && $this->fault !== 'keeps-open') {
            if ($this->fault === 'reset') {
                $this->drop($id);
            } else {
                @stream_socket_shutdown($peer->stream, STREAM_SHUT_WR);
            }
        }
    }

    private function drop(int $id): void
    {
        if ($this->fault === 'reset' && function_exists('socket_import_stream')) {
            $socket = socket_import_stream($this->peers[$id]->stream);
            $socket && socket_set_option($socket, SOL_SOCKET, SO_LINGER, ['l_onoff' => 1, 'l_linger' => 0]);
        }
        if ($this->fault === 'leaks-descriptors') {
            $this->kept[] = $this->peers[$id]->stream;
            stream_socket_shutdown($this->peers[$id]->stream, STREAM_SHUT_RDWR);
        } else {
            fclose($this->peers[$id]->stream);
        }
        if ($this->fault === 'leaks-memory') {
            $this->kept[] = str_repeat('x', 32768);
        }
        unset($this->peers[$id]);
    }
}

final class BrokenPeer
{
    public string $out = '';
    public bool $isDone = false;
    private string $in = '';
    private bool $isOpen = false;
    private ?string $message = null;
    private int $opcode = 0;
    private bool $isPacked = false;
    private bool $deflates = false;
    private ?DeflateContext $packer = null;
    /** @var list<string> */
    private array $late = [];

    private float $since;

    /** @param resource $stream */
    public function __construct(public $stream, private readonly string $fault)
    {
        $this->since = microtime(true);
    }

    /** No whole handshake within the deadline, or no answer to a Close. */
    public function isLate(): bool
    {
        return (!$this->isOpen || $this->isDone) && microtime(true) - $this->since > DEADLINE;
    }

    private function has(string $fault): bool
    {
        return $this->fault === $fault;
    }

    public function take(string $bytes): void
    {
        if ($this->isDone) {
            return;
        }
        $this->in .= $bytes;
        if (!$this->isOpen) {
            $end = strpos($this->in, "\r\n\r\n");
            if (($end === false ? strlen($this->in) : $end) > HEAD && !$this->has('no-head-limit')) {
                $this->refuse('431 Request Header Fields Too Large');

                return;
            }
            if ($end === false) {
                return;
            }
            $head = substr($this->in, 0, $end);
            $this->in = $this->has('loses-early-bytes') ? '' : substr($this->in, $end + 4);
            $this->handshake($head);
        }
        while (!$this->isDone && $this->isOpen && $this->frame()) {
            continue;
        }
    }

    private function refuse(string $status): void
    {
        $this->out .= "HTTP/1.1 $status\r\nSec-WebSocket-Version: 13\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        $this->isDone = true;
    }

    private function handshake(string $head): void
    {
        $lines = explode("\r\n", $head);
        $first = array_shift($lines);
        $fields = [];
        foreach ($lines as $line) {
            if (preg_match("~\\A([!#-'*+.^_`|\\~0-9A-Za-z-]+):[ \\t]*([^\\0\\r\\n]*?)[ \\t]*\\z~", $line, $m) === 1) {
                $name = strtolower($m[1]);
                $fields[$name] = isset($fields[$name]) ? "{$fields[$name]}, $m[2]" : $m[2];
            } elseif (!$this->has('any-line')) {
                $this->refuse('400 Bad Request');

                return;
            }
        }
        $key = $fields['sec-websocket-key'] ?? '';
        $goodKey = strlen((string) base64_decode($key, true)) === 16 && strlen($key) === 24;
        if (preg_match('~\AGET /\S* HTTP/1\.1\z~', $first) !== 1 && !$this->has('any-method')) {
            $this->refuse('400 Bad Request');
        } elseif (!isset($fields['host']) && !$this->has('no-host')) {
            $this->refuse('400 Bad Request');
        } elseif (($fields['sec-websocket-version'] ?? '') !== '13' && !$this->has('any-version')) {
            $this->refuse('426 Upgrade Required');
        } elseif (!$goodKey && !$this->has('any-key')) {
            $this->refuse('400 Bad Request');
        } else {
            $this->welcome($key, $fields['sec-websocket-extensions'] ?? '');
        }
    }

    private function welcome(string $key, string $offer): void
    {
        $guid = $this->has('wrong-accept') ? '258eafa5-e914-47da-95ca-c5ab0dc85b11' : '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
        $this->out .= "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            . 'Sec-WebSocket-Accept: ' . base64_encode(sha1($key . $guid, true)) . "\r\n";
        $known = ['client_no_context_takeover', 'server_no_context_takeover', 'client_max_window_bits'];
        $items = array_map(trim(...), explode(';', $offer));
        $this->deflates = array_shift($items) === 'permessage-deflate' && (array_diff($items, $known) === [] || $this->has('any-parameter'));
        if ($this->deflates || $this->has('unasked-extension')) {
            $this->out .= "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover\r\n";
        }
        $this->out .= "\r\n";
        $this->isOpen = true;
    }

    private function fail(int $code): bool
    {
        if (!$this->has('reset')) {
            $this->out .= "\x88\x02" . pack('n', $this->has('wrong-code') ? 1000 : $code);
        }
        $this->isDone = true;

        return false;
    }

    private function frame(): bool
    {
        if (strlen($this->in) < 2) {
            return false;
        }
        [$a, $b] = [ord($this->in[0]), ord($this->in[1])];
        $opcode = $a & 15;
        $rsv = $a & 0x70 & ~($this->deflates && ($opcode === 1 || $opcode === 2 || $this->has('rsv1-anywhere')) ? 0x40 : 0);
        if ($rsv !== 0 && !$this->has('ignore-rsv')) {
            return $this->fail(1002);
        }
        if (!in_array($opcode, [0, 1, 2, 8, 9, 10], true) && !$this->has('any-opcode')) {
            return $this->fail(1002);
        }
        if (($b & 0x80) === 0 && !$this->has('accept-unmasked')) {
            return $this->fail(1002);
        }
        $short = $b & 0x7f;
        if ($opcode >= 8 && ($short > 125 && !$this->has('long-control') || ($a & 0x80) === 0 && !$this->has('fragmented-control'))) {
            return $this->fail(1002);
        }
        $extra = $short < 126 ? 0 : ($short === 126 ? 2 : 8);
        if (strlen($this->in) < 2 + $extra) {
            return false;
        }
        $length = $extra === 0 ? $short : (int) (unpack($extra === 2 ? 'n' : 'J', substr($this->in, 2, $extra))[1] ?? 0);
        if ($length < 0 || $length + strlen($this->message ?? '') > LIMIT) {
            return $this->has('no-limit') ? false : $this->fail(1009);
        }
        if (($extra === 2 && $length < 126 || $extra === 8 && $length < 65536) && !$this->has('long-lengths')) {
            return $this->fail(1002);
        }
        $masked = ($b & 0x80) !== 0;
        $start = 2 + $extra + ($masked ? 4 : 0);
        if (strlen($this->in) < $start + $length) {
            return false;
        }
        $payload = substr($this->in, $start, $length);
        if ($masked) {
            $payload ^= substr(str_repeat(substr($this->in, $start - 4, 4), intdiv($length, 4) + 1), 0, $length);
        }
        $this->in = substr($this->in, $start + $length);

        return $opcode >= 8 ? $this->control($opcode, $payload) : $this->data($opcode, $payload, ($a & 0x80) !== 0, ($a & 0x40) !== 0);
    }

    private function control(int $opcode, string $payload): bool
    {
        if ($opcode === 9) {
            $this->pong($payload);
        }
        if ($opcode !== 8) {
            return true;
        }
        $code = strlen($payload) >= 2 ? (ord($payload[0]) << 8) | ord($payload[1]) : 1005;
        if (strlen($payload) === 1 && !$this->has('one-byte-close')) {
            return $this->fail(1002);
        }
        $good = strlen($payload) < 2 || $code >= 3000 && $code < 5000 || $code >= 1000 && $code < 1015 && !in_array($code, [1004, 1005, 1006], true);
        if (!$good && !$this->has('any-close-code')) {
            return $this->fail(1002);
        }
        if (preg_match('//u', substr($payload, 2)) !== 1 && !$this->has('any-reason')) {
            return $this->fail(1007);
        }
        if (!$this->has('no-close-echo')) {
            $answer = $this->has('other-close-code') ? pack('n', 1001) : substr($payload, 0, 2);
            $this->out .= "\x88" . chr(strlen($answer)) . $answer;
        }
        if ($this->has('goes-on-after-close')) {
            return true;
        }
        $this->isDone = true;

        return false;
    }

    private function pong(string $payload): void
    {
        if ($this->has('no-pong')) {
            return;
        }
        $frame = "\x8a" . chr(strlen($payload) & 0x7f) . ($this->has('empty-pong') ? '' : $payload);
        if ($this->has('empty-pong')) {
            $frame[1] = "\0";
        }
        if ($this->has('late-pong') && $this->message !== null) {
            $this->late[] = $frame;
        } else {
            $this->out .= $frame;
        }
    }

    private function data(int $opcode, string $payload, bool $final, bool $packed): bool
    {
        if ($opcode === 0 && $this->message === null && !$this->has('lone-continuation')) {
            return $this->fail(1002);
        }
        if ($opcode !== 0 && $this->message !== null && !$this->has('nested')) {
            return $this->fail(1002);
        }
        if ($opcode !== 0) {
            [$this->message, $this->opcode, $this->isPacked] = ['', $opcode, $packed && $this->deflates];
        }
        $this->message = ($this->message ?? '') . $payload;
        if (!$final) {
            return $this->early();
        }
        $message = $this->message;
        $this->message = null;
        if ($this->isPacked) {
            $message = $this->inflated("$message\0\0\xff\xff");
            if ($message === null) {
                return $this->fail(1007);
            }
            if (strlen($message) > LIMIT && !$this->has('no-inflation-limit')) {
                return $this->fail(1009);
            }
        }
        $skips = $this->has('skip-utf8') || ($this->has('skip-utf8-packed') && $this->isPacked);
        if ($this->opcode === 1 && preg_match('//u', $message) !== 1 && !$skips) {
            return $this->fail(1007);
        }
        $this->answer($message);

        return true;
    }

    private function inflated(string $packed): ?string
    {
        $context = inflate_init(ZLIB_ENCODING_RAW) ?: exit(1);
        $message = '';
        foreach (str_split($packed, 1024) as $piece) {
            $plain = @inflate_add($context, $piece, ZLIB_SYNC_FLUSH);
            if ($plain === false) {
                return null;
            }
            $message .= $plain;
            if (strlen($message) > LIMIT && !$this->has('no-inflation-limit')) {
                break;
            }
        }

        return $message;
    }

    /** A message that cannot become valid UTF-8 any more is refused before its end. */
    private function early(): bool
    {
        if ($this->opcode !== 1 || $this->isPacked || $this->has('late-utf8') || $this->has('skip-utf8')) {
            return true;
        }
        $open = '(?:[\xc2-\xdf]|\xe0[\xa0-\xbf]?|[\xe1-\xec\xee\xef][\x80-\xbf]?|\xed[\x80-\x9f]?|\xf0(?:[\x90-\xbf][\x80-\xbf]?)?'
            . '|[\xf1-\xf3](?:[\x80-\xbf][\x80-\xbf]?)?|\xf4(?:[\x80-\x8f][\x80-\xbf]?)?)\z';

        return preg_match('//u', (string) preg_replace("/$open/", '', (string) $this->message)) === 1 || $this->fail(1007);
    }

    private function answer(string $message): void
    {
        $first = 0x80 | ($this->has('wrong-type') ? 2 : $this->opcode);
        if ($this->isPacked && $message !== '') {
            if ($this->packer === null || !$this->has('keeps-context')) {
                $this->packer = deflate_init(ZLIB_ENCODING_RAW) ?: null;
            }
            $message = substr((string) deflate_add($this->packer ?? exit(1), $message, ZLIB_SYNC_FLUSH), 0, -4);
            $first |= 0x40;
        }
        $length = strlen($message);
        $bit = $this->has('masked-answers') ? 0x80 : 0;
        $this->out .= chr($first)
            . ($length < 126 && !$this->has('long-answers') ? chr($bit | $length) : ($length < 65536 ? chr($bit | 126) . pack('n', $length) : chr($bit | 127) . pack('J', $length)))
            . ($bit !== 0 ? "\0\0\0\0" : '') . $message . implode('', $this->late);
        $this->late = [];
    }
}

(new BrokenServer((int) $argv[1], $argv[2] ?? 'none'))->run();
