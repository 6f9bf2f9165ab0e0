<?php

declare(strict_types=1);

namespace Tusk\Conformance\Broken;

/** A request that is not served; the code is the status. */
final class Refusal extends \Exception
{
    public function __construct(int $status)
    {
        parent::__construct('', $status);
    }
}

final readonly class Request
{
    /** @param array<string, string> $fields names in lower case, lines of one name joined */
    public function __construct(
        public string $method,
        public string $target,
        public string $version,
        public array $fields,
        public string $body,
        public bool $closes,
        public int $size,
    ) {}
}

/** Reads one request off the front of what came (RFC 9112), strictly but for the fault. */
final readonly class HttpReader
{
    private const HEAD = 16384;
    private const FIELDS = 100;
    private const LINE = 8192;
    private const BODY = 4 << 20;
    private const NAME = "[!#$%&'*+.^_`|\\~0-9A-Za-z-]+";

    public function __construct(private string $fault) {}

    private function has(string ...$faults): bool
    {
        return in_array($this->fault, $faults, true);
    }

    /** @param \Closure(string): void $askForBody called with the version when the head is whole, wants to be asked, and the body is not there */
    public function read(string $in, \Closure $askForBody): ?Request
    {
        $skip = str_starts_with($in, "\r\n") && !$this->has('no-empty-line') ? 2 : 0;
        $text = $skip > 0 ? (string) substr($in, $skip) : $in;
        [$head, $size] = $this->head($text);
        if ($head === null) {
            return null;
        }
        [$method, $target, $version] = $this->line((string) array_shift($head));
        $fields = $this->fields($head);
        $this->host($fields, $version);
        $body = $this->body($fields, $version, $method, $text, $size);
        $joined = [];
        foreach ($fields as [$name, $value]) {
            $joined[$name] = match (true) {
                !isset($joined[$name]) => $value,
                $this->has('last-of-repeated') => $value,
                $this->has('first-of-repeated') => $joined[$name],
                default => $joined[$name] . ($name === 'cookie' ? '; ' : ', ') . $value,
            };
        }
        if ($body === null) {
            if (in_array('100-continue', self::elements($joined['expect'] ?? ''), true)) {
                $askForBody($version);
            }

            return null;
        }
        [$content, $end, $trailers] = $body;
        if ($this->has('trailers-are-headers')) {
            $joined += $trailers;
        }
        $tokens = array_map(trim(...), explode(',', $this->has('close-in-lower-case') ? $joined['connection'] ?? '' : strtolower($joined['connection'] ?? '')));

        return new Request($method, $target, $version, $joined, $content, in_array('close', $tokens, true), $skip + $end);
    }

    /** @return array{?list<string>, int} lines of the head, bytes with its end */
    private function head(string $text): array
    {
        $eol = match (true) {
            $this->has('bare-lf') => '/\r?\n/',
            $this->has('bare-cr') => '/\r\n|\r(?!\n|\z)/',
            default => '/\r\n/',
        };
        $end = match (true) {
            $this->has('bare-lf') => '/\r?\n\r?\n/',
            $this->has('bare-cr') => '/(?:\r\n|\r(?!\n|\z)){2}/',
            default => '/\r\n\r\n/',
        };
        $isWhole = preg_match($end, $text, $match, PREG_OFFSET_CAPTURE) === 1;
        $size = $isWhole ? $match[0][1] + strlen($match[0][0]) : strlen($text);
        $line = strcspn($text, "\r\n");
        if ($line > self::LINE && !$this->has('long-line')) {
            throw new Refusal(414);
        }
        $free = $this->has('long-line') ? $line : 0;
        if ($size - $free > self::HEAD && !$this->has('long-head')) {
            throw new Refusal($isWhole || $line < strlen($text) ? 431 : 414);
        }
        if (!$isWhole) {
            return [null, 0];
        }

        return [preg_split($eol, (string) substr($text, 0, $match[0][1])) ?: [], $size];
    }

    /** @return array{string, string, string} method, target, version */
    private function line(string $line): array
    {
        if ($this->has('any-request-line')) {
            $parts = preg_split('/[ \t]+/', trim($line)) ?: [];

            return [$parts[0], $parts[1] ?? '/', str_ends_with((string) end($parts), '1.0') ? '1.0' : '1.1'];
        }
        $method = $this->has('any-method-name') ? '[^ ]*' : self::NAME;
        $target = $this->has('any-target') ? '[^ ]+' : '[\x21-\x7e]+';
        if (preg_match("~\\A($method) ($target) HTTP/(\\d)\\.(\\d)\\z~", $line, $m) !== 1) {
            throw new Refusal(400);
        }
        if ($m[3] !== '1' && !$this->has('any-version')) {
            throw new Refusal(505);
        }

        return [$m[1], $m[2], $m[4] === '0' ? '1.0' : '1.1'];
    }

    /**
     * @param list<string> $lines
     *
     * @return list<array{string, string}>
     */
    private function fields(array $lines): array
    {
        if (count($lines) > self::FIELDS && !$this->has('many-fields')) {
            throw new Refusal(431);
        }
        $name = $this->has('any-name') ? '[^:]*' : self::NAME;
        $gap = $this->has('space-before-colon') ? '[ \t]*' : '';
        $value = $this->has('any-value') ? '.*?' : '[\t\x20-\x7e\x80-\xff]*?';
        $fields = [];
        foreach ($lines as $line) {
            if ($line !== '' && ($line[0] === ' ' || $line[0] === "\t") && $fields !== [] && $this->has('folds')) {
                $fields[count($fields) - 1][1] = ltrim($fields[count($fields) - 1][1] . ' ' . trim($line));
            } elseif (preg_match("~\\A($name)$gap:[ \\t]*($value)[ \\t]*\\z~s", $line, $m) === 1) {
                $fields[] = [strtolower($m[1]), $m[2]];
            } elseif (!$this->has('skips-bad-lines')) {
                throw new Refusal(400);
            }
        }

        return $fields;
    }

    /** @param list<array{string, string}> $fields */
    private function host(array $fields, string $version): void
    {
        $hosts = array_values(array_filter($fields, static fn (array $f): bool => $f[0] === 'host'));
        if ($hosts === [] && $version === '1.1' && !$this->has('no-host')) {
            throw new Refusal(400);
        }
        if (count($hosts) > 1 && !$this->has('two-hosts')) {
            throw new Refusal(400);
        }
        if ($hosts !== [] && preg_match('/\A[A-Za-z0-9._\[\]:~%!$&\'()*+,;=-]*\z/', $hosts[0][1]) !== 1 && !$this->has('any-host')) {
            throw new Refusal(400);
        }
    }

    /**
     * @param list<array{string, string}> $fields
     *
     * @return ?array{string, int, array<string, string>} body, where it ends, trailers; null: not there yet
     */
    private function body(array $fields, string $version, string $method, string $text, int $start): ?array
    {
        $lengths = array_column(array_filter($fields, static fn (array $f): bool => $f[0] === 'content-length'), 1);
        $codings = array_column(array_filter($fields, static fn (array $f): bool => $f[0] === 'transfer-encoding'), 1);
        if ($codings !== [] && $lengths !== [] && !$this->has('length-and-coding')) {
            throw new Refusal(400);
        }
        if ($codings !== [] && $this->isChunked($codings, $version)) {
            return $this->has('body-is-next-request') ? ['', $start, []] : (new HttpChunks($this->fault, self::BODY))->read($text, $start);
        }
        $length = $lengths === [] ? 0 : $this->length($lengths);
        if ($length > self::BODY) {
            throw new Refusal(413);
        }
        if ($this->has('body-is-next-request') || ($this->has('no-body-of-get') && $method === 'GET')) {
            return ['', $start, []];
        }
        if (strlen($text) < $start + $length) {
            return null;
        }

        return [(string) substr($text, $start, $length), $start + $length, []];
    }

    /** @param list<string> $codings */
    private function isChunked(array $codings, string $version): bool
    {
        if ($version === '1.0' && !$this->has('coding-of-1.0')) {
            throw new Refusal(400);
        }
        if (count($codings) > 1 && !$this->has('coding-twice')) {
            throw new Refusal(400);
        }
        $coding = strtolower($codings[0]);
        if ($coding === 'chunked' || ($this->has('chunked-anywhere') && str_contains($coding, 'chunked'))) {
            return true;
        }
        if ($this->has('unknown-coding-is-none')) {
            return false;
        }
        throw new Refusal(501);
    }

    /** @param list<string> $lengths */
    private function length(array $lengths): int
    {
        if (count($lengths) > 1 && !$this->has('first-length') && !(count(array_unique($lengths)) === 1 && $this->has('same-length-twice'))) {
            throw new Refusal(400);
        }
        $length = $lengths[0];
        if ($this->has('length-list') && preg_match('/\A(\d+)(?:[ \t]*,[ \t]*\d+)+\z/', $length, $m) === 1) {
            return (int) $m[1];
        }
        if ($this->has('loose-length') && preg_match('/\A[ \t]*\+?(\d+)/', $length, $m) === 1 && strlen($m[1]) < 10) {
            return (int) $m[1];
        }
        if ($this->has('negative-length') && preg_match('/\A-\d+\z/', $length) === 1) {
            return 0;
        }
        if ($this->has('empty-length') && $length === '') {
            return 0;
        }
        if (preg_match('/\A\d+\z/', $length) !== 1) {
            throw new Refusal(400);
        }
        if (strlen(ltrim($length, '0')) > 18) {
            if ($this->has('length-overflow')) {
                return array_reduce(str_split($length), static fn (int $sum, string $digit): int => ($sum * 10 + (int) $digit) & 0xffffffff, 0);
            }
            throw new Refusal(413);
        }

        return (int) $length;
    }

    /** @return list<string> of a list, in lower case, without the empty ones */
    public static function elements(string $list): array
    {
        return array_values(array_filter(array_map(trim(...), explode(',', strtolower($list))), static fn (string $element): bool => $element !== ''));
    }
}

