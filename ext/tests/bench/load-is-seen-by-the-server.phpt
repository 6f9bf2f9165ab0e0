--TEST--
Load: frames, fragments, chops, compression, pipelining, pauses, close codes, bands, sources and subscriptions, as a server reads them from the wire
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
use Tusk\Bench\Load;

const HEAD_END = "\r\n\r\n";

/** One client of the server below; what it said is kept until it is wanted. */
final class Peer
{
    public string $in = '';
    public int $reads = 0;

    public function __construct(public $stream) {}

    public function more(): bool
    {
        $some = (string) fread($this->stream, 1 << 16);
        $this->in .= $some;
        $this->reads++;
        return $some !== '';
    }

    public function take(int $length): string
    {
        while (strlen($this->in) < $length && $this->more()) {
        }
        [$taken, $this->in] = [substr($this->in, 0, $length), substr($this->in, $length)];
        return $taken;
    }

    public function head(): string
    {
        while (!str_contains($this->in, HEAD_END) && $this->more()) {
        }
        return $this->take((int) strpos($this->in, HEAD_END) + 4);
    }

    /** Reads the request and switches; the request's head. */
    public function upgrade(string $more = ''): string
    {
        $head = $this->head();
        preg_match('~Sec-WebSocket-Key: (\S+)~', $head, $m);
        fwrite($this->stream, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
            . base64_encode(sha1("{$m[1]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11", true)) . "\r\n$more\r\n");
        return $head;
    }

    /** @return array{int, string} first byte and unmasked payload of the next frame; [0, ''] at the end */
    public function frame(): array
    {
        $head = $this->take(2);
        if (strlen($head) < 2) {
            return [0, ''];
        }
        $length = ord($head[1]) & 127;
        ord($head[1]) >= 128 || exit('not masked');
        $length = $length === 126 ? unpack('n', $this->take(2))[1] : $length;
        $mask = $this->take(4);
        $payload = $length === 0 ? '' : $this->take($length) ^ str_repeat($mask, intdiv($length, 4) + 1);
        return [ord($head[0]), $payload];
    }

    public function echo(int $first, string $payload): void
    {
        $length = strlen($payload);
        fwrite($this->stream, chr($first) . ($length < 126 ? chr($length) : "\x7e" . pack('n', $length)) . $payload);
    }
}

