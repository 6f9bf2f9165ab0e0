<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Psr;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Bridge\Psr\Fields;

#[CoversClass(Fields::class)]
final class FieldsTest extends TestCase
{
    /** @return iterable<array{string}> */
    public static function queries(): iterable
    {
        foreach ([
            '', 'a', 'a=', 'a=1', '=1', 'a=1&a=2', 'a[]=1&a[]=2', 'a[x][y]=1&a[x][z]=2', 'a[5]=1&a[]=2', 'a.b=1&c d=2', '+a=1', 'a=b=c', 'a=%20+%2B',
            'a=1&a[b]=2', 'a[b]=1&a=2', 'a[b=1', 'a[b.c=1', 'a[b][c=1', 'a[b]c=1', 'a[b]c[d]=1', 'a[[]=1', 'a[b[c]=1', '[a]=1', '[a=1', '[]=1', 'a%5Bb%5D=1', 'a]b=1',
            '1=2&1[]=3', 'a[-1]=x&a[]=y', 'a[01]=x', '&&a=1&', 'a[]=1&a[k]=2&a[]=3', 'a[ b ]=1', 'a%00b=1', 'a[9223372036854775807]=1&a[]=2', '%ff=%fe',
            'a' . str_repeat('[b]', 63) . '=1', 'a' . str_repeat('[b]', 64) . '=1',
        ] as $query) {
            yield [$query];
        }
    }

    #[DataProvider('queries')]
    public function testTheTreeIsTheOneThatPhpMakes(string $query): void
    {
        parse_str($query, $php);
        self::assertSame($php, Fields::query($query));
    }

    public function testMoreThanPhpsThousandFieldsAreThere(): void
    {
        self::assertCount(3000, Fields::query(implode('&', array_map(static fn (int $i): string => "f$i=1", range(1, 3000)))));
    }
}
