<?php

declare(strict_types=1);

// A small HTTP/1.1 proxy in plain PHP that is right, or wrong in one named way: proxy.php FAULT says at which port it is. A request for the host pN goes to the port N of
// 127.0.0.1. It serves one client at a time, and ends when its standard input does.

namespace Tusk\Conformance\Broken;

final class BadAnswer extends \RuntimeException {}

/** A connection that is read by lines and lengths. */
final class Line
{
    private string $in = '';

    /** @param resource $stream */
    public function __construct(public $stream, int $seconds)
    {
        stream_set_timeout($stream, $seconds);
    }

    public function write(string $bytes): void
    {
        for ($at = 0; $at < strlen($bytes) && ($sent = @fwrite($this->stream, substr($bytes, $at))) > 0; $at += $sent);
    }

    /** False: the end. */
    private function more(): bool
    {
        $bytes = fread($this->stream, 65536);
        $this->in .= (string) $bytes;

        return $bytes !== '' && $bytes !== false;
    }

    public function until(string $end): ?string
    {
        while (($at = strpos($this->in, $end)) === false) {
            if (!$this->more()) {
                return null;
            }
        }

        return $this->take($at + strlen($end));
    }

    public function bytes(int $count): string
    {
        while (strlen($this->in) < $count) {
            $this->more() || throw new BadAnswer('cut short');
        }

        return $this->take($count);
    }

    public function rest(): string
    {
        while ($this->more());

        return $this->take(strlen($this->in));
    }

    private function take(int $count): string
    {
        [$taken, $this->in] = [substr($this->in, 0, $count), substr($this->in, $count)];

        return $taken;
    }
}

final class Proxy
{
    private const OF_ONE_HOP = ['connection', 'keep-alive', 'te', 'transfer-encoding', 'content-length', 'upgrade', 'proxy-authenticate', 'proxy-authorization'];

    public function __construct(private readonly string $fault) {}

    private function has(string $fault): bool
    {
        return $this->fault === $fault;
    }

    public function serve(Line $client): void
    {
        while (($head = $client->until("\r\n\r\n")) !== null) {
            [$first, $fields] = $this->parse($head);
            $body = $client->bytes((int) ($this->value($fields, 'content-length') ?? '0'));
            $left = $this->value($fields, 'max-forwards');
            if (str_starts_with($first, 'OPTIONS ') && $left !== null && ltrim($left, '0') === '' && !$this->has('forwards-without-end')) {
                $client->write("HTTP/1.1 204 X\r\n\r\n");
                continue;
            }
            try {
                $client->write($this->pass($first, $fields, $body, $client));
            } catch (BadAnswer) {
                $client->write("HTTP/1.1 502 X\r\nContent-Length: 2\r\n\r\nno");
            }
        }
    }

    /** @return array{string, list<array{string, string}>} the first line, names and values */
    private function parse(string $head): array
    {
        $lines = explode("\r\n", substr($head, 0, -4));
        $fields = [];
        $first = (string) array_shift($lines);
        foreach ($lines as $line) {
            if (preg_match('~\A([^\s:]+)([ \t]*):[ \t]*(.*?)[ \t]*\z~s', $line, $m) !== 1) {
                if ($this->has('forwards-folds') && $fields !== [] && preg_match('~\A[ \t]~', $line) === 1) {
                    $fields[count($fields) - 1][1] .= "\r\n$line";
                    continue;
                }
                throw new BadAnswer("a line that is none: $line");
            }
            $fields[] = [$this->has('forwards-spaces') ? "$m[1]$m[2]" : $m[1], $m[3]];
            if ($m[2] !== '' && $this->has('refuses-spaces')) {
                throw new BadAnswer("white space before a colon: $line");
            }
        }

        return [$first, $fields];
    }

    /** @param list<array{string, string}> $fields */
    private function value(array $fields, string $name): ?string
    {
        $values = array_column(array_filter($fields, static fn (array $f): bool => strcasecmp(trim($f[0]), $name) === 0), 1);

        return $values === [] ? null : implode(', ', $values);
    }

    /**
     * What goes on of these.
     *
     * @param list<array{string, string}> $fields
     *
     * @return list<array{string, string}>
     */
    private function passed(array $fields, bool $keepsUpgrade = false): array
    {
        $named = array_map(trim(...), explode(',', strtolower($this->value($fields, 'connection') ?? '')));
        $gone = array_merge($this->has('forwards-hop-fields') ? ['connection', 'content-length', 'transfer-encoding'] : self::OF_ONE_HOP, $this->has('forwards-named') ? [] : $named);
        $gone = $keepsUpgrade ? array_diff($gone, ['upgrade']) : $gone;

        return array_values(array_filter($fields, static fn (array $f): bool => !in_array(strtolower(trim($f[0])), $gone, true)));
    }

