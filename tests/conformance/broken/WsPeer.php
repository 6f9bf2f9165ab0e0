<?php

declare(strict_types=1);

ini_set('pcre.backtrack_limit', '100000000');
const LIMIT = 32 << 20;
const HEAD = 16384;
const DEADLINE = 10.0;

/** One end of a WebSocket connection: a server's, or a client's, which echoes just so. */
final class BrokenPeer
{
    private const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

    /** What a client has sent, until it is answered. */
    public ?string $key = null;
    public string $out = '';
    public bool $isDone = false;
    private string $in = '';
    private bool $isOpen = false;
    private readonly bool $isClient;
    private ?string $message = null;
    private int $opcode = 0;
    private bool $isPacked = false;
    private bool $deflates = false;
    private ?DeflateContext $packer = null;
    /** @var list<string> */
    private array $late = [];

    private float $since;

    /**
     * @param resource    $stream
     * @param string|null $host   of the server whose client this is
     */
    public function __construct(public $stream, private readonly string $fault, ?string $host = null, string $target = '/')
    {
        $this->since = microtime(true);
        $this->isClient = $host !== null;
        if ($host !== null) {
            $this->ask($host, $target);
        }
    }

    private function ask(string $host, string $target): void
    {
        $this->key = base64_encode(random_bytes($this->has('short-key') ? 8 : 16));
        $version = $this->has('old-version') ? '8' : '13';
        $this->out .= "GET $target HTTP/1.1\r\n" . ($this->has('no-host') ? '' : "Host: $host\r\n") . ($this->has('no-upgrade') ? '' : "Upgrade: websocket\r\n")
            . "Connection: Upgrade\r\nSec-WebSocket-Key: $this->key\r\nSec-WebSocket-Version: $version\r\n\r\n";
    }

    /** No whole handshake within the deadline, or no answer to a Close. */
    public function isLate(): bool
    {
        return (!$this->isOpen || $this->isDone) && microtime(true) - $this->since > DEADLINE;
    }

