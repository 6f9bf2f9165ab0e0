<?php

declare(strict_types=1);

namespace Tusk\Async;

/** The database refused a query, or its connection ended. */
final class QueryFailed extends \RuntimeException
{
    /** @param string $sqlState five characters; empty when the server said none */
    private function __construct(string $message, public readonly string $sqlState, int $code)
    {
        parent::__construct($message, $code);
    }

    public static function because(string $message, string $sqlState = '', int $code = 0): self
    {
        return new self(trim($message), $sqlState, $code);
    }
}
