<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** A request as the chat reads it, whatever server brought it. */
final readonly class Input
{
    public const BODY_MAX = 65536;

    /** Fields of a form. */
    private const FIELDS_MAX = 100;

    /**
     * @param array<array-key, mixed> $headers lower-case names
     * @param array<array-key, mixed> $query
     * @param array<array-key, mixed> $params  of the route
     */
    public function __construct(
        public string $method,
        public string $path,
        public array $headers = [],
        public array $query = [],
        public array $params = [],
        public string $body = '',
        public ?string $cookie = null,
        public string $address = '',
        public bool $secure = false,
    ) {}

    /** @param bool $isBehindProxy whether a proxy that is trusted says how the client came */
    public static function from(\Tusk\Http\Request $request, bool $isBehindProxy = false): self
    {
        return new self(
            $request->method,
            $request->path,
            $request->headers,
            $request->queryAll(),
            $request->params,
            $request->body,
            $request->cookie(Tokens::COOKIE),
            $request->remoteAddress,
            // Whoever forges this header harms his own cookie only.
            $request->secure || ($isBehindProxy && strtolower($request->header('x-forwarded-proto') ?? '') === 'https'),
        );
    }

    public function header(string $name): ?string
    {
        $value = $this->headers[$name] ?? null;
        return is_string($value) ? $value : null;
    }

    public function query(string $name): ?string
    {
        $value = $this->query[$name] ?? null;
        return is_string($value) ? $value : null;
    }

    public function param(string $name): string
    {
        $value = $this->params[$name] ?? '';
        return is_string($value) ? $value : '';
    }

    public function bearer(): ?string
    {
        return preg_match('/^Bearer +(\S+) *$/Di', $this->header('authorization') ?? '', $m) === 1 ? $m[1] : null;
    }

    /**
     * The fields of the body, from a form or from a JSON object.
     *
     * @return array<array-key, mixed>
     *
     * @throws Refused
     */
    public function fields(): array
    {
        if (strlen($this->body) > self::BODY_MAX) {
            throw new Refused(413, 'too-large', 'A request has at most ' . self::BODY_MAX . ' bytes.');
        }
        $type = strtolower(trim(explode(';', $this->header('content-type') ?? '')[0]));
        if ($type === 'application/json') {
            return self::object($this->body);
        }
        if ($type !== 'application/x-www-form-urlencoded' && trim($this->body) !== '') {
            throw new Refused(415, 'unknown-type', 'A body is application/x-www-form-urlencoded or application/json.');
        }
        if (substr_count($this->body, '&') >= self::FIELDS_MAX) {
            throw Refused::malformed('A form has at most ' . self::FIELDS_MAX . ' fields.');
        }
        $fields = [];
        foreach (explode('&', $this->body) as $pair) {
            [$name, $value] = array_map(urldecode(...), explode('=', $pair, 2) + ['', '']);
            // Nothing here is a list: who sends one is told so where the field is read.
            $list = strpos($name, '[');
            $fields[$list === false ? $name : substr($name, 0, $list)] = $list === false ? $value : [];
        }
        return $fields;
    }

    /** Whom a limit per address counts: the address, of IPv6 the network that one subscriber has. */
    public function network(): string
    {
        $bytes = @inet_pton($this->address);
        if ($bytes === false) {
            return $this->address;
        }
        if (str_starts_with($bytes, "\0\0\0\0\0\0\0\0\0\0\xFF\xFF")) {
            $bytes = substr($bytes, 12);
        }
        return strlen($bytes) === 4 ? (string) inet_ntop($bytes) : bin2hex(substr($bytes, 0, 8)) . '/64';
    }

    /**
     * Whether this client can read an event stream: it says so, or says that it takes anything. A browser that goes to a page takes
     * anything, too, but names what it would like to have.
     */
    public function takesEvents(): bool
    {
        $types = [];
        foreach (explode(',', strtolower(trim($this->header('accept') ?? '') ?: '*/*')) as $part) {
            [$type, $parameters] = explode(';', $part, 2) + ['', ''];
            $types[trim($type)] = preg_match('/(?:^|;)\s*q=0(?:\.0{0,3})?\s*(?:;|$)/D', $parameters) !== 1;
        }
        return $types['text/event-stream'] ?? (!isset($types['text/html']) && ($types['text/*'] ?? $types['*/*'] ?? false));
    }

    /**
     * @return array<array-key, mixed>
     *
     * @throws Refused
     */
    public static function object(string $json): array
    {
        try {
            $value = json_decode($json, false, 8, JSON_THROW_ON_ERROR);
        } catch (\JsonException $e) {
            throw Refused::malformed("This is not JSON: {$e->getMessage()}.");
        }
        if (!$value instanceof \stdClass) {
            throw Refused::malformed('A JSON object is expected.');
        }
        return get_object_vars($value);
    }
}
