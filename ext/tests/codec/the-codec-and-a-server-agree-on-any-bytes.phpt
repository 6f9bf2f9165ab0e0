--TEST--
Frames, a decoder written from RFC 6455, and a server on a port give the same answer to the same broken bytes, however they are cut
--SKIPIF--
<?php if (!function_exists('pcntl_fork')) die('skip pcntl is needed'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{CloseFrame, Connection, Frames, MessageType, Protocol};

function utf8(string $text): bool { return preg_match('//u', $text) === 1; }

/** RFC 6455, 5.2 and 5.5, byte by byte: [opcode, FIN, masked, payload, whole], or null where more bytes are needed, or the code that answers a fault. */
function frame(string &$in): array|int|null
{
    $n = strlen($in);
    if ($n === 0) {
        return null;
    }
    $first = ord($in[0]);
    $opcode = $first & 15;
    if (($first & 0x70) !== 0 || !in_array($opcode, [0, 1, 2, 8, 9, 10], true) || $opcode >= 8 && $first < 128) {
        return 1002;
    }
    if ($n < 2) {
        return null;
    }
    $length = ord($in[1]) & 127;
    if ($opcode >= 8 && $length > 125) {
        return 1002;
    }
    $at = [126 => 4, 127 => 10][$length] ?? 2;
    if ($at === 10 && $n > 2 && ord($in[2]) >= 128) {
        return 1002;
    }
    if ($n < $at) {
        return null;
    }
    $length = match ($at) { 2 => $length, 4 => unpack('n', $in, 2)[1], 10 => unpack('J', $in, 2)[1] };
    if (($at === 4 && $length < 126) || ($at === 10 && $length < 65536)) {
        return 1002;
    }
    $masked = ord($in[1]) >= 128;
    if ($n < $at + ($masked ? 4 : 0)) {
        return null;
    }
    if ($length > 1 << 20) {
        return 1009;
    }
    $key = $masked ? substr($in, $at, 4) : '';
    $at += strlen($key);
    $payload = substr($in, $at, $length);
    $payload = $masked ? $payload ^ substr(str_repeat($key, intdiv(strlen($payload), 4) + 1), 0, strlen($payload)) : $payload;
    $whole = strlen($payload) === $length;
    $in = $whole ? substr($in, $at + $length) : $in;
    return [$opcode, $first >= 128, $masked, $payload, $whole];
}

/** What a Close says: its code, 0 for none, 1002 or 1007 for a fault. RFC 6455, 5.5.1 and 7.4. */
function closing(string $payload): int
{
    $code = strlen($payload) < 2 ? 0 : unpack('n', $payload)[1];
    return match (true) {
        $payload === '' => 0,
        !($code >= 1000 && $code <= 1003 || $code >= 1007 && $code <= 1014 || $code >= 3000 && $code <= 4999) => 1002,
        !utf8(substr($payload, 2)) => 1007,
        default => $code,
    };
}

/** The frames of the stream as text, and whether a fault comes behind them: what Frames is to say. */
function frames_of(string $in): string
{
    $said = '';
    while (is_array($frame = frame($in)) && $frame[4]) {
        [$opcode, $final, , $payload] = $frame;
        if ($opcode === 8 && in_array(closing($payload), [1002, 1007], true) && !in_array(substr($payload, 0, 2), ["\x03\xea", "\x03\xef"], true)
            || $opcode === 8 && !utf8((string) substr($payload, 2))) {
            return "$said fault";
        }
        $said .= $opcode === 8 ? ' 8 ' . (closing($payload) ?: 1005) . ' ' . bin2hex((string) substr($payload, 2)) : " $opcode " . (int) $final . ' ' . bin2hex($payload);
    }
    return $said . (is_int($frame) ? ' fault' : '');
}

/** Messages that come back, and the code of the Close behind them; null: none. RFC 6455, 5.1, 5.4, 8.1. */
function answers(string $in): array
{
    $messages = [];
    $kind = 0;
    $text = '';
    while (is_array($frame = frame($in))) {
        [$opcode, $final, $masked, $payload, $whole] = $frame;
        if (!$masked || ($opcode === 0 && $kind === 0) || (in_array($opcode, [1, 2], true) && $kind !== 0)) {
            return [$messages, 1002];
        }
        if ($opcode >= 8) {
            if (!$whole) {
                return [$messages, null];
            }
            if ($opcode === 8) {
                return [$messages, closing($payload) ?: 'empty'];
            }
            continue;
        }
        $kind = $opcode ?: $kind;
        $text .= $payload;
        if ($kind === 1 && !($whole && $final ? utf8($text) : begins_text($text))) {
            return [$messages, 1007];
        }
        if (!$whole) {
            return [$messages, null];
        }
        if ($final) {
            $messages[] = $text;
            [$kind, $text] = [0, ''];
        }
    }
    if ($frame !== 1002 && strlen($in) > 1) { // out of turn, or without a mask: that is told before the rest of its head has come, and before its size
        $continues = (ord($in[0]) & 15) === 0;
        $frame = ord($in[1]) < 128 || (ord($in[0]) & 15) < 8 && $continues === ($kind === 0) ? 1002 : $frame;
    }
    return [$messages, $frame];
}

/** No byte is wrong yet: some end makes it UTF-8. */
function begins_text(string $text): bool
{
    foreach (['', "\x80", "\x80\x80", "\x80\x80\x80", "\xbf", "\xbf\x80", "\x90\x80\x80", "\x90\x80", "\xa0\x80"] as $end) {
        if (utf8($text . $end)) {
            return true;
        }
    }
    return false;
}

function stream(): string
{
    $stream = '';
    for ($count = mt_rand(1, 5); $count > 0; $count--) {
        $opcode = [0, 1, 1, 2, 8, 9][mt_rand(0, 5)];
        $payload = mt_rand(0, 1) ? str_repeat('é€', mt_rand(0, 9)) : substr(str_repeat('𝄞', 80), 0, [0, 1, 2, 5, 124, 125, 126, 127, 300][mt_rand(0, 8)]);
        $payload = $opcode === 8 ? [1000, 1001, 1004, 1005, 1014, 1015, 1016, 2999, 3000, 4999, 5000, 999][mt_rand(0, 11)] : $payload;
        $payload = is_int($payload) ? ['', 'x', pack('n', $payload), pack('n', $payload) . 'bé'][mt_rand(0, 3)] : substr($payload, 0, $opcode > 8 ? 125 : 300);
        $key = random_bytes(4);
        $length = strlen($payload);
        $stream .= chr(($opcode < 8 && mt_rand(0, 2) === 0 ? 0 : 128) | $opcode) . chr(128 | min($length, 126)) . ($length > 125 ? pack('n', $length) : '') . $key
            . ($payload ^ substr(str_repeat($key, 100), 0, $length));
    }
    for ($count = mt_rand(0, 2); $count > 0; $count--) {
        $at = mt_rand(0, min(mt_rand(0, 1) ? 11 : 300, strlen($stream) - 1));
        $stream[$at] = mt_rand(0, 1) ? chr(mt_rand(0, 255)) : $stream[$at] ^ chr(1 << mt_rand(0, 7));
    }
    return $stream;
}

/** @return list<string> */
function cut(string $stream): array
{
    $parts = [];
    while ($stream !== '') {
        $size = mt_rand(0, 1) ? 1 : mt_rand(1, 40);
        $parts[] = substr($stream, 0, $size);
        $stream = substr($stream, $size);
    }
    return $parts;
}

/** @param list<string> $parts */
function decoded(array $parts): string
{
    $frames = new Frames(1 << 20);
    $said = '';
    try {
        foreach ($parts as $part) {
            $frames->push($part);
            while (($frame = $frames->next()) !== null) {
                $said .= $frame instanceof CloseFrame ? " 8 $frame->code " . bin2hex($frame->reason) : " $frame->opcode " . (int) $frame->final . ' ' . bin2hex($frame->payload);
            }
        }
    } catch (Error $fault) {
        return "$said fault ({$fault->getMessage()})";
    }
    return $said;
}

$seed = (int) (getenv('TUSK_SEED') ?: mt_rand());
mt_srand($seed);
$wrong = 0;
for ($i = 0; $i < 4000; $i++) {
    $stream = stream();
    [$whole, $cut] = [decoded([$stream]), decoded(cut($stream))];
    if ($whole !== $cut || preg_replace('~ \(.*~', '', $whole) !== frames_of($stream)) {
        $wrong++ < 3 && print "seed $seed: " . bin2hex($stream) . "\n whole$whole\n cut  $cut\n RFC  " . frames_of($stream) . "\n";
    }
}
echo "frames: $wrong wrong\n";

[$mine, $its] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$pid = pcntl_fork();
if ($pid === 0) {
    fclose($mine);
    $server = new Tusk\Server('127.0.0.1:0', limits: new Tusk\Limits(messageBytes: 1 << 20));
    $server->onStart(fn () => fwrite($its, "$server->port\n"));
    $server->websocket('/', message: fn (Connection $c, string $data, MessageType $type) => $c->send($data, $type));
    $server->run();
    exit(0);
}
fclose($its);
$port = (int) fgets($mine);
$wrong = 0;
for ($i = 0; $i < 400; $i++) {
    $stream = stream();
    $socket = stream_socket_client("tcp://127.0.0.1:$port");
    stream_set_timeout($socket, (int) (20 * slow()));
    fwrite($socket, "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
    foreach ($i % 2 === 0 ? [$stream] : cut($stream) as $part) {
        @fwrite($socket, $part); // it may have refused the bytes before
    }
    @stream_socket_shutdown($socket, STREAM_SHUT_WR);
    $frames = new Frames();
    $frames->push(explode("\r\n\r\n", (string) @stream_get_contents($socket), 2)[1] ?? '');
    $got = [[], null];
    while (($frame = $frames->next()) !== null) {
        if ($frame instanceof CloseFrame) {
            $got[1] = $frame->code === 1005 ? 'empty' : $frame->code;
        } elseif ($frame->opcode < 8) {
            $got[0][] = $frame->payload;
        }
    }
    if ($got !== ($expected = answers($stream))) {
        $wrong++ < 3 && print "seed $seed: " . bin2hex($stream) . "\n" . var_export([$got, $expected], true) . "\n";
    }
}
echo "server: $wrong wrong\n";
posix_kill($pid, SIGTERM);
pcntl_waitpid($pid, $status);
?>
--EXPECT--
frames: 0 wrong
server: 0 wrong
