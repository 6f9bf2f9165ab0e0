<?php

declare(strict_types=1);

// A client of event streams in plain PHP that is right, or wrong in one named way: sse-client.php [FAULT]; told as
// clients/sse-client.php is.

namespace Tusk\Conformance\Broken;

require __DIR__ . '/AnswerReader.php';
ini_set('memory_limit', '-1');
ini_set('display_errors', 'stderr');

/** The stream is over for good. */
final class GivenUp extends \Exception {}

final class StreamClient
{
    private const LINE = 1 << 20;
    private const DATA = 16 << 20;
    private const REDIRECTS = 20;

    private string $lastId = '';
    private string $idBuffer = '';
    private int $retryMs = 3000;
    private string $line = '';
    private string $data = '';
    private string $type = '';
    private bool $afterCr = false;
    private bool $isFirst = true;
    private ?string $moved = null;

    public function __construct(private readonly string $fault) {}

    private function has(string ...$faults): bool
    {
        return in_array($this->fault, $faults, true);
    }

    /** @param array<string, mixed> $told */
    private function tell(array $told): void
    {
        echo json_encode($told, JSON_THROW_ON_ERROR), "\n";
    }

    /** @param array<string, mixed> $order */
    public function listen(array $order): void
    {
        $this->lastId = $this->idBuffer = $order['lastEventId'] ?? '';
        try {
            while (true) {
                $wait = $this->connect($order);
                $this->pause($this->has('never-waits') ? 0 : max($wait, $this->retryMs));
            }
        } catch (Interrupted) {
            fgets(STDIN) === false ? exit(0) : $this->tell(['stopped' => base64_encode($this->lastId)]);
        } catch (GivenUp) {
            $this->tell(['closed' => base64_encode($this->lastId)]);
        }
    }

    private function pause(int $ms): void
    {
        $read = [STDIN];
        $none = null;
        if (stream_select($read, $none, $none, intdiv($ms, 1000), $ms % 1000 * 1000) > 0) {
            throw new Interrupted();
        }
    }

    /**
     * @param array<string, mixed> $order
     *
     * @return int milliseconds to wait at least
     */
    private function connect(array $order): int
    {
        $url = $this->has('keeps-redirect') ? $this->moved ?? $order['open'] : $order['open'];
        for ($redirects = 0; ; $redirects++) {
            preg_match('~\Ahttp://([\w.-]+(?::\d+)?)(?![^/?#])([^#]*)~', $url, $m) === 1 || throw new GivenUp();
            $stream = @stream_socket_client("tcp://$m[1]", $code, $text, 5.0) ?: null;
            if ($stream === null) {
                return 0;
            }
            $reader = new AnswerReader($stream, $this->fault, STDIN);
            try {
                fwrite($stream, $this->request($m[1], $m[2], $order['headers'], $url === $order['open']));
                try {
                    $answer = $reader->head('GET');
                } catch (Fault $fault) {
                    return in_array($fault->getMessage(), ['no head', 'reset'], true) ? 0 : throw new GivenUp();
                }
                if (in_array($answer->status, [301, 302, 303, 307, 308], true) && !$this->has('no-redirects')) {
                    $location = $answer->fields['location'] ?? '';
                    if ($location === '' || $redirects === self::REDIRECTS && !$this->has('redirects-without-end')) {
                        throw new GivenUp();
                    }
                    $this->moved = $url = $this->resolve($url, $location);

                    continue;
                }
                if ($this->mayRetry($answer, $order['retryOnErrorStatus'])) {
                    return 0;
                }
                $this->check($answer);
                $this->read($reader, $answer);

                return 0;
            } finally {
                fclose($stream);
            }
        }
    }

    /** @param array<string, string> $headers */
    private function request(string $host, string $target, array $headers, bool $isFirst): string
    {
        $target = $target === '' || $target[0] === '?' ? "/$target" : $target;
        $lines = "GET $target HTTP/1.1\r\nHost: $host\r\n" . ($this->has('no-accept') ? '' : "Accept: text/event-stream\r\n") . ($this->has('may-be-cached') ? '' : "Cache-Control: no-cache\r\n");
        foreach ($headers as $name => $value) {
            if ($isFirst || $this->has('secrets-travel') || !in_array(strtolower($name), ['authorization', 'cookie'], true)) {
                $lines .= "$name: $value\r\n";
            }
        }
        if (($this->lastId !== '' || $this->has('empty-id')) && !$this->has('no-last-id')) {
            $lines .= 'Last-Event-ID: ' . ($this->has('ascii-id') ? rawurlencode($this->lastId) : $this->lastId) . "\r\n";
        }

        return "$lines\r\n";
    }

