<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

/** How a peer's server is reached: plain, by its own TLS, or through the one TLS terminator that all share. */
final readonly class Way
{
    private function __construct(public string $name, public ?Certificate $own = null, public ?Certificate $shared = null) {}

    public static function plain(): self
    {
        return new self('ws');
    }

    public static function ownTls(Certificate $certificate): self
    {
        return new self('wss', own: $certificate);
    }

    public static function terminator(Certificate $certificate): self
    {
        return new self('wss through the terminator', shared: $certificate);
    }

    public function url(int $port): string
    {
        return ($this->own ?? $this->shared) === null ? "ws://127.0.0.1:$port/" : "wss://127.0.0.1:$port/";
    }
}
