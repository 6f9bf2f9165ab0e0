<?php

declare(strict_types=1);

namespace Tusk\Conformance\Broken;

final readonly class Page
{
    /**
     * @param array<string, string> $fields
     * @param list<string>          $chunks of a stream, in place of a body
     */
    public function __construct(
        public int $status,
        public string $body = '',
        public array $fields = [],
        public bool $isStream = false,
        public array $chunks = [],
        public bool $isLate = false,
    ) {}
}

/** What is served: RFC 9110 but for the fault. */
final class HttpPages
{
    public function __construct(private readonly string $folder, private readonly string $fault) {}

    private function has(string $fault): bool
    {
        return $this->fault === $fault;
    }

    public function page(Request $r): Page
    {
        $target = preg_replace('~\Ahttps?://[^/]*~', '', $r->target) ?: '/';
        if ($target === '*') {
            return new Page($r->method === 'OPTIONS' ? 204 : 400);
        }
        if ($target[0] !== '/') {
            return new Page($r->method === 'CONNECT' ? 405 : 400);
        }
        if (!in_array($r->method, ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'], true)) {
            return new Page(501);
        }
        $expected = array_diff(HttpReader::elements($r->fields['expect'] ?? ''), ['100-continue']);
        $isOne = strtolower($r->fields['expect'] ?? '100-continue') === '100-continue';
        if (($expected !== [] || !$isOne && $this->has('expects-one')) && $r->version === '1.1') {
            return new Page(417);
        }
        [$path, $query] = explode('?', $target, 2) + [1 => ''];
        $page = $this->decoded($path, $r, $query);

        return $page->status === 405 && !$this->has('no-allow') ? new Page(405, '', $page->fields + ['Allow' => 'GET, HEAD, POST']) : $page;
    }

    private function decoded(string $path, Request $r, string $query): Page
    {
        if (preg_match('/%(?![0-9a-fA-F]{2})/', $path) === 1) {
            return new Page(400);
        }
        $raw = $path;
        $path = $this->has('does-not-decode') ? $path : rawurldecode($path);
        if (str_contains($path, "\0")) {
            if (!$this->has('nul-ends-path')) {
                return new Page(400);
            }
            $path = strstr($path, "\0", true) ?: '/';
        }
        if (str_starts_with($path, '/static/')) {
            return $this->file($path, $r);
        }

        return $this->handler($path, $raw, $r, $query);
    }

    private function handler(string $path, string $raw, Request $r, string $query): Page
    {
        $reads = $r->method === 'GET' || $r->method === 'HEAD';
        parse_str($query, $pairs);
        $pairs = array_map(strval(...), $pairs);
        if ($path === '/echo') {
            $body = $this->has('loses-a-byte') ? (string) substr($r->body, 0, -1) : $r->body;

            return in_array($r->method, ['POST', 'PUT', 'PATCH', 'DELETE'], true) ? new Page(200, $body, ['X-Method' => $r->method]) : new Page(405);
        }
        if ($this->folder === '' && $path === '/file' && $r->method === 'POST') {
            $asks = isset($r->fields['if-match']) || isset($r->fields['if-none-match']) || isset($r->fields['if-unmodified-since']);

            return new Page($this->has('done-and-412') && $asks ? 412 : 200, 'file');
        }
        if ($this->folder === '' && $path === '/both' && !$reads) {
            $taken = $r->method === 'POST' && !(isset($r->fields['upgrade']) && $this->has('post-is-handshake'));

            return $taken ? new Page(200, "posted $r->body") : new Page(405, '', ['Allow' => $this->has('allow-of-handshakes') ? 'GET, HEAD' : 'GET, HEAD, POST, OPTIONS']);
        }
        $page = match (true) {
            $this->folder === '' && $path === '/upgrade' => new Page(426, 'speak another', ['Upgrade' => 'other/1'] + ($this->has('unnamed-upgrade') ? [] : ['Connection' => 'upgrade'])),
            $this->folder === '' && $path === '/both' => $this->upgrades($r) ? new Page(101, '', ['Upgrade' => 'websocket', 'Connection' => 'Upgrade']) : new Page(200, 'page'),
            $this->folder === '' && $path === '/asked' => new Page(401, '', $this->has('no-challenge') ? [] : ['WWW-Authenticate' => 'Application']),
            $path === '/' => new Page(200, $this->folder === '' ? 'app' : 'Hello, World!', ['Content-Type' => 'text/plain; charset=utf-8']),
            $this->folder !== '' => null,
            preg_match('~\A/streamed/(\d+)\z~', $path, $m) === 1 => new Page((int) $m[1], 'body', [], true, $m[1] !== '205' || $this->has('content-of-205') ? ['bo', 'dy'] : []),
            $path === '/stream' => new Page(200, 'one two three', ['Content-Type' => 'text/plain'], true, ['one ', 'two ', 'three']),
            $path === '/late' => new Page(200, 'late', isLate: true),
            $path === '/field' => $this->field(200, 'X-Value', $pairs['value'] ?? ''),
            $path === '/redirect' => $this->field(303, 'Location', $pairs['to'] ?? ''),
            $path === '/seen' => new Page(200, (string) json_encode(['target' => $r->target, 'path' => $path, 'headers' => $r->fields, 'query' => $pairs])),
            preg_match('~\A/status/(\d+)\z~', $path, $m) === 1 => $m[1] > 199 && $m[1] < 600 || $this->has('any-status') ? new Page((int) $m[1], $m[1] !== '205' || $this->has('content-of-205') ? 'body' : '') : new Page(500),
            default => null,
        };
        if ($page === null) {
            return new Page(404);
        }

        return $reads || $this->has('any-method') ? $page : new Page($r->method === 'OPTIONS' ? 204 : 405);
    }

    private function upgrades(Request $r): bool
    {
        return isset($r->fields['upgrade']) && ($r->method === 'GET' || $this->has('head-is-handshake')) && ($r->version === '1.1' || $this->has('upgrades-http-1.0'));
    }

    private function field(int $status, string $name, string $value): Page
    {
        if (preg_match('/[\x00-\x08\x0a-\x1f\x7f]/', $value) === 1 && !$this->has('splits')) {
            return new Page(500);
        }

        return new Page($status, 'field', [$name => $value]);
    }

    private function file(string $path, Request $r): Page
    {
        $name = substr($path, strlen('/static/'));
        if ($this->has('dots-lead-out')) {
            $real = "$this->folder/" . str_replace('\\', '/', $name);
        } else {
            if (preg_match('~(?:\A|/)\.\.(?:/|\z)~', $name) === 1 || str_contains($name, '\\')) {
                return new Page(403);
            }
            if (preg_match('~(?:\A|/)\.~', $name) === 1 && !$this->has('shows-hidden')) {
                return new Page(404);
            }
            $real = "$this->folder/" . ($this->has('decodes-twice') ? rawurldecode($name) : $name);
        }
        if (!is_file($real) || str_contains($name, '//') || str_starts_with($name, '/')) {
            return new Page(404);
        }
        if ($r->method !== 'GET' && $r->method !== 'HEAD' && !$this->has('any-method')) {
            return new Page(405);
        }

        $accepted = array_map(static fn (string $item): string => trim(explode(';', $item)[0]), explode(',', strtolower($r->fields['accept-encoding'] ?? '')));
        $isPacked = is_file("$real.gz") && (in_array('gzip', $accepted, true) || in_array('x-gzip', $accepted, true) && !$this->has('no-x-gzip'));
        $served = $isPacked ? "$real.gz" : $real;

        return $this->conditional((string) file_get_contents($served), (int) filemtime($served), $real, $r, $isPacked ? ['Content-Encoding' => 'gzip'] : []);
    }

    /** In any of the three forms of RFC 9110, 5.6.7, but for the one of asctime(). */
    private function date(string $text): \DateTimeImmutable|false
    {
        $utc = new \DateTimeZone('UTC');
        if (preg_match('~\A[A-Z][a-z]+day, (\d\d-[A-Z][a-z]{2}-)(\d\d)( \d\d:\d\d:\d\d GMT)\z~', $text, $m) !== 1) {
            return \DateTimeImmutable::createFromFormat('D, d M Y H:i:s \G\M\T', $text, $utc);
        }
        $year = (int) $m[2] + ($this->has('years-of-1900') ? 1900 : 2000);
        $year -= $year > (int) gmdate('Y') + 50 && !$this->has('years-of-2000') ? 100 : 0;

        return \DateTimeImmutable::createFromFormat('d-M-Y H:i:s \G\M\T', "$m[1]$year$m[3]", $utc);
    }

    /** @param array<string, string> $coding */
    private function conditional(string $body, int $time, string $name, Request $r, array $coding = []): Page
    {
        $tag = '"' . ($this->has('tag-of-neighbour') ? $time . '-' . strlen($body) : md5($body)) . '"';
        $date = gmdate('D, d M Y H:i:s', $this->has('modified-ahead') ? $time : min($time, time())) . ' GMT';
        $types = ['html' => 'text/html; charset=utf-8', 'css' => 'text/css; charset=utf-8', 'txt' => 'text/plain; charset=utf-8'];
        $type = $this->has('one-type') ? 'application/octet-stream' : $types[pathinfo($name, PATHINFO_EXTENSION)] ?? 'application/octet-stream';
        $fields = ['Content-Type' => $type, 'ETag' => $tag, 'Last-Modified' => $date, 'Accept-Ranges' => 'bytes'] + $coding;
        if ($this->has('no-etag')) {
            unset($fields['ETag']);
        }
        $given = static fn (string $field): ?string => $r->fields[$field] ?? null;
        $anyCase = $this->has('weak-in-any-case');
        $names = static function (string $list, bool $weakly) use ($tag, $anyCase): bool {
            preg_match_all('~(?:"[^"]*"|[^,\s])+~', $anyCase ? str_replace('w/', 'W/', $list) : $list, $m);
            $tags = $m[0];

            return in_array('*', $tags, true) || in_array($tag, $weakly ? preg_replace('~\AW/~', '', $tags) : $tags, true);
        };
        if ($given('if-match') !== null && !$names($given('if-match'), false) && !$this->has('no-if-match')) {
            return new Page(412, '', $fields);
        }
        if ($given('if-match') === null && $given('if-unmodified-since') !== null && ($since = $this->date($given('if-unmodified-since'))) !== false && $time > $since->getTimestamp() && !$this->has('no-if-unmodified-since')) {
            return new Page(412, '', $fields);
        }
        if ($given('if-none-match') !== null && !$this->has('never-304')) {
            $listed = $this->has('first-if-none-match') ? explode(',', $given('if-none-match'))[0] : $given('if-none-match');
            if ($names($listed, !$this->has('strong-if-none-match'))) {
                return new Page(304, $body, $this->has('304-without-etag') ? [] : $fields);
            }
        } elseif (($given('if-none-match') === null || $this->has('never-304')) && $given('if-modified-since') !== null) {
            $since = $this->date($given('if-modified-since'));
            if (($since !== false && $time <= $since->getTimestamp() && !$this->has('no-if-modified-since')) || ($since === false && $this->has('any-date'))) {
                return new Page(304, $body, $fields);
            }
        }

        return $this->ranged($body, $fields, $tag, $time, $r);
    }

    /** @param array<string, string> $fields */
    private function ranged(string $body, array $fields, string $tag, int $time, Request $r): Page
    {
        $range = $r->fields['range'] ?? '';
        $whole = new Page(200, $body, $fields);
        if ($this->has('many-ranges') && str_contains($range, ',')) {
            return new Page(206, str_repeat($body, substr_count($range, ',') + 1), $fields);
        }
        $unit = $this->has('any-range-unit') ? '\w+' : 'bytes';
        $empty = $this->has('no-empty-ranges') ? '' : '(?:[ \t]*,[ \t]*)*';
        if (preg_match("/\\A$unit=$empty(\\d*)-(\\d*)$empty\\z/", $range, $m) !== 1 || $m[1] . $m[2] === '' || $this->has('no-ranges')) {
            return $whole;
        }
        $ofThisDate = ($r->fields['if-range'] ?? '') === gmdate('D, d M Y H:i:s', $time) . ' GMT' && ($time < time() || $this->has('weak-date-ranges'));
        if (isset($r->fields['if-range']) && !in_array($r->fields['if-range'], $this->has('weak-tag-ranges') ? [$tag, "W/$tag"] : [$tag], true) && !$ofThisDate && !$this->has('no-if-range')) {
            return $whole;
        }
        $size = strlen($body);
        if (strlen($m[1]) > 18 || strlen($m[2]) > 18) {
            return $whole;
        }
        [$from, $to] = $m[1] === '' ? [max(0, $size - (int) $m[2]), $size - 1] : [(int) $m[1], $m[2] === '' ? $size - 1 : (int) $m[2]];
        if ($m[1] === '' && $this->has('suffix-from-start')) {
            [$from, $to] = [0, (int) $m[2]];
        }
        if ($m[1] !== '' && $m[2] !== '' && (int) $m[1] > (int) $m[2]) {
            return $whole;
        }
        if ($from >= $size || $from > $to || ($m[1] === '' && (int) $m[2] === 0)) {
            return $this->has('no-416') ? $whole : new Page(416, '', ['Content-Range' => "bytes */$size"]);
        }
        $to = min($to, $size - 1);
        $length = $to - $from + ($this->has('range-off-by-one') ? 0 : 1);

        return new Page(206, (string) substr($body, $from, $length), $fields + ($this->has('no-content-range') ? [] : ['Content-Range' => "bytes $from-$to/$size"]));
    }
}
