<?php

declare(strict_types=1);

namespace Tusk\Resource\Exception;

use Tusk\Resource\Embed;
use Tusk\Resource\Uri;

/** An embed that leads nowhere, or back. */
final class EmbedException extends \RuntimeException implements ResourceException
{
    public static function source(Embed $embed, \Throwable $previous): self
    {
        return new self($embed->src, 500, $previous);
    }

    public static function cycle(Uri $uri): self
    {
        return new self("$uri embeds itself", 500);
    }

    public static function depth(Uri $uri, int $most): self
    {
        return new self("$uri is embedded more than $most deep", 500);
    }
}
