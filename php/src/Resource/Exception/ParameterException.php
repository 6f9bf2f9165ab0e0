<?php

declare(strict_types=1);

namespace Tusk\Resource\Exception;

/** A parameter without default that the query does not have; the message is its name. */
final class ParameterException extends \RuntimeException implements ResourceException
{
    public static function missing(string $name): self
    {
        return new self($name, 400);
    }
}
