<?php

declare(strict_types=1);

namespace Tusk\Resource\Exception;

final class LinkQueryException extends \RuntimeException implements ResourceException
{
    public static function body(string $class, mixed $body): self
    {
        return new self("links of $class are filled from an array, its body is " . get_debug_type($body), 500);
    }
}
