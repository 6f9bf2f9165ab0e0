<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** What is answered to a request. */
final readonly class Answer
{
    private const ALWAYS = [
        'X-Content-Type-Options' => 'nosniff',
        'Referrer-Policy' => 'same-origin',
        'Cache-Control' => 'no-store',
    ];

    /** Beside what the server says of every file. */
    public const OF_THE_PAGE = [
        'Content-Security-Policy' => "default-src 'self'; script-src 'self'; style-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self';"
            . " frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        'Cross-Origin-Opener-Policy' => 'same-origin',
        'Permissions-Policy' => 'camera=(), microphone=(), geolocation=()',
        'Referrer-Policy' => 'same-origin',
    ];

    /** @param array<string, string> $headers */
    public function __construct(public int $status, public string $body, public array $headers) {}

    /**
     * @param array<string, mixed>  $fields
     * @param array<string, string> $headers
     */
    public static function json(array $fields, int $status = 200, array $headers = []): self
    {
        return new self($status, Wire::encode($fields) . "\n", ['Content-Type' => 'application/json'] + $headers + self::ALWAYS);
    }

    public static function text(string $body, int $status = 200): self
    {
        return new self($status, $body, ['Content-Type' => 'text/plain; charset=utf-8'] + self::ALWAYS);
    }

    public static function refusal(Refused $refused): self
    {
        $headers = [];
        if ($refused->retryAfter > 0.0) {
            $headers['Retry-After'] = (string) (int) ceil($refused->retryAfter);
        }
        if ($refused->status === 401) {
            $headers['WWW-Authenticate'] = 'Bearer';
        }
        return self::json(['error' => $refused->reason, 'message' => $refused->getMessage()], $refused->status, $headers);
    }

    public function with(string $name, string $value): self
    {
        return new self($this->status, $this->body, [$name => $value] + $this->headers);
    }

    public function response(): \Tusk\Http\Response
    {
        return new \Tusk\Http\Response($this->status, $this->body, $this->headers);
    }
}
