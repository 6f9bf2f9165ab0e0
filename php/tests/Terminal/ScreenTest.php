<?php

declare(strict_types=1);

namespace Tusk\Tests\Terminal;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\TestCase;
use Tusk\Terminal\Screen;

#[CoversClass(Screen::class)]
final class ScreenTest extends TestCase
{
    public function testWhatFitsStaysAsItIs(): void
    {
        $page = "usage: tusk x    what\n\n  --a  text\n\nOne line.\nAnother one.\nExit status: 0 done,\n  2 wrong\n";

        self::assertSame($page, Screen::page($page));
    }

    public function testWhatIsTooWideIsFoldedByItsKind(): void
    {
        $long = trim(str_repeat('word ', 20));
        $page = Screen::page("tusk x [options]    $long\n\n  tusk x $long\n\n  --option TEXT  $long\n\n$long\nend\nExit status: 0 done\n");

        self::assertTrue(Screen::fits($page), $page);
        self::assertStringStartsWith("tusk x [options]\nword word", $page);
        self::assertMatchesRegularExpression('~^  tusk x (?:word )+\\\\\n      word~m', $page);
        self::assertMatchesRegularExpression('~^  --option TEXT  (?:word ?)+\n                 word~m', $page);
        self::assertMatchesRegularExpression('~word end\nExit status: 0 done\n$~', $page);
    }

    public function testWidthIsThatOfCharactersAndAWordIsNeverCut(): void
    {
        $word = str_repeat('ü', 80);

        self::assertSame("$word\n", Screen::page($word));
        self::assertFalse(Screen::fits(Screen::page("$word$word")));
    }

    public function testMoreThanAScreenDoesNotFit(): void
    {
        self::assertTrue(Screen::fits(str_repeat("a\n", Screen::HEIGHT)));
        self::assertFalse(Screen::fits(str_repeat("a\n", Screen::HEIGHT + 1)));
    }
}