/** Runs the load against a server that treats one connection after the other as $handler does, and gives back what that returns. */
function seen(string $mode, array $options, callable $handler, ?Load &$load = null): mixed
{
    $listener = stream_socket_server('tcp://127.0.0.1:0');
    $address = stream_socket_get_name($listener, false);
    [$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    if (($pid = pcntl_fork()) === 0) {
        $result = $handler($listener);
        fwrite($there, json_encode($result, JSON_THROW_ON_ERROR) . "\n");
        sleep(60);
        posix_kill(getmypid(), SIGKILL);
    }
    fclose($listener);
    $load = new Load($mode, ($mode[0] === 't' ? 'tcp' : 'http') . "://$address/there", $options + ['connections' => 1, 'duration' => '60s', 'warmup' => 0, 'hiccup' => false, 'drain' => $options['drain'] ?? 0]);
    $load->start();
    stream_set_blocking($here, false);
    for ($said = false; $said === false && $load->poll(0.01);) {
        $said = fgets($here);
    }
    stream_set_blocking($here, true);
    $said = $said !== false ? $said : fgets($here);
    posix_kill($pid, SIGKILL);
    pcntl_waitpid($pid, $status);
    $load->stop();
    while ($load->poll(1)) {
    }
    return json_decode((string) $said, true);
}
$accept = static fn ($listener): Peer => new Peer(stream_socket_accept($listener, 60));
/** The first message's frames: first byte and length of each. */
$frames = static function ($listener) use ($accept): array {
    $peer = $accept($listener);
    $peer->upgrade();
    $seen = [];
    do {
        [$first, $payload] = $peer->frame();
        $seen[] = sprintf('%02x:%d', $first, strlen($payload));
    } while (($first & 0x80) === 0);
    return $seen;
};
echo 'plain: ', json_encode(seen('ws-echo', ['size' => 95], $frames)), "\n";
echo 'binary: ', json_encode(seen('ws-echo', ['size' => 95, 'binary' => true], $frames)), "\n";
echo 'fragment: ', json_encode(seen('ws-echo', ['size' => 95, 'fragment' => 40], $frames)), "\n";

$deflate = static function ($listener) use ($accept): array {
    $peer = $accept($listener);
    $offered = str_contains($peer->upgrade("Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover; server_no_context_takeover\r\n"), 'permessage-deflate');
    [$first, $payload] = $peer->frame();
    return [$offered, sprintf('%02x', $first), strlen((string) inflate_add(inflate_init(ZLIB_ENCODING_RAW), $payload . "\0\0\xff\xff"))];
};
echo 'deflate: ', json_encode(seen('ws-echo', ['size' => 3000, 'deflate' => true], $deflate)), "\n";

// Without chops a message is one send, and one read gets it; a reader of many small sends reads oftener.
$reads = static function ($listener) use ($accept): array {
    $peer = $accept($listener);
    $peer->upgrade();
    $peer->reads = 0;
    for ($i = 0; $i < 5; $i++) {
        $peer->echo(...$peer->frame());
    }
    return [$peer->reads];
};
echo 'one send: ', json_encode(seen('ws-echo', ['size' => 4000], $reads)), "\n";
echo 'chop: ', json_encode(seen('ws-echo', ['size' => 4000, 'chop' => 5], $reads)[0] > 5), "\n";

$unanswered = static function ($listener) use ($accept): array {
    $peer = $accept($listener);
    $peer->upgrade();
    for ($n = 0; $n < 7; $n++) {
        $peer->frame();
    }
    $read = [$peer->stream];
    $none = null;
    return [$n, strlen($peer->in) + stream_select($read, $none, $none, 0, 200_000)];
};
echo 'pipeline: ', json_encode(seen('ws-echo', ['pipeline' => 7], $unanswered)), "\n";

$pause = static function ($listener) use ($accept): array {
    $peer = $accept($listener);
    $peer->upgrade();
    $peer->echo(...$peer->frame());
    $answered = hrtime(true);
    $peer->frame();
    return [hrtime(true) - $answered >= 50_000_000];
};
echo 'think: ', json_encode(seen('ws-echo', ['think' => '51ms'], $pause)), "\n";

$request = static function ($listener) use ($accept): array {
    preg_match_all('~^(?:GET|Sec-WebSocket-Protocol|X-One).*$~m', $accept($listener)->upgrade("Sec-WebSocket-Protocol: chat.v1\r\n"), $lines);
    return array_map(trim(...), $lines[0]);
};
echo 'request: ', json_encode(seen('ws-echo', ['subprotocol' => 'chat.v1', 'header' => 'X-One: 1'], $request), JSON_UNESCAPED_SLASHES), "\n";

$ending = static function ($listener) use ($accept): array {
    $peer = $accept($listener);
    $peer->upgrade();
    [$first, $payload] = $peer->frame();
    return [sprintf('%02x', $first), $payload === '' ? 'nothing' : unpack('n', $payload)[1], strlen($payload)];
};
echo 'close: ', json_encode(seen('ws-handshake', [], $ending)), "\n";
echo 'close-code: ', json_encode(seen('ws-handshake', ['close-code' => 4001], $ending)), "\n";
echo 'drop: ', json_encode(seen('ws-handshake', ['drop' => true], $ending)), "\n";

/** How many connect and ask while nobody is answered: these may be long in coming on a busy machine, and one more comes at once or never. */
$asking = static fn (int $many): Closure => static function ($listener) use ($many): array {
    for ($peers = []; count($peers) <= $many && ($peer = @stream_socket_accept($listener, count($peers) < $many ? 60 : 0.3)) !== false;) {
        $peers[] = $peer;
    }
    return [count($peers)];
};
echo 'opening: ', json_encode(seen('ws-echo', ['connections' => 20, 'opening' => 3], $asking(3))), "\n";
echo 'high: ', json_encode(seen('ws-handshake', ['connections' => 20, 'high' => 4, 'low' => 2], $asking(4))), "\n";
echo 'connections: ', json_encode(seen('tcp-hold', ['connections' => 12], $asking(12))), "\n";
$addresses = static function ($listener): array {
    for ($seen = []; count($seen) < 3;) {
        $peers[] = $peer = stream_socket_accept($listener, 60);
        $seen[strtok(stream_socket_get_name($peer, true), ':')] = true;
    }
    ksort($seen);
    return array_keys($seen);
};
echo 'sources: ', json_encode(seen('tcp-hold', ['connections' => 6, 'sources' => 3], $addresses)), "\n";

// The one answer comes after the window: with a drain it still counts.
$late = static function ($listener) use ($accept): array {
    $peer = $accept($listener);
    $peer->upgrade();
    $frame = $peer->frame();
    sleep(1);
    $peer->echo(...$frame);
    usleep(50_000);
    return [];
};
foreach ([0, 10] as $drain) {
    seen('ws-echo', ['duration' => '50ms', 'drain' => $drain], $late, $load);
    echo "drain $drain: {$load->counters()['completed']} completed, {$load->counters()['unfinished']} unfinished\n";
}

// A subscriber and a publisher, in either order.
$both = static function ($listener) use ($accept): array {
    $said = [];
    foreach ([1, 2] as $i) {
        $peers[] = $peer = $accept($listener);
        $head = $peer->head();
        if (str_contains($head, 'text/event-stream')) {
            $said[] = 'event stream of ' . explode(' ', $head)[1];
            fwrite($peer->stream, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n:hi\n\n");
        } elseif (!str_contains($head, 'Upgrade')) {
            $said[] = 'POST';
        } else {
            $peer->in = $head . $peer->in;
            $peer->upgrade();
        }
    }
    foreach ($peers as $peer) {
        $read = [$peer->stream];
        $none = null;
        if ($peer->in !== '' || stream_select($read, $none, $none, 2) > 0) {
            $payload = $peer->in !== '' && !str_contains($head, 'Upgrade') ? $peer->in : $peer->frame()[1];
            $said[] = preg_replace('~(?<=["<])[^"<>{]{24,}(?=[">])~', 'DATA', $payload);
        }
    }
    sort($said);
    return $said;
};
echo 'subscribe, message: ', json_encode(seen('fanout', ['subscribe' => 'join {room}', 'message' => '{"data":"{data}"}', 'opening' => 1], $both), JSON_UNESCAPED_SLASHES), "\n";
echo 'event stream, POST: ', json_encode(seen('fanout', ['transport' => 'sse', 'publish' => 'http', 'publish-body' => 'x=<{data}>', 'opening' => 1], $both), JSON_UNESCAPED_SLASHES), "\n";
?>
--EXPECT--
plain: ["81:95"]
binary: ["82:95"]
fragment: ["01:40","00:40","80:15"]
deflate: [true,"c1",3000]
one send: [5]
chop: true
pipeline: [7,0]
think: [true]
request: ["GET /there HTTP/1.1","X-One: 1","Sec-WebSocket-Protocol: chat.v1"]
close: ["88",1001,2]
close-code: ["88",4001,2]
drop: ["00","nothing",0]
opening: [3]
high: [4]
connections: [12]
sources: ["127.0.0.2","127.0.0.3","127.0.0.4"]
drain 0: 0 completed, 1 unfinished
drain 10: 1 completed, 0 unfinished
subscribe, message: ["join 0","{\"data\":\"DATA\"}"]
event stream, POST: ["POST","event stream of /there","x=<DATA>"]
