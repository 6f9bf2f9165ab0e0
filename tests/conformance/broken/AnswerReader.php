<?php

declare(strict_types=1);

namespace Tusk\Conformance\Broken;

ini_set('pcre.backtrack_limit', '100000000');

/** An answer that is none, or does not come. */
final class Fault extends \Exception {}

/** Our caller has said something meanwhile. */
final class Interrupted extends \Exception {}

final class Answer
{
    /** @var array<string, string> names in lower case, lines of one name joined */
    public array $fields = [];
    public bool $closes = false;
    /** @var int|null bytes of the body, or of this chunk, that are still to come; null: until the end */
    public ?int $left = 0;
    public bool $isChunked = false;
    public bool $isWhole = false;

    public function __construct(public readonly int $status, public readonly string $version) {}

    public function has(string $name, string $token): bool
    {
        return in_array($token, array_map(trim(...), explode(',', strtolower($this->fields[$name] ?? ''))), true);
    }
}

/** Reads answers off a connection (RFC 9112), strictly but for the fault. */
final class AnswerReader
{
    private const HEAD = 16384;
    private const FIELDS = 100;
    private const NAME = "[!#$%&'*+.^_`|\\~0-9A-Za-z-]+";
    private const INTERIM = 16;

    public string $in = '';
    public bool $ended = false;
    public float $until = INF;
    /** An answer has begun: its request may have been done. */
    public bool $hasAnswered = false;
    private int $excess = 0;

    /**
     * @param resource      $stream
     * @param resource|null $other  heard while we wait
     */
    public function __construct(public $stream, private readonly string $fault, private $other = null)
    {
        stream_set_blocking($stream, false);
        stream_set_read_buffer($stream, 0);
        stream_set_write_buffer($stream, 0);
        stream_set_chunk_size($stream, 1 << 18);
    }

    private function has(string ...$faults): bool
    {
        return in_array($this->fault, $faults, true);
    }

    /** Waits for more; false at the end. */
    public function fill(): bool
    {
        if ($this->ended) {
            return false;
        }
        $read = $this->other === null ? [$this->stream] : [$this->stream, $this->other];
        $none = null;
        $wait = min(3600.0, max(0.0, $this->until - microtime(true)));
        if (stream_select($read, $none, $none, (int) $wait, (int) (fmod($wait, 1.0) * 1e6)) === 0) {
            throw new Fault('late');
        }
        if ($this->other !== null && in_array($this->other, $read, true)) {
            throw new Interrupted();
        }
        $bytes = @fread($this->stream, 1 << 18);
        if (is_string($bytes) && $bytes !== '') {
            $this->in .= $bytes;

            return true;
        }
        $this->ended = feof($this->stream);
        // PHP tells a reset as an end, but a socket that was reset has no peer any more.
        if ($this->ended && stream_socket_get_name($this->stream, true) === false && !$this->has('reset-is-end')) {
            throw new Fault('reset');
        }

        return !$this->ended;
    }

    private function need(string $otherwise): void
    {
        if (!$this->fill()) {
            throw new Fault($otherwise);
        }
    }

    /** The head of the final answer. */
    public function head(string $method): Answer
    {
        $early = [];
        for ($count = 0; ; $count++) {
            $answer = $this->oneHead();
            if ($answer->status >= 200 || $this->has('interim-is-answer') || $count === 1 && $this->has('one-interim')) {
                break;
            }
            if ($answer->status === 101 && !$this->has('takes-101') || $count === self::INTERIM && !$this->has('no-interim-limit')) {
                throw new Fault('interim');
            }
            $early = $this->has('interim-fields-stay') ? $early + $answer->fields : [];
        }
        $answer->fields += $early;
        $this->frame($answer, $method);

        return $answer;
    }

    private function oneHead(): Answer
    {
        $lf = $this->has('bare-lf') ? '\r?\n' : '\r\n';
        while (preg_match("/\\A(?:[^\\n]*\\n)*?(?<=\\n)$lf|\\A$lf/", substr($this->in, 0, self::HEAD + 2), $m) !== 1) {
            if (strlen($this->in) > self::HEAD) {
                if (!$this->has('no-head-limit') || ($end = strpos($this->in, "\r\n\r\n")) === false) {
                    $this->has('no-head-limit') ? $this->need('head') : throw new Fault('head too large');

                    continue;
                }
                $m = [substr($this->in, 0, $end + 4)];
                break;
            }
            $this->early();
            $this->need('no head');
        }
        if ($this->has('body-without-head') && preg_match('~\AHTTP/1~', $m[0]) !== 1) {
            throw new Fault('no head');
        }
        $this->in = (string) substr($this->in, strlen($m[0]));
        $lines = preg_split("/$lf/", rtrim($m[0], "\r\n")) ?: [];
        $answer = $this->line((string) array_shift($lines));
        $this->fields($answer, $lines);

        return $answer;
    }

