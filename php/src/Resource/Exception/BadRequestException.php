<?php

declare(strict_types=1);

namespace Tusk\Resource\Exception;

/** A value that does not fit its parameter, or that the result would have to show and no text can. */
final class BadRequestException extends \RuntimeException implements ResourceException
{
    public static function type(?\Throwable $previous): self
    {
        return new self('Invalid parameter type', 400, $previous);
    }

    public static function bytes(\Throwable $previous): self
    {
        return new self('A parameter is not UTF-8', 400, $previous);
    }
}