    private function resolve(string $base, string $location): string
    {
        if (preg_match('~\A[a-z]+:~i', $location) === 1) {
            return $location;
        }
        preg_match('~\A(http://[^/?#]+)([^?#]*)~', $base, $m);
        $path = match (true) {
            $location[0] === '/' => $location,
            $location[0] === '?' => $m[2] . $location,
            $this->has('relative-to-root') => "/$location",
            default => preg_replace('~[^/]*\z~', '', $m[2]) . $location,
        };
        while (!$this->has('keeps-dots') && preg_match('~/[^/?#]+/\.\./|/\.\./~', $path) === 1) {
            $path = (string) preg_replace('~(/(?!\.\.)[^/?#]+)?/\.\./~', '/', $path, 1);
        }

        return $m[1] . $path;
    }

    private function mayRetry(Answer $answer, bool $asked): bool
    {
        return in_array($answer->status, [429, 502, 503, 504], true) && ($asked && !$this->has('never-retries-status') || $this->has('always-retries-status'))
            || $answer->status === 204 && $this->has('204-comes-back') || $answer->status === 500 && $this->has('500-comes-back');
    }

    private function check(Answer $answer): void
    {
        $fields = $answer->fields;
        $type = $this->has('type-with-case') ? $fields['content-type'] ?? '' : strtolower($fields['content-type'] ?? '');
        $essence = $this->has('type-without-parameters') ? $type : trim(explode(';', $type)[0]);
        $isStream = $essence === 'text/event-stream' || $this->has('any-type') || $this->has('type-anywhere') && str_contains($type, 'text/event-stream') || $this->has('type-by-prefix') && str_starts_with($type, 'text/event-stream');
        $isFine = $answer->status === 200 || $this->has('any-2xx') && $answer->status < 300 && $answer->status !== 204 || $this->has('any-status') && $answer->status !== 204;
        if (!$isFine || !$isStream || isset($fields['content-encoding']) && !$this->has('any-coding')) {
            throw new GivenUp();
        }
    }

    private function read(AnswerReader $reader, Answer $answer): void
    {
        if (!$this->has('keeps-unfinished')) {
            [$this->line, $this->data, $this->type, $this->afterCr] = ['', '', '', false];
        }
        $this->isFirst = !$this->has('one-bom') || $this->isFirst;
        $this->idBuffer = $this->has('keeps-unfinished-id') ? $this->idBuffer : $this->lastId;
        try {
            while (($piece = $reader->piece($answer)) !== null) {
                $this->take($piece);
            }
            if ($this->has('dispatches-at-end')) {
                $this->take("\n\n");
            }
        } catch (Fault) {
            if ($this->has('broken-chunk-stops')) {
                throw new GivenUp();
            }
        }
    }

    private function take(string $bytes): void
    {
        if ($this->has('whole-pieces')) {
            $this->line = '';
        }
        if ($this->afterCr && $bytes[0] === "\n" && !$this->has('crlf-cut-is-two')) {
            $bytes = substr($bytes, 1);
        }
        $this->afterCr = false;
        $end = match ($this->fault) {
            'lf-only' => '/\n/',
            'no-cr' => '/\r\n|\n/',
            'more-ends' => '/\r\n|\n|\r|\x0b|\x0c/',
            default => '/\r\n|\n|\r/',
        };
        $lines = preg_split($end, $bytes) ?: [];
        $lines[0] = $this->line . $lines[0];
        $this->line = (string) array_pop($lines);
        $this->afterCr = str_ends_with($bytes, "\r");
        foreach ($lines as $line) {
            $this->line($line);
        }
        if (strlen($this->line) > self::LINE && !$this->has('no-line-limit')) {
            throw new GivenUp();
        }
    }