    private function has(string ...$faults): bool
    {
        return in_array($this->fault, $faults, true);
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
            $this->in = substr($this->in, $end + 4);
            // of a server only what it has sent with its answer for certain: by chance a Close may come together with it, too
            $this->in = $this->has('loses-early-bytes') && (!$this->isClient || strlen($this->in) > 8) ? '' : $this->in;
            $this->isClient ? $this->read($head) : $this->handshake($head);
        }
        while (!$this->isDone && $this->isOpen && $this->frame()) {
            continue;
        }
    }

    private function refuse(string $status): void
    {
        if ($this->isClient) {
            $this->isDone = true;

            return;
        }
        $upgrade = str_starts_with($status, '426') ? "Upgrade: websocket\r\n" . ($this->has('unnamed-upgrade') ? '' : "Connection: upgrade\r\n") : '';
        $this->out .= "HTTP/1.1 $status\r\nSec-WebSocket-Version: 13\r\n{$upgrade}Content-Length: 0\r\nConnection: close\r\n\r\n";
        $this->isDone = true;
    }

    /**
     * @param list<string> $lines
     *
     * @return array<string, string>|null null: one of them is none
     */
    private function fields(array $lines): ?array
    {
        $fields = [];
        foreach ($lines as $line) {
            if (preg_match("~\\A([!#-'*+.^_`|\\~0-9A-Za-z-]+):[ \\t]*([^\\0\\r\\n]*?)[ \\t]*\\z~", $line, $m) === 1) {
                $name = strtolower($m[1]);
                $fields[$name] = isset($fields[$name]) ? "{$fields[$name]}, $m[2]" : $m[2];
            } elseif (!$this->has('any-line')) {
                return null;
            }
        }

        return $fields;
    }

    /** The answer to a client's request (RFC 6455, 4.1). */
    private function read(string $head): void
    {
        $lines = explode("\r\n", $head);
        $status = $this->has('any-status') ? '\d+' : '101';
        $version = $this->has('any-version') ? '\d\.\d' : '1\.1';
        $isFine = preg_match("~\\AHTTP/$version $status( |\\z)~", (string) array_shift($lines)) === 1;
        $fields = $this->fields($lines);
        $accept = base64_encode(sha1($this->key . self::GUID, true));
        $got = $fields['sec-websocket-accept'] ?? '';
        $isFine = $isFine && $fields !== null
            && (strtolower($fields['upgrade'] ?? '') === 'websocket' || $this->has('any-upgrade'))
            && (in_array('upgrade', array_map(trim(...), explode(',', strtolower($fields['connection'] ?? ''))), true) || $this->has('any-connection'))
            && ($got === $accept || $this->has('any-accept') || $this->has('accept-in-any-case') && strtolower($got) === strtolower($accept))
            && (!isset($fields['sec-websocket-protocol']) || $this->has('any-subprotocol')) && (!isset($fields['sec-websocket-extensions']) || $this->has('any-extension'));
        $this->isOpen = $isFine;
        $this->isDone = !$isFine;
    }

    private function handshake(string $head): void
    {
        $lines = explode("\r\n", $head);
        $first = (string) array_shift($lines);
        $fields = $this->fields($lines);
        if ($fields === null) {
            $this->refuse('400 Bad Request');

            return;
        }
        $key = $fields['sec-websocket-key'] ?? '';
        $goodKey = strlen((string) base64_decode($key, true)) === 16 && strlen($key) === 24;
        if (preg_match('~\AGET /\S* HTTP/1\.[1-9]\z~', $first) !== 1 && !$this->has('any-method')) {
            $this->refuse('400 Bad Request');
        } elseif (!isset($fields['host']) && !$this->has('no-host')) {
            $this->refuse('400 Bad Request');
        } elseif (($fields['sec-websocket-version'] ?? '') !== '13' && !$this->has('any-version')) {
            $this->refuse('426 Upgrade Required');
        } elseif (!$goodKey && !$this->has('any-key')) {
            $this->refuse('400 Bad Request');
        } else {
            $interim = isset($fields['expect']) ? "HTTP/1.1 100 Continue\r\n\r\n" : '';
            $this->out .= $this->has('no-100', '100-behind-101') ? '' : $interim;
            $this->welcome($key, $fields['sec-websocket-extensions'] ?? '');
            $this->out .= $this->has('100-behind-101') ? $interim : '';
        }
    }

    private function welcome(string $key, string $offer): void
    {
        $guid = $this->has('wrong-accept') ? strtolower(self::GUID) : self::GUID;
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
            $this->out .= $this->framed(0x88, pack('n', $this->has('wrong-code') ? 1000 : $code));
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
        if ((($b & 0x80) !== 0) === $this->isClient && !$this->has('accept-unmasked', 'accept-masked')) {
            return $this->fail(1002);
        }
        $short = $b & 0x7f;
        if ($opcode >= 8 && ($short > 125 && !$this->has('long-control') || ($a & 0x80) === 0 && !$this->has('fragmented-control'))) {
            return $this->fail(1002);
        }
        $extra = $short < 126 ? 0 : ($short === 126 ? 2 : 8);
        if (strlen($this->in) < 2 + $extra + ($this->has('limit-after-mask') && ($b & 0x80) !== 0 ? 4 : 0)) {
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
            $this->out .= $this->framed(0x88, $answer);
        }
        if ($this->has('goes-on-after-close')) {
            return true;
        }
        $this->isDone = true;

        return false;
    }

    private function pong(string $payload): void
    {
        if ($this->has('no-pong') || ($this->has('no-pong-when-busy') && strlen($this->out) > 16384)) {
            return;
        }
        $frame = $this->framed(0x8a, $this->has('empty-pong') ? '' : $payload);
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
        $this->out .= $this->framed($first, $message) . implode('', $this->late);
        $this->late = [];
    }

    private function framed(int $first, string $payload): string
    {
        $length = strlen($payload);
        $isData = $first < 0x88 || $first >= 0xc0;
        $bit = ($this->isClient !== ($isData && $this->has('masked-answers', 'unmasked-answers')) && !($this->isClient && !$isData && $this->has('unmasked-controls'))) ? 0x80 : 0;
        $head = chr($first) . ($length < 126 && !($isData && $this->has('long-answers')) ? chr($bit | $length) : ($length < 65536 ? chr($bit | 126) . pack('n', $length) : chr($bit | 127) . pack('J', $length)));
        if ($bit === 0) {
            return $head . $payload;
        }
        $key = !$this->isClient || $this->has('zero-key') ? "\0\0\0\0" : ($this->has('one-key') ? 'abcd' : random_bytes(4));

        return $head . $key . ($payload ^ substr(str_repeat($key, intdiv($length, 4) + 1), 0, $length));
    }
}
