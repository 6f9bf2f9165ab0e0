<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear\Package\Resource\App;

use BEAR\Resource\ResourceObject;

class Value extends ResourceObject
{
    public function onGet(string $k): mixed
    {
        return match ($k) {
            'text' => "\u{e4}/\"",
            'float' => 1.0,
            'null' => null,
            'empty' => [],
            'keys' => [0 => 'x', 5 => 1.5, 'a' => ['deep' => [null, false]]],
            default => $k,
        };
    }
}
