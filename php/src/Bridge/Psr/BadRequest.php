<?php

declare(strict_types=1);

namespace Tusk\Bridge\Psr;

/**
 * The PSR-7 library takes the address or a header for none.
 *
 * @internal
 */
final class BadRequest extends \RuntimeException
{
    public static function because(\InvalidArgumentException $fault): self
    {
        return new self((string) preg_replace('~[^\x20-\x7e]~', '?', $fault->getMessage()), previous: $fault);
    }
}
