<?php

declare(strict_types=1);

namespace Tusk\Resource\Exception;

use Tusk\Resource\Uri;

/** A value that cannot leave its process; the message begins with its path. */
final class CannotCrossException extends \RuntimeException implements ResourceException
{
    public static function at(string $path, string $type, Uri $uri): self
    {
        return new self("$path: $type, which cannot leave its process ($uri)", 500);
    }
}
