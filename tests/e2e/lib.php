<?php

declare(strict_types=1);

// What the tests from outside share: a server in a process of its own, a raw peer, a tiny runner.

namespace Tusk\E2e;

/** Seconds to wait for what must come: long on a busy machine, which costs only what fails anyway. */
const PATIENCE = 30.0;

final class Failed extends \Exception {}

/** Something the test needs is not on this machine. */
final class Absent extends \Exception {}

function expect(bool $holds, string $what): void
{
    if (!$holds) {
        throw new Failed($what);
    }
}

function contains(string $whole, string $part, string $what = 'the text'): void
{
    expect(str_contains($whole, $part), "$what has no " . json_encode($part) . ': ' . substr((string) json_encode($whole), 0, 400));
}

/**
 * Waits for a condition, with a deadline; never longer than it takes. A machine that was suspended, or a test that was stopped, has not waited
 * meanwhile: what it waits for stood still as well.
 */
function await(\Closure $condition, string $what, float $seconds = PATIENCE): void
{
    for ($left = $seconds, $then = microtime(true); !$condition(); usleep(5000)) {
        if ($left <= 0) {
            throw new Failed("not within $seconds s: $what");
        }
        $now = microtime(true);
        $left -= min($now - $then, 1.0);
        $then = $now;
    }
}

function needs(string $program): void
{
    foreach (explode(':', (string) getenv('PATH') . ':/usr/sbin:/sbin') as $folder) {
        if (is_executable("$folder/$program")) {
            return;
        }
    }
    throw new Absent("no $program");
}

/** Runs a command to its end: [status, stdout and stderr]. */
function command(string $line, string $input = '', float $seconds = 60.0): array
{
    $line = "timeout $seconds $line 2>&1";
    $process = proc_open(['bash', '-c', $line], [['pipe', 'r'], ['pipe', 'w']], $pipes) ?: throw new Failed("cannot run $line");
    fwrite($pipes[0], $input);
    fclose($pipes[0]);
    $text = (string) stream_get_contents($pipes[1]);

    return [proc_close($process), $text];
}

function folder(): string
{
    static $made = null;
    if ($made === null) {
        $made = dirname(__DIR__, 2) . '/build/e2e/' . getmypid();
        @mkdir($made, 0777, true);
    }

    return $made;
}

/** Certificates of the tests: a CA, servers by name, a client; made once, by openssl. */
final class Certificates
{
    public static function ca(): string
    {
        return self::make('ca', '/CN=Tusk test CA', null);
    }

    /** Path without suffix: .pem and .key. */
    public static function of(string $name, string $alias = ''): string
    {
        self::ca();
        $file = $alias === '' ? $name : $alias;

        return self::make($file, "/CN=$name", "subjectAltName=DNS:$name,IP:127.0.0.1");
    }

    private static function make(string $file, string $subject, ?string $extension): string
    {
        needs('openssl');
        $path = folder() . "/$file";
        if (is_file("$path.pem")) {
            return $path;
        }
        $key = "openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout $path.key -subj '$subject'";
        $ca = folder() . '/ca';
        $line = $extension === null
            ? "$key -x509 -days 2 -out $path.pem"
            : "$key -out $path.csr && printf '%s\\n' '$extension' > $path.ext && openssl x509 -req -in $path.csr -CA $ca.pem -CAkey $ca.key "
                . "-CAcreateserial -days 2 -extfile $path.ext -out $path.pem";
        [$status, $text] = command("bash -c " . escapeshellarg($line));
        expect($status === 0, "openssl: $text");

        return $path;
    }
}

/** A process that was started, and how it ended. */
trait Child
{
    /** @var resource */
    private $process;
    /** Exit code, or minus the signal; null: it runs. */
    private ?int $status = null;

    /** How it ended only the first look at it tells that comes after its end, and gives the process's id as any. */
    private function look(): int
    {
        $now = proc_get_status($this->process);
        if (!$now['running']) {
            $this->status ??= $now['signaled'] ? -$now['termsig'] : $now['exitcode'];
        }

        return $now['pid'];
    }

    public function ended(): bool
    {
        if ($this->status === null) {
            $this->look();
        }

        return $this->status !== null;
    }
}

/** A program that runs until the test is over. */
final class Program
{
    /** @var resource */
    private $process;
    private string $log;

