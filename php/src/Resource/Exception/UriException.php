<?php

declare(strict_types=1);

namespace Tusk\Resource\Exception;

/** A URI or a URI template that is none. */
final class UriException extends \InvalidArgumentException implements ResourceException
{
    public static function malformed(string $uri): self
    {
        return new self("not a URI of the form scheme://host/path: $uri", 400);
    }

    public static function query(string $uri, string $reason): self
    {
        return new self('the query of ' . strstr($uri, '?', true) . ": $reason", 400);
    }

    public static function template(string $template, string $reason): self
    {
        return new self("URI template $template: $reason", 500);
    }

    public static function value(string $name, string $what): self
    {
        return new self("the value of {{$name}} cannot stand in a URI: $what", 500);
    }
}
