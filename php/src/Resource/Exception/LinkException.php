<?php

declare(strict_types=1);

namespace Tusk\Resource\Exception;

/** A body that cannot take what is embedded or linked. */
final class LinkException extends \RuntimeException implements ResourceException
{
    public static function body(string $class, string $rel, mixed $body): self
    {
        return new self("$class: $rel cannot stand in a body that is " . get_debug_type($body), 500);
    }

    public static function nothing(string $rel): self
    {
        return new self("no request ran whose link $rel could be followed", 500);
    }

    public static function crawl(string $key, int $most): self
    {
        return new self("the crawl $key needs more than $most requests", 500);
    }

    public static function noLoader(string $class): self
    {
        return new self("$class is no data loader", 500);
    }

    public static function loader(string $loader, int $rows, int $values): self
    {
        return new self("$loader gave $values values for $rows rows", 500);
    }

    public static function order(string $loader): self
    {
        return new self("$loader gave values under keys of its own, and not a list in the order of the rows", 500);
    }
}
