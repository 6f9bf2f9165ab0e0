<?php

declare(strict_types=1);

namespace Tusk\Resource\Exception;

use Tusk\Resource\Embed;
use Tusk\Resource\Internal\Origin;
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

    /** @param list<string> $path identities of the requests around it, outermost first */
    public static function requests(Uri $uri, array $path, int $most): self
    {
        $way = array_map(Origin::readable(...), \count($path) > 8 ? [...\array_slice($path, 0, 3), ...\array_slice($path, -4)] : $path);
        if (\count($path) > 8) {
            array_splice($way, 3, 0, '…');
        }

        return new self(implode(' > ', [...$way, "$uri is one request more than the $most of one render (maxRequests)"]), 500);
    }
}
