<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture;

use Tusk\Resource\Application;
use Tusk\Resource\HalRenderer;

/** What workers call to know what they serve. */
final class Fixture
{
    public static function application(): Application
    {
        return new Application('Tusk\Tests\Resource\Fixture', context: 'test');
    }

    public static function other(): Application
    {
        return new Application('Tusk\Tests\Resource\Fixture', context: 'other');
    }

    /** application() with another renderer. */
    public static function hal(): Application
    {
        return new Application('Tusk\Tests\Resource\Fixture', renderer: new HalRenderer(), context: 'test');
    }

    public static function nothing(): int
    {
        return 7;
    }
}
