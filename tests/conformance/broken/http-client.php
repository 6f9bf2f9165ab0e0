<?php

declare(strict_types=1);

// An HTTP client in plain PHP that is right, or wrong in one named way: http-client.php [FAULT]; told as clients/http-client.php is.

namespace Tusk\Conformance\Broken;

require __DIR__ . '/AnswerReader.php';
ini_set('memory_limit', '-1');
ini_set('display_errors', 'stderr');

final class HttpClient
{
    /** Seconds; less than a case waits for an error. */
    private const PER_READ = 6.0;
    private const IDEMPOTENT = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'];

    /** @var array<string, AnswerReader> by origin */
    private array $kept = [];

    public function __construct(private readonly string $fault) {}

    private function has(string ...$faults): bool
    {
        return in_array($this->fault, $faults, true);
    }

    /**
     * @param array<string, mixed> $order
     *
     * @return array{Answer, string}
     */
    public function ask(array $order): array
    {
        $method = $order['method'];
        if (preg_match("~\\A[!#$%&'*+.^_`|\\~0-9A-Za-z-]+\\z~", $method) !== 1 && !$this->has('any-method')
            || ($method === 'TRACE' && $order['body'] !== '' && !$this->has('content-of-trace')) || ($method === 'CONNECT' && !$this->has('connects'))
            || preg_match('~\Ahttp://([^/?#]+)([^#]*)~s', $order['url'], $m) !== 1 || preg_match('/[\x00-\x20]/', $order['url']) === 1 && !$this->has('any-target')) {
            throw new Fault('order');
        }
        $target = $m[2] === '' || $m[2][0] === '?' ? "/$m[2]" : $m[2];
        $target = match ($this->fault) {
            'sends-fragment' => $target . strstr($order['url'], '#'),
            'drops-query' => explode('?', $target)[0],
            'decodes-target' => rawurldecode($target),
            'one-slash' => (string) preg_replace('~/+~', '/', $target),
            default => $target,
        };
        $request = ($this->has('upper-method') ? strtoupper($method) : $method) . " $target HTTP/1.1\r\n" . ($this->has('no-host') ? '' : "Host: $m[1]\r\n")
            . $this->fields($order['headers']);
        $body = (string) base64_decode($order['body'], true);
        if ($body !== '' || in_array($method, ['POST', 'PUT', 'PATCH'], true) && !$this->has('no-empty-length')) {
            $request .= 'Content-Length: ' . strlen($body) . "\r\n";
        }
        $body = $this->has('text-bodies') ? rtrim($body, "\r\n") : $body;
        // Who begins anew with each piece gives it longer than a busy machine needs for one.
        $time = $this->has('timeout-per-read') ? max(self::PER_READ, $order['timeout'] ?? 60.0) : $order['timeout'] ?? 60.0;
        $until = $this->has('no-timeout') ? INF : microtime(true) + $time;
        for ($try = 0; ; $try++) {
            $reader = $this->connection($m[1]);
            $isFresh = $reader === null;
            $reader ??= new AnswerReader(@stream_socket_client("tcp://$m[1]", $code, $text, 5.0) ?: throw new Fault('connect'), $this->fault);
            $reader->until = $until;
            try {
                return $this->exchange($reader, $m[1], $method, "$request\r\n$body", $order['maxBody'] ?? 32 << 20);
            } catch (Fault $fault) {
                $mayAgain = (!$isFresh || $this->has('again-on-new')) && $try === 0 && $reader->in === '' && $fault->getMessage() !== 'late'
                    && (in_array($method, self::IDEMPOTENT, true) && !$this->has('never-again') || $this->has('again-anything'));
                if (!$mayAgain || $reader->hasAnswered && !$this->has('again-within-answer')) {
                    throw $fault;
                }
            }
        }
    }

