<?php

declare(strict_types=1);

namespace Tusk\Resource\Exception;

use Tusk\Resource\Uri;

final class ResourceNotFoundException extends \RuntimeException implements ResourceException
{
    public static function at(Uri $uri): self
    {
        return new self($uri->authority() . $uri->path, 404);
    }

    /** @param list<string> $served */
    public static function scheme(Uri $uri, array $served): self
    {
        return new self($uri->authority() . ' is not served here, but ' . implode(', ', $served), 404);
    }

    public static function named(string $class): self
    {
        return new self("an adapter named the class $class, which is not there", 500);
    }

    public static function built(string $class, mixed $given): self
    {
        return new self("what should build a $class gave " . get_debug_type($given), 500);
    }
}
