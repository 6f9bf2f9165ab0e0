<?php

declare(strict_types=1);

namespace Tusk\Resource\Exception;

use Tusk\Resource\Method;

final class MethodNotAllowedException extends \RuntimeException implements ResourceException
{
    public static function unknown(string $method): self
    {
        return new self("there is no method $method", 405);
    }

    public static function of(Method $method, string $class): self
    {
        return new self("$class::{$method->handler()}()", 405);
    }
}
