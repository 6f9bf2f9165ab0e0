<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture;

/** Has no constructor. */
final class Box
{
    public int $width;
    public int $fullHeight = 5;
    public ?Color $color = null;
    public ?Point $corner = null;
    public static string $unit = 'mm';
    protected string $label = 'ours';

    public function label(): string
    {
        return $this->label;
    }
}
