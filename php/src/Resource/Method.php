<?php

declare(strict_types=1);

namespace Tusk\Resource;

use Tusk\Resource\Exception\MethodNotAllowedException;

enum Method: string
{
    case Get = 'get';
    case Head = 'head';
    case Post = 'post';
    case Put = 'put';
    case Patch = 'patch';
    case Delete = 'delete';

    /** In any case. */
    public static function named(string $name): self
    {
        return self::tryFrom(strtolower($name)) ?? throw MethodNotAllowedException::unknown($name);
    }

    /** Only what changes nothing may be merged with its equals or run at another time. */
    public function isSafe(): bool
    {
        return $this === self::Get || $this === self::Head;
    }

    /** The method of a resource class that answers; HEAD is a GET without its body. */
    public function handler(): string
    {
        return 'on' . ucfirst($this === self::Head ? 'get' : $this->value);
    }
}