    /** @param list<array{string, string}> $fields */
    private function head(string $first, array $fields): string
    {
        return "$first\r\n" . implode('', array_map(static fn (array $f): string => "$f[0]: $f[1]\r\n", $fields));
    }

    /** @param list<array{string, string}> $fields */
    private function pass(string $first, array $fields, string $body, Line $client): string
    {
        $port = (int) substr((string) $this->value($fields, 'host'), 1);
        $stream = @stream_socket_client("tcp://127.0.0.1:$port") ?: throw new BadAnswer('nobody is there');
        $backend = new Line($stream, 4);
        $counts = str_starts_with($first, 'OPTIONS ') && !$this->has('never-counts') || $this->has('counts-all');
        $out = [];
        foreach ($this->passed($fields) as [$name, $value]) {
            $isCount = strcasecmp($name, 'max-forwards') === 0 && $counts;
            $out[] = [$name, $isCount ? (string) ((int) min((float) $value, 1e6) - ($this->has('counts-by-two') ? 2 : 1)) : $value];
        }
        $backend->write($this->head($first, $out) . ($body === '' ? '' : 'Content-Length: ' . strlen($body) . "\r\n") . ($this->has('no-via-in-requests') ? '' : "Via: 1.1 broken\r\n") . "\r\n$body");
        do {
            [$line, $answer] = $this->parse($backend->until("\r\n\r\n") ?? throw new BadAnswer('no head'));
            $status = preg_match('~\AHTTP/1\.\d (\d{3})~', $line, $m) === 1 ? (int) $m[1] : throw new BadAnswer($line);
            if ($status < 200 && !$this->has('no-interim')) {
                $client->write($this->head($line, $this->passed($answer)) . "\r\n");
            }
        } while ($status < 200);

        return $this->answer($line, $status, $answer, $backend, str_starts_with($first, 'HEAD '));
    }

    /** @param list<array{string, string}> $fields */
    private function answer(string $first, int $status, array $fields, Line $backend, bool $isToHead): string
    {
        $length = $this->value($fields, 'content-length');
        $coding = $this->value($fields, 'transfer-encoding');
        if ($length !== null && $coding !== null && !$this->has('forwards-both')) {
            throw new BadAnswer('both lengths');
        }
        $isEmpty = $isToHead || $status === 204 || $status === 304;
        $body = match (true) {
            $isEmpty => '',
            $coding !== null => $this->chunks($backend),
            $length !== null => $backend->bytes((int) $length),
            default => $backend->rest(),
        };
        $keepsUpgrade = $status === 426 && !$this->has('no-upgrade-of-426');
        $head = $this->head($first, $this->passed($fields, $keepsUpgrade))
            . ($keepsUpgrade && !$this->has('unnamed-upgrade') ? "Connection: upgrade\r\n" : '')
            . ($isEmpty ? '' : 'Content-Length: ' . strlen($body) . "\r\n")
            . ($this->has('no-via-in-answers') ? '' : "Via: 1.1 broken\r\n");
        if ($this->has('forwards-both') && $coding !== null && $length !== null) {
            $head .= "Transfer-Encoding: chunked\r\n";
        }
        if ($this->has('dates-anew')) {
            $head = (string) preg_replace('~^Date: .*\r\n~mi', '', $head);
        }
        if ($this->value($fields, 'date') === null && !$this->has('no-date') || $this->has('dates-anew')) {
            $head .= 'Date: ' . gmdate('D, d M Y H:i:s') . " GMT\r\n";
        }

        return "$head\r\n$body";
    }

    private function chunks(Line $backend): string
    {
        $body = '';
        while (($size = hexdec((string) $backend->until("\r\n"))) > 0) {
            $body .= $backend->bytes((int) $size);
            $backend->bytes(2);
        }
        while (($trailer = $backend->until("\r\n")) !== "\r\n") {
            $trailer ?? throw new BadAnswer('cut short');
        }

        return $body;
    }
}

$listener = stream_socket_server('tcp://127.0.0.1:0', context: stream_context_create(['socket' => ['backlog' => 64]])) ?: exit(1);
echo substr((string) strrchr((string) stream_socket_get_name($listener, false), ':'), 1), "\n";
$proxy = new Proxy($argv[1]);
while (true) {
    $read = [$listener, STDIN];
    $write = $except = null;
    stream_select($read, $write, $except, null);
    if (in_array(STDIN, $read, true)) {
        exit(0);
    }
    $stream = stream_socket_accept($listener, 0);
    if ($stream !== false) {
        $proxy->serve(new Line($stream, 600));
        fclose($stream);
    }
}