    private function line(string $line): void
    {
        if ($this->isFirst) {
            $this->isFirst = false;
            if (str_starts_with($line, "\xef\xbb\xbf") && !$this->has('keeps-bom')) {
                $line = $this->has('every-bom') ? str_replace("\xef\xbb\xbf", '', $line) : substr($line, 3);
            }
        }
        if (strlen($line) > self::LINE && !$this->has('no-line-limit')) {
            throw new GivenUp();
        }
        $line = $this->has('raw-utf8') ? $line : self::repaired($line, $this->has('one-mark-per-run'));
        $line = $this->has('trims-lines') ? trim($line, ' ') : $line;
        if ($line === '') {
            $this->dispatch();

            return;
        }
        $colon = strpos($line, ':');
        $name = $colon === false ? $line : substr($line, 0, $colon);
        $value = $colon === false ? '' : substr($line, $colon + 1);
        if ($colon === false && $this->has('needs-colon')) {
            return;
        }
        $value = match (true) {
            $this->has('drops-spaces') => ltrim($value, ' '),
            $this->has('drops-tab') => (string) preg_replace('/\A[ \t]/', '', $value),
            $this->has('trims-values') => trim($value, ' '),
            default => str_starts_with($value, ' ') ? substr($value, 1) : $value,
        };
        $value = $this->has('last-colon') && $colon !== false ? ltrim((string) strrchr($line, ':'), ': ') : $value;
        if ($name === '' && $this->has('comments-are-data')) {
            $name = 'data';
        }
        $this->field($this->has('any-case') ? strtolower($name) : ($this->has('trims-names') ? trim($name, ' ') : $name), $value);
    }

    private function field(string $name, string $value): void
    {
        if ($name === 'data') {
            if (strlen($this->data) + strlen($value) > self::DATA && !$this->has('no-data-limit')) {
                throw new GivenUp();
            }
            if ($this->has('last-data')) {
                $this->data = '';
            } elseif ($this->has('data-in-one-line')) {
                $this->data = rtrim($this->data, "\n");
            }
            $this->data .= "$value\n";
        } elseif ($name === 'event') {
            $this->type = $this->has('first-type') && $this->type !== '' ? $this->type : $value;
        } elseif ($name === 'id') {
            if ($this->has('id-before-nul')) {
                $this->idBuffer = explode("\0", $value)[0];
            } elseif (!str_contains($value, "\0") || $this->has('id-with-nul')) {
                $this->idBuffer = $value === '' && $this->has('id-never-empty') ? $this->idBuffer : $value;
            }
            if ($this->has('id-at-once')) {
                $this->lastId = $this->idBuffer;
            }
        } elseif ($name === 'retry') {
            if (preg_match('/\A[0-9]+\z/', $value) === 1 && !$this->has('no-retry') || $this->has('loose-retry') && $value !== '' && (int) $value > 0) {
                $this->retryMs = max(10, min((int) $value, 86400000));
            } elseif ($value === '' && $this->has('empty-retry')) {
                $this->retryMs = 60000;
            }
        }
    }

    private function dispatch(): void
    {
        if ($this->data !== '' || !$this->has('id-needs-data')) {
            $this->lastId = $this->idBuffer;
        }
        if ($this->data === '' && !($this->has('empty-events') && $this->type !== '') || $this->data === "\n" && $this->has('no-empty-data')) {
            $this->type = $this->has('keeps-type') ? $this->type : '';
            $this->data = '';

            return;
        }
        $data = $this->has('trims-data') ? rtrim($this->data, "\n") : substr($this->data, 0, -1);
        $this->tell(['event' => array_map(base64_encode(...), ['type' => $this->type === '' ? 'message' : $this->type, 'data' => $data, 'id' => $this->has('id-of-one') ? $this->idOfOne() : $this->lastId])]);
        $this->data = '';
        $this->type = $this->has('keeps-type') ? $this->type : '';
    }

    private function idOfOne(): string
    {
        $id = $this->idBuffer;
        $this->idBuffer = '';

        return $id;
    }

    /** As the decoder of the standard: the longest start of a sequence becomes one mark. */
    private static function repaired(string $text, bool $oneMark): string
    {
        if (preg_match('//u', $text) === 1) {
            return $text;
        }
        $good = '[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}';
        $start = '\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f]|\xf0[\x90-\xbf][\x80-\xbf]?|[\xf1-\xf3][\x80-\xbf]{1,2}|\xf4[\x80-\x8f][\x80-\xbf]?';
        $bad = $oneMark ? "(?:(?!$good).)+" : "$start|.";

        return (string) preg_replace_callback("/($good)|$bad/s", static fn (array $m): string => isset($m[1]) && $m[1] !== '' ? $m[1] : "\u{fffd}", $text);
    }
}

stream_set_timeout(STDIN, -1); // it may be a socket, whose reads end after default_socket_timeout: who is asked nothing for a minute would be gone
while (($line = fgets(STDIN)) !== false) {
    $order = json_decode($line, true, 8, JSON_THROW_ON_ERROR);
    if (isset($order['open'])) {
        (new StreamClient($argv[1] ?? 'none'))->listen($order);
    } else {
        echo json_encode(['stopped' => '']), "\n";
    }
}