    /** What cannot become a head is none at once. */
    private function early(): void
    {
        $begin = substr($this->in, 0, 8);
        if ($begin !== '' && preg_match('~\AHTTP/\d\.\d~', $begin . substr('HTTP/1.1', strlen($begin))) !== 1) {
            throw new Fault('not HTTP');
        }
        if (preg_match('/[^\r]\n|\A\n|\r[^\n]|\0/', $this->in) === 1 && !$this->has('bare-lf', 'any-value', 'skips-bad-lines')) {
            throw new Fault('line end');
        }
    }

    private function line(string $line): Answer
    {
        $reason = $this->has('any-value') ? '.*' : '[\x20-\x7e\x80-\xff\t]*';
        $status = $this->has('any-status') ? '\d+' : '[1-9]\d\d';
        $version = $this->has('any-version') ? '\d\.\d' : ($this->has('only-1.1') ? '1\.[01]' : '1\.\d');
        if (preg_match("~\\AHTTP/($version) +($status)( $reason)?\\z~s", $line, $m) !== 1 || !$this->has('any-status') && str_contains(substr($line, 0, 10), '  ')) {
            throw new Fault('status line');
        }
        if ($this->has('needs-reason') && trim($m[3] ?? '') === '') {
            throw new Fault('no reason');
        }

        return new Answer((int) $m[2], $m[1] === '1.0' ? '1.0' : '1.1');
    }

    /** @param list<string> $lines */
    private function fields(Answer $answer, array $lines): void
    {
        $unfolded = [];
        foreach ($lines as $line) {
            if ($line !== '' && strpbrk($line[0], " \t") !== false && $unfolded !== [] && !$this->has('no-folds')) {
                $unfolded[array_key_last($unfolded)] .= $this->has('folds-without-space') ? ltrim($line) : ' ' . $line;
            } else {
                $unfolded[] = $line;
            }
        }
        if (count($unfolded) > self::FIELDS && !$this->has('no-head-limit')) {
            throw new Fault('too many fields');
        }
        $colon = $this->has('space-before-colon') ? '[ \t]*:' : ':';
        $value = $this->has('any-value') ? '.*?' : '[\x20-\x7e\x80-\xff\t]*?';
        foreach ($unfolded as $line) {
            if (preg_match('~\A(' . self::NAME . ")$colon([ \\t]*)($value)([ \\t]*)\\z~s", $line, $m) !== 1) {
                if ($this->has('skips-bad-lines')) {
                    continue;
                }
                throw new Fault('field line');
            }
            $name = $this->has('case-of-names') ? $m[1] : strtolower($m[1]);
            $text = $this->has('trims-nothing') ? "$m[2]$m[3]$m[4]" : $m[3];
            if (strtolower($name) === 'content-length' && isset($answer->fields[$name]) && !$this->has('first-length')) {
                if ($answer->fields[$name] !== $text) {
                    throw new Fault('two lengths');
                }
            } elseif (isset($answer->fields[$name]) && !$this->has('last-of-repeated')) {
                $answer->fields[$name] .= strtolower($name) === 'content-length' ? '' : ", $text";
            } else {
                $answer->fields[$name] = $text;
            }
        }
    }

    private function frame(Answer $answer, string $method): void
    {
        $fields = array_change_key_case($answer->fields);
        $coding = isset($fields['transfer-encoding']) ? trim($fields['transfer-encoding']) : null;
        $length = isset($fields['content-length']) ? trim($fields['content-length']) : null;
        $closed = $answer->has('connection', 'close') && (!$this->has('close-in-lower-case') || str_contains($fields['connection'] ?? '', 'close'));
        $answer->closes = $closed && !$this->has('keeps-when-told-to-close') || $answer->version === '1.0' && !$answer->has('connection', 'keep-alive') && !$this->has('keeps-1.0');
        if ($coding !== null && $length !== null && !$this->has('length-over-chunks', 'chunks-over-length')) {
            throw new Fault('two framings');
        }
        $isOdd = $coding !== null && strtolower($coding) !== 'chunked' && !$this->has('any-coding');
        if ($isOdd || $coding !== null && $answer->version === '1.0' && !$this->has('keeps-1.0-chunks')) {
            throw new Fault('coding');
        }
        if ($length !== null && (preg_match('/\A\d+\z/', $length) !== 1 || strlen(ltrim($length, '0')) > 18)) {
            if (!$this->has('loose-length')) {
                throw new Fault('length');
            }
        }
        $none = $method === 'HEAD' && !$this->has('body-of-head') || $answer->status === 204 && !$this->has('body-of-204')
            || $answer->status === 304 && !$this->has('body-of-304') || $answer->status < 200;
        if ($none) {
            $answer->isWhole = true;
        } elseif ($coding !== null && strtolower($coding) === 'chunked' && !($this->has('length-over-chunks') && $length !== null)) {
            $answer->isChunked = true;
        } elseif ($length !== null) {
            $answer->left = max(0, (int) $length);
            $answer->isWhole = $answer->left === 0;
        } else {
            $answer->left = null;
            $answer->closes = true;
        }
    }