    public function __construct(string $line, private readonly int $signal = SIGTERM)
    {
        static $number = 0;
        $this->log = folder() . '/program-' . $number++ . '.log';
        $out = ['file', $this->log, 'a'];
        $this->process = proc_open(['bash', '-c', "exec $line"], [['file', '/dev/null', 'r'], $out, $out], $pipes) ?: throw new Failed("cannot run $line");
    }

    public function awaitPort(int $port): self
    {
        await(fn (): bool => @stream_socket_client("tcp://127.0.0.1:$port") !== false || !proc_get_status($this->process)['running'], "a program listens: {$this->log()}");
        expect(proc_get_status($this->process)['running'], "it does not run: {$this->log()}");

        return $this;
    }

    public function log(): string
    {
        return (string) @file_get_contents($this->log);
    }

    public function runs(): bool
    {
        return proc_get_status($this->process)['running'];
    }

    public function signal(int $signal): void
    {
        proc_terminate($this->process, $signal);
    }

    public function __destruct()
    {
        $this->signal($this->signal);
        for ($until = microtime(true) + PATIENCE; proc_get_status($this->process)['running'] && microtime(true) < $until; usleep(5000)) {
        }
        proc_terminate($this->process, 9);
        proc_close($this->process);
    }
}

/** An nginx whose http block is this, with a folder of its own; it listens there. */
function nginx(string $http, int $port): Program
{
    needs('nginx');
    $folder = folder() . "/nginx-$port";
    mkdir($folder);
    $temporary = implode(' ', array_map(static fn (string $of): string => "{$of}_temp_path $folder;", ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']));
    file_put_contents("$folder/conf", "daemon off; master_process off; pid $folder/pid; error_log stderr crit;\nevents {}\nhttp {\naccess_log off; $temporary\n$http\n}\n");

    return (new Program("env PATH=\$PATH:/usr/sbin nginx -p $folder -c $folder/conf"))->awaitPort($port);
}

/** A HAProxy with this configuration; it listens there. */
function haproxy(string $sections, int $port): Program
{
    needs('haproxy');
    $file = folder() . "/haproxy-$port";
    file_put_contents($file, $sections);

    return (new Program("env PATH=\$PATH:/usr/sbin haproxy -db -f $file"))->awaitPort($port);
}

/** A PHP script of the test's own, run as a server would be. */
final class Script
{
    use Child;

    public int $port = 0;
    public int $pid = 0;
    /** Its port speaks TLS, and peer() with it. */
    public bool $isSealed = false;
    private string $log;

    /**
     * @param string $body      PHP without its opening tag; `$started` is the closure for onStart
     * @param bool   $listening wait for the port
     */
    public function __construct(string $body, string $flags = '', bool $listening = true, string $shell = '')
    {
        static $number = 0;
        $number++;
        $file = folder() . "/server-$number.php";
        $this->log = folder() . "/server-$number.log";
        file_put_contents($file, <<<'PHP'
            <?php
            use Tusk\{Limits, Overflow, Server, Timer, Tls};
            use Tusk\Http\{Request, Response};
            use Tusk\Sse\EventStream;
            use Tusk\WebSocket\{Connection, Deflate, MessageType};
            $started = function ($s): void { echo "port $s->port\n"; };
            PHP . "\n$body\n");
        file_put_contents($this->log, '');
        $php = PHP_BINARY . ' -d extension=' . dirname(__DIR__, 2) . "/build/ext/modules/tusk.so -d log_errors=1 -d error_log= $flags";
        $out = ['file', $this->log, 'a'];
        $this->process = proc_open(['bash', '-c', "$shell exec $php $file"], [['file', '/dev/null', 'r'], $out, $out], $pipes) ?: throw new Failed('cannot start PHP');
        $this->pid = $this->look();
        if ($listening) {
            await(fn (): bool => preg_match('/^port (\d+)$/m', $this->log(), $m) === 1 ? ($this->port = (int) $m[1]) > 0 : $this->ended(), 'the server listens');
            expect($this->port > 0, 'the server did not start: ' . $this->log());
        }
    }

    public function __destruct()
    {
        if (!$this->ended()) {
            proc_terminate($this->process, 9);
        }
        proc_close($this->process);
    }

    public function log(): string
    {
        return (string) file_get_contents($this->log);
    }

    /** Exit code, or minus the signal. */
    public function end(float $seconds = PATIENCE): int
    {
        await(fn (): bool => $this->ended(), 'the server ends: ' . $this->log(), $seconds);

        return (int) $this->status;
    }

    public function signal(int $number): void
    {
        proc_terminate($this->process, $number);
    }

    public function stop(): int
    {
        $this->signal(SIGTERM);

        return $this->end();
    }

    public function awaitLog(string $text, float $seconds = PATIENCE): void
    {
        await(fn (): bool => str_contains($this->log(), $text), "\"$text\" in the log", $seconds);
    }

    /** A field of /proc/PID/status in KiB. */
    public function memory(string $field = 'VmHWM'): int
    {
        return preg_match("/^$field:\\s+(\\d+) kB/m", (string) @file_get_contents("/proc/$this->pid/status"), $m) === 1 ? (int) $m[1] : 0;
    }

    public function peer(): Peer
    {
        return $this->isSealed ? $this->tlsPeer() : new Peer("tcp://127.0.0.1:$this->port");
    }

    /** @param array<string, mixed> $ssl */
    public function tlsPeer(array $ssl = []): Peer
    {
        return new Peer("ssl://127.0.0.1:$this->port", $ssl + ['verify_peer' => false, 'verify_peer_name' => false]);
    }

    /** Answer of a GET, head and body, over a connection of its own. */
    public function get(string $path, string $fields = ''): string
    {
        $peer = $this->peer();
        $peer->write("GET $path HTTP/1.1\r\nHost: x\r\nConnection: close\r\n$fields\r\n");

        return $peer->rest();
    }

    /** @return array<string, int> as /stats of the test's server gives them */
    public function stats(): array
    {
        $answer = $this->get('/stats');

        return (array) json_decode(substr($answer, (int) strpos($answer, "\r\n\r\n") + 4), true);
    }
}

/** A client of bytes: nothing is sent or read that the test did not say. */
final class Peer
{
    /** @var resource|null */
    public $stream;
    public string $buffer = '';

    /** @param array<string, mixed> $ssl */
    public function __construct(string $address, array $ssl = [], string $bind = '')
    {
        $options = ['ssl' => $ssl, 'socket' => $bind === '' ? [] : ['bindto' => $bind]];
        $stream = @stream_socket_client($address, $code, $text, PATIENCE, STREAM_CLIENT_CONNECT, stream_context_create($options));
        $this->stream = $stream !== false ? $stream : throw new Failed("cannot connect to $address: $text " . (error_get_last()['message'] ?? ''));
        stream_set_timeout($this->stream, (int) PATIENCE);
    }

    /**
     * One that came to a server of the test's own.
     *
     * @param resource $stream
     */
    public static function of($stream): self
    {
        $self = (new \ReflectionClass(self::class))->newInstanceWithoutConstructor();
        $self->stream = $stream;
        stream_set_timeout($stream, (int) PATIENCE);

        return $self;
    }

    /** What could be written; a peer that went away is no error here. */
    public function write(string $bytes): int
    {
        return (int) @fwrite($this->stream, $bytes);
    }

    /** Reads until the text is there; false: the end came first. */
    public function until(string $text, float $seconds = PATIENCE): string
    {
        for ($until = microtime(true) + $seconds; ($at = strpos($this->buffer, $text)) === false;) {
            expect($this->more($until), 'no ' . json_encode($text) . ' came, but ' . substr((string) json_encode($this->buffer), 0, 300));
        }
        $head = substr($this->buffer, 0, $at + strlen($text));
        $this->buffer = substr($this->buffer, $at + strlen($text));

        return $head;
    }

    public function bytes(int $count, float $seconds = PATIENCE): string
    {
        for ($until = microtime(true) + $seconds; strlen($this->buffer) < $count;) {
            expect($this->more($until), "$count bytes awaited, " . strlen($this->buffer) . ' came');
        }
        $bytes = substr($this->buffer, 0, $count);
        $this->buffer = substr($this->buffer, $count);

        return $bytes;
    }

    /** Everything until the end of the stream (or a reset). */
    public function rest(float $seconds = PATIENCE): string
    {
        $until = microtime(true) + $seconds;
        while ($this->more($until)) {
            continue;
        }
        expect(microtime(true) < $until, 'the connection stays open after ' . substr((string) json_encode($this->buffer), 0, 200));
        $all = $this->buffer;
        $this->buffer = '';

        return $all;
    }

    private function more(float $until): bool
    {
        $left = $until - microtime(true);
        if ($left <= 0 || $this->stream === null) {
            return false;
        }
        stream_set_timeout($this->stream, (int) $left, (int) (fmod($left, 1) * 1e6));
        $bytes = @fread($this->stream, 1 << 18);
        if ($bytes === false || $bytes === '') {
            return !feof($this->stream) && microtime(true) < $until && !$this->timedOut();
        }
        $this->buffer .= $bytes;

        return true;
    }

    private function timedOut(): bool
    {
        return stream_get_meta_data($this->stream)['timed_out'];
    }

    public function halfClose(): void
    {
        stream_socket_shutdown($this->stream, STREAM_SHUT_WR);
    }

    public function close(): void
    {
        if ($this->stream !== null) {
            fclose($this->stream);
            $this->stream = null;
        }
    }

    /** Ends with a reset: what was not read is thrown away. */
    public function reset(): void
    {
        $socket = socket_import_stream($this->stream);
        if ($socket !== false) {
            socket_set_option($socket, SOL_SOCKET, SO_LINGER, ['l_onoff' => 1, 'l_linger' => 0]);
        }
        $this->close();
    }

    /* ---- WebSocket ---- */
    public function upgrade(string $path = '/ws', string $fields = ''): self
    {
        $this->write("GET $path HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            . "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n$fields\r\n");
        contains($this->until("\r\n\r\n"), 'HTTP/1.1 101 ', 'the answer to the upgrade');

        return $this;
    }

    public static function frame(string $payload, int $opcode = 1, bool $final = true, bool $rsv1 = false): string
    {
        $length = strlen($payload);
        $head = chr(($final ? 0x80 : 0) | ($rsv1 ? 0x40 : 0) | $opcode) . match (true) {
            $length < 126 => chr(0x80 | $length),
            $length < 65536 => chr(0xfe) . pack('n', $length),
            default => chr(0xff) . pack('J', $length),
        };

        return $head . "\0\0\0\0" . $payload;
    }

    public function send(string $payload, int $opcode = 1): void
    {
        $this->write(self::frame($payload, $opcode));
    }

    /** The next frame: [opcode, payload]. */
    public function receive(float $seconds = PATIENCE): array
    {
        $head = $this->bytes(2, $seconds);
        $length = ord($head[1]) & 127;
        if ($length > 125) {
            $length = $length === 126 ? unpack('n', $this->bytes(2))[1] : unpack('J', $this->bytes(8))[1];
        }

        return [ord($head[0]) & 15, $this->bytes($length, $seconds)];
    }

    /** The next data frame must be this text. */
    public function expectText(string $text, float $seconds = PATIENCE): void
    {
        [$opcode, $payload] = $this->receive($seconds);
        expect($opcode === 1 && $payload === $text, "awaited $text, got opcode $opcode and " . substr($payload, 0, 200));
    }

    /** A Close frame comes: its code. */
    public function expectClose(int $code, float $seconds = PATIENCE): void
    {
        do {
            [$opcode, $payload] = $this->receive($seconds);
        } while ($opcode !== 8);
        $got = strlen($payload) < 2 ? 1005 : unpack('n', $payload)[1];
        expect($got === $code, "close code $got, not $code");
    }
}

final class Suite
{
    /** @var array<string, \Closure> */
    private array $tests = [];

    public function test(string $name, \Closure $body): void
    {
        $this->tests[$name] = $body;
    }

    public function run(string $filter): int
    {
        $passed = $failed = $skipped = 0;
        foreach ($this->tests as $name => $body) {
            if ($filter !== '' && !str_contains($name, $filter)) {
                continue;
            }
            $start = microtime(true);
            try {
                $body();
                $passed++;
                printf("ok    %s (%.2f s)\n", $name, microtime(true) - $start);
            } catch (Absent $e) {
                $skipped++;
                echo "skipped: e2e $name ({$e->getMessage()})\n";
            } catch (\Throwable $e) {
                $failed++;
                $class = $e instanceof Failed ? '' : get_class($e) . ' ';
                echo "FAIL  $name: $class{$e->getMessage()} ({$e->getFile()}:{$e->getLine()})\n";
                foreach ($e->getTrace() as $frame) {
                    if (str_contains($frame['file'] ?? '', '/cases/')) {
                        echo "      at {$frame['file']}:{$frame['line']}\n";
                    }
                }
            }
            gc_collect_cycles();
        }
        echo "$passed passed, $failed failed, $skipped skipped\n";

        return $failed === 0 && $passed + $skipped > 0 ? 0 : 1;
    }
}
