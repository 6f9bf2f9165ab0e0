<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** What a command answers: at once, or when its write is committed. */
final class Reply
{
    /**
     * @param Ticket<mixed>|null                              $ticket
     * @param \Closure(): array<string, mixed>                $fields
     */
    private function __construct(
        public readonly int $status,
        private readonly ?Ticket $ticket,
        private readonly \Closure $fields,
    ) {}

    /** @param array<string, mixed> $fields */
    public static function now(array $fields, int $status = 200): self
    {
        return new self($status, null, static fn (): array => $fields);
    }

    /**
     * @template T
     *
     * @param Ticket<T>                           $ticket
     * @param \Closure(T): array<string, mixed>   $fields of the ticket's value
     */
    public static function after(Ticket $ticket, \Closure $fields, int $status = 200): self
    {
        return new self($status, $ticket, static fn (): array => $fields($ticket->value()));
    }

    /**
     * Parks the caller until the commit.
     *
     * @return array<string, mixed>
     *
     * @throws Refused
     */
    public function await(Store $store): array
    {
        if ($this->ticket !== null) {
            $store->await($this->ticket);
        }
        return ($this->fields)();
    }

    /** @param \Closure(array<string, mixed>|Refused): mixed $callback runs once, after the commit */
    public function then(\Closure $callback): void
    {
        if ($this->ticket === null) {
            $callback(($this->fields)());
            return;
        }
        $this->ticket->then(fn (?Refused $error): mixed => $callback($error ?? ($this->fields)()));
    }
}