    /** More of the body; null when it is whole. */
    public function piece(Answer $answer): ?string
    {
        if ($answer->isWhole) {
            return null;
        }
        if ($answer->isChunked && $answer->left === 0 && !$this->chunk($answer)) {
            return null;
        }
        while ($this->in === '') {
            if (!$this->fill()) {
                $isFine = $answer->left === null || !$answer->isChunked && $this->has('short-is-fine') || $answer->isChunked && $this->has('no-last-chunk-is-fine');
                $answer->isWhole = true;

                return $isFine ? null : throw new Fault('cut short');
            }
        }
        $piece = $answer->left === null ? $this->in : substr($this->in, 0, $answer->left);
        $this->in = (string) substr($this->in, strlen($piece));
        if ($answer->left !== null) {
            $answer->left -= strlen($piece);
            $answer->isWhole = !$answer->isChunked && $answer->left === 0;
            if ($answer->isChunked && $answer->left === 0 && $this->chunkLine(0, 'chunk end') !== '' && !$this->has('no-crlf-after-chunk')) {
                throw new Fault('chunk end');
            }
        }

        return $piece;
    }

    /** The next line of framing, without its end. */
    private function chunkLine(int $limit, string $what): string
    {
        while (($end = strpos($this->in, "\n")) === false) {
            if (strlen($this->in) > $limit + 2 && !$this->has('long-framing')) {
                throw new Fault($what);
            }
            if (preg_match('/\r[^\n]/', $this->in) === 1) {
                throw new Fault($what);
            }
            if (!$this->fill()) {
                return $this->has('no-last-chunk-is-fine') ? ($what === 'chunk size' ? '0' : '') : throw new Fault($what);
            }
        }
        $isLf = $end === 0 || $this->in[$end - 1] !== "\r";
        $line = substr($this->in, 0, $isLf ? $end : $end - 1);
        if ($limit === 0 && $this->has('no-crlf-after-chunk') && $line !== '') {
            return $line;
        }
        if ($isLf && !$this->has('bare-lf-in-chunks') || strlen($line) > $limit && !$this->has('long-framing')) {
            throw new Fault($what);
        }
        $this->in = (string) substr($this->in, $end + 1);

        return $line;
    }

    /** @return bool false after the last one */
    private function chunk(Answer $answer): bool
    {
        $line = $this->chunkLine(256, 'chunk size');
        $extension = "[ \\t]*;[ \\t]*" . self::NAME . "(?:[ \\t]*=[ \\t]*(?:" . self::NAME . '|"(?:[^"\\\\\x00-\x08\x0a-\x1f]|\\\\[\x20-\x7e])*"))?';
        $extensions = $this->has('any-extension') ? '.*' : ($this->has('no-extensions') ? '' : "(?:$extension)*");
        $size = $this->has('loose-chunk-size') ? '[ +]?(?:0x)?[0-9a-fA-F]*' : ($this->has('lower-hex') ? '[0-9a-f]+' : '[0-9a-fA-F]+');
        if (preg_match("~\\A($size)$extensions\\z~s", $line, $m) !== 1) {
            throw new Fault('chunk size');
        }
        $digits = ltrim(trim($m[1], ' +'), '0x');
        if (strlen($digits) > 15 && !$this->has('chunk-size-overflow')) {
            throw new Fault('chunk size');
        }
        $answer->left = $this->has('decimal-chunk-size') ? (int) $digits : (int) hexdec(substr($digits, -15));
        $this->excess = max(0, $this->excess + strlen($line) - 16 - $answer->left);
        if ($this->excess > 16384 && !$this->has('long-framing')) {
            throw new Fault('framing');
        }
        if ($answer->left > 0) {
            return true;
        }
        $answer->isWhole = true;
        for ($length = 0; ($line = $this->has('no-trailers') ? '' : $this->chunkLine(4096, 'trailer')) !== ''; $length += strlen($line)) {
            if ($length > 4096 && !$this->has('long-framing')) {
                throw new Fault('trailers');
            }
            if (preg_match('~\A(' . self::NAME . '):([\x20-\x7e\x80-\xff\t]*)\z~', $line, $m) !== 1 && !$this->has('any-trailer')) {
                throw new Fault('trailer');
            }
            if ($this->has('trailers-are-fields') && $m !== []) {
                $answer->fields[strtolower($m[1])] = trim($m[2]);
            }
        }
        if ($this->has('no-trailers')) {
            $this->in = (string) preg_replace('/\A\r\n/', '', $this->in);
        }

        return false;
    }
}
