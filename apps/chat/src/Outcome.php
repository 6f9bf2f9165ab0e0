<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** What came of one write: a value, or a refusal in plain values, as an exception does not travel between processes. */
final readonly class Outcome
{
    /** @param array{int, string, string, float}|null $refusal */
    private function __construct(public mixed $value, private ?array $refusal) {}

    public static function done(mixed $value): self
    {
        return new self($value, null);
    }

    public static function refused(Refused $error): self
    {
        return new self(null, [$error->status, $error->reason, $error->getMessage(), $error->retryAfter]);
    }

    public function error(): ?Refused
    {
        return $this->refusal === null ? null : new Refused(...$this->refusal);
    }
}
