<?php

declare(strict_types=1);

namespace Tusk\Tests\Terminal;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\TestCase;
use Tusk\Terminal\Markdown;

#[CoversClass(Markdown::class)]
final class MarkdownTest extends TestCase
{
    public function testAFenceIsLongerThanWhatItHolds(): void
    {
        self::assertSame('`a`', Markdown::code('a'));
        self::assertSame('``a`b``', Markdown::code('a`b'));
        self::assertSame('``` ``a` ```', Markdown::code('``a`'));
        self::assertSame('`a b`', Markdown::code("a\r\nb"));
        self::assertSame("```\na\n```\n", Markdown::block('a'));
        self::assertSame("````\na```b\n````\n", Markdown::block('a```b'));
    }

    public function testWhatStandsInASentenceIsNoMarkup(): void
    {
        self::assertSame('snake\_ \_case a_b', Markdown::text('snake_ _case a_b'));
        self::assertSame('\*x\* \`y\` \[z\] \| \<b> < 3 \&amp; & \\\\', Markdown::text("*x* `y` [z] | <b> < 3 &amp; & \\"));
    }
}