    /** @param array<string, string> $headers */
    private function fields(array $headers): string
    {
        $lines = '';
        foreach ($headers as $name => $value) {
            if ((preg_match("~\\A[!#$%&'*+.^_`|\\~0-9A-Za-z-]+\\z~", (string) $name) !== 1 || preg_match('/[\x00-\x08\x0a-\x1f\x7f]/', $value) === 1) && !$this->has('any-field')) {
                throw new Fault('field');
            }
            if (!in_array(strtolower((string) $name), ['content-length', 'transfer-encoding'], true) || $this->has('framing-of-the-caller')) {
                $lines .= "$name: $value\r\n";
            }
        }

        return $lines;
    }

    private function connection(string $origin): ?AnswerReader
    {
        $reader = $this->kept[$origin] ?? null;
        unset($this->kept[$origin]);
        if ($reader === null || $this->has('reads-unasked')) {
            return $reader;
        }
        $read = [$reader->stream];
        $none = null;

        return stream_select($read, $none, $none, 0) === 0 ? $reader : null;
    }

    /** @return array{Answer, string} */
    private function exchange(AnswerReader $reader, string $origin, string $method, string $request, int $limit): array
    {
        $reader->hasAnswered = false;
        $rest = $this->send($reader, $request);
        try {
            $answer = $reader->head($method);
            $reader->hasAnswered = true;
            $body = '';
            if (!$this->has('no-limit') && $answer->left > $limit) {
                throw new Fault('too large');
            }
            while (($piece = $reader->piece($answer)) !== null) {
                $body .= $piece;
                if (strlen($body) > $limit - ($this->has('limit-off-by-one') ? 1 : 0) && !$this->has('no-limit')) {
                    throw new Fault('too large');
                }
                if ($this->has('timeout-per-read')) {
                    $reader->until = max($reader->until, microtime(true) + self::PER_READ);
                }
            }
        } catch (Fault $fault) {
            $reader->hasAnswered = $reader->hasAnswered || $reader->in !== '';
            if ($this->has('keeps-after-fault')) {
                $this->kept[] = $reader;
            } else {
                fclose($reader->stream);
            }
            throw $fault;
        }
        $isClean = ($rest === '' || $this->has('keeps-half-sent')) && ($reader->in === '' || $this->has('keeps-rubbish')) && !$reader->ended && !$answer->closes;
        if ($isClean && !$this->has('never-keeps')) {
            $this->kept[$origin] = $reader;
        } else {
            fclose($reader->stream);
        }
        if ($answer->status >= 300 && $answer->status < 400 && isset($answer->fields['location']) && $this->has('follows-redirects')
            || $answer->status >= 400 && $this->has('errors-throw') || $answer->status > 511 && $this->has('known-statuses')) {
            throw new Fault('status');
        }

        return [$answer, $body];
    }

    /** @return string what did not leave, because the answer came before */
    private function send(AnswerReader $reader, string $bytes): string
    {
        while ($bytes !== '') {
            $read = $this->has('writes-first') ? [] : [$reader->stream];
            $write = [$reader->stream];
            $none = null;
            if (stream_select($read, $write, $none, 20) === 0) {
                throw new Fault('late');
            }
            if ($read !== [] && !$this->has('reads-unasked')) {
                break;
            }
            $sent = @fwrite($reader->stream, substr($bytes, 0, 1 << 16));
            if ($sent === false) {
                break;
            }
            $bytes = (string) substr($bytes, $sent);
        }

        return $bytes;
    }
}

$client = new HttpClient($argv[1] ?? 'none');
stream_set_timeout(STDIN, -1); // it may be a socket, whose reads end after default_socket_timeout: who is asked nothing for a minute would be gone
while (($line = fgets(STDIN)) !== false) {
    try {
        [$answer, $body] = $client->ask(json_decode($line, true, 8, JSON_THROW_ON_ERROR));
        $told = ['status' => $answer->status, 'headers' => (object) array_map(base64_encode(...), $answer->fields), 'body' => base64_encode($body)];
    } catch (Fault $fault) {
        $told = ['error' => $fault->getMessage()];
    }
    echo json_encode($told, JSON_THROW_ON_ERROR), "\n";
}
