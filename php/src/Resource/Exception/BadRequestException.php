<?php

declare(strict_types=1);

namespace Tusk\Resource\Exception;

/** A value that does not fit its parameter. */
final class BadRequestException extends \RuntimeException implements ResourceException
{
    public static function type(?\Throwable $previous): self
    {
        return new self('Invalid parameter type', 400, $previous);
    }
}