/** A body in chunks (RFC 9112, section 7.1). */
final readonly class HttpChunks
{
    private const EXTENSION = 256;
    private const TRAILERS = 4096;

    public function __construct(private string $fault, private int $limit) {}

    private function has(string $fault): bool
    {
        return $this->fault === $fault;
    }

    /** @return ?array{string, int, array<string, string>} */
    public function read(string $text, int $at): ?array
    {
        $start = $at;
        $body = '';
        while (true) {
            $eol = $this->has('bare-lf-after-size') ? strpos($text, "\n", $at) : strpos($text, "\r\n", $at);
            $line = rtrim((string) substr($text, $at, ($eol === false ? strlen($text) : $eol) - $at), $this->has('bare-lf-after-size') ? "\r" : '');
            if (strlen($line) > self::EXTENSION && !$this->has('long-extensions')) {
                throw new Refusal(400);
            }
            if ($eol === false) {
                return null;
            }
            $size = $this->size($line);
            $at = $eol + ($this->has('bare-lf-after-size') ? 1 : 2);
            if ($size === 0) {
                break;
            }
            if (strlen($body) + $size > $this->limit && !$this->has('chunks-without-limit')) {
                throw new Refusal(413);
            }
            if (strlen($text) < $at + $size + 2) {
                return null;
            }
            $body .= substr($text, $at, $size);
            $at += $size;
            if (substr($text, $at, 2) !== "\r\n" && !$this->has('no-crlf-after-chunk')) {
                throw new Refusal(400);
            }
            $at += 2;
        }
        $end = $this->trailers($text, $at, $trailers);

        return $end === null ? null : [$this->has('raw-chunks') ? (string) substr($text, $start, $end - $start) : $body, $end, $trailers];
    }

    private function size(string $line): int
    {
        $extension = $this->has('any-extension') ? '(?:;.*)?' : '(?:[ \t]*;[ \t]*[!#$%&\'*+.^_`|\~0-9A-Za-z-]+(?:=(?:[!#$%&\'*+.^_`|\~0-9A-Za-z-]+|"(?:[^"\\\\\x00-\x08\x0a-\x1f\x7f]|\\\\.)*"))?)*';
        $size = $this->has('loose-chunk-size') ? '[ \t]*\+?(?:0x)?([0-9a-fA-F]*)[^;]*?' : '([0-9a-fA-F]+)';
        if (preg_match("~\\A$size$extension\\z~s", $line, $m) !== 1) {
            throw new Refusal(400);
        }
        $digits = ltrim($m[1], '0');
        if (strlen($digits) > 15) {
            if ($this->has('chunk-size-overflow')) {
                return (int) hexdec(substr($digits, -15));
            }
            throw new Refusal(400);
        }

        return (int) hexdec($digits === '' ? '0' : $digits);
    }

    /** @param-out array<string, string> $trailers */
    private function trailers(string $text, int $at, ?array &$trailers): ?int
    {
        $trailers = [];
        $first = $at;
        while (true) {
            $eol = strpos($text, "\r\n", $at);
            if (($eol === false ? strlen($text) : $eol) - $first > self::TRAILERS && !$this->has('long-trailers')) {
                throw new Refusal(431);
            }
            if ($eol === false) {
                return null;
            }
            $line = (string) substr($text, $at, $eol - $at);
            $at = $eol + 2;
            if ($line === '') {
                return $at;
            }
            if (preg_match("~\\A([!#$%&'*+.^_`|\\~0-9A-Za-z-]+):[ \\t]*([\\t\\x20-\\x7e\\x80-\\xff]*?)[ \\t]*\\z~", $line, $m) === 1) {
                $trailers[strtolower($m[1])] = $m[2];
            } elseif (!$this->has('any-trailer')) {
                throw new Refusal(400);
            }
        }
    }
}
