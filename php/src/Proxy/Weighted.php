<?php

declare(strict_types=1);

namespace Tusk\Proxy;

/** A target as operators write it: `10.0.0.7:443`, and with its weight behind a star `10.0.0.8:443*3`. */
final readonly class Weighted
{
    private function __construct() {}

    /** @throws \ValueError for an address or a weight that is none */
    public static function target(string $word): Target
    {
        preg_match('~^(.*?)(?:\*(\d{1,6}))?$~Ds', $word, $m);

        return new Target($m[1] ?? '', (int) ($m[2] ?? 1));
    }
}
