<?php

declare(strict_types=1);

namespace Tusk\Resource\Exception;

final class LinkRelException extends \RuntimeException implements ResourceException
{
    public static function unknown(string $rel, string $class): self
    {
        return new self("rel:$rel class:$class", 500);
    }
}
