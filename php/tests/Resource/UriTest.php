<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\PreserveGlobalState;
use PHPUnit\Framework\Attributes\RunInSeparateProcess;
use PHPUnit\Framework\TestCase;
use Tusk\Resource\Exception\UriException;
use Tusk\Resource\Uri;

/** What a query means, and which URIs are equal. */
final class UriTest extends TestCase
{
    /** @return iterable<string, array{string, array<array-key, mixed>}> */
    public static function queries(): iterable
    {
        yield 'dots and spaces' => ['a.b=1&c+d=2&+e=3', ['a.b' => '1', 'c d' => '2', ' e' => '3']];
        yield 'brackets that do not close' => ['a[b=1&c[d]e=2&f[g]]=3&h]=4&[i]=5', ['a[b' => '1', 'c[d]e' => '2', 'f[g]]' => '3', 'h]' => '4', '[i]' => '5']];
        yield 'dots within' => ['a.b[c.d][]=1', ['a.b' => ['c.d' => ['1']]]];
        yield 'nested' => ['a[b][]=1&a[b][]=2&a[c]=3', ['a' => ['b' => ['1', '2'], 'c' => '3']]];
        yield 'encoded brackets' => ['a%5Bb%5D%5B%5D=1', ['a' => ['b' => ['1']]]];
        yield 'indices' => ['a[3]=x&a[]=y&0=z', ['a' => [3 => 'x', 4 => 'y'], 0 => 'z']];
        yield 'the last one counts' => ['a=1&a=2&b=1&b[c]=2&d[e]=1&d=2', ['a' => '2', 'b' => ['c' => '2'], 'd' => '2']];
        yield 'no value' => ['a&b=&&c==1&=2', ['a' => '', 'b' => '', 'c' => '=1', '' => '2']];
        yield 'bytes' => ['a%00b=%FF%26', ["a\0b" => "\xff&"]];
        yield 'a bracket as an index' => ['a[b[c]=1', ['a' => ['b[c' => '1']]];
    }

    /** @param array<array-key, mixed> $expected */
    #[DataProvider('queries')]
    public function test_names_stay_as_they_are_written(string $query, array $expected): void
    {
        $uri = Uri::parse("app://self/x?$query");
        self::assertSame($expected, $uri->query);
        self::assertSame($expected, Uri::parse((string) $uri)->query);
        self::assertSame($uri->canonical(), Uri::parse((string) $uri)->canonical());
    }

    public function test_what_PHP_keeps_as_it_is_means_what_it_means_there(): void
    {
        mt_srand(7);
        for ($i = 0; $i < 2000; $i++) {
            $pairs = [];
            for ($n = mt_rand(1, 6); $n > 0; $n--) {
                $name = ['a', 'b', '0', '12', '%41'][mt_rand(0, 4)];
                for ($depth = mt_rand(0, 3); $depth > 0; $depth--) {
                    $name .= ['[]', '[a]', '[0]', '[a.b]', '[08]', '%5Bc%5D', '[[]'][mt_rand(0, 6)];
                }
                $pairs[] = $name . ['', '=', '=1', '=a+b', '=%3D%26', '=a=b'][mt_rand(0, 5)];
            }
            $query = implode('&', $pairs);
            parse_str($query, $expected);
            self::assertSame($expected, Uri::parse("app://self/x?$query")->query, $query);
            self::assertSame($expected, Uri::parse('app://self/x?' . http_build_query($expected))->query, $query);
        }
    }

    public function test_names_that_differ_are_different_requests(): void
    {
        $names = ['a.b', 'a_b', 'a+b', 'a[b', 'a[b]', 'a[b][]', 'a[b][0]', 'a[b]c', 'a%00', 'a'];
        $ids = array_map(static fn (string $name): string => Uri::parse("app://self/x?$name=1")->canonical(), $names);
        self::assertSame($ids[5], $ids[6]);
        self::assertCount(\count($names) - 1, array_unique($ids));
        self::assertSame(Uri::parse('app://self/x?a.b=1&c[e]=2&c[d]=3')->canonical(), Uri::parse('app://self/x?c%5Bd%5D=3&a%2Eb=1&c[e]=2')->canonical());
        self::assertNotSame(Uri::parse('app://self/x?c[]=2&c[]=3')->canonical(), Uri::parse('app://self/x?c[]=3&c[]=2')->canonical());
    }

    /** @return iterable<string, array{mixed}> */
    public static function objects(): iterable
    {
        yield 'public properties' => [(object) ['a' => 1, 'b' => [true, null, 1.5], 'c d' => (object) ['e' => 'f&g'], 5 => 'five']];
        yield 'no others' => [new class () {
            public string $seen = 'yes';
            public ?string $nothing = null;
            public string $unset;
            protected string $kept = 'no';
            private string $own = 'no'; // @phpstan-ignore property.onlyWritten
        }];
        yield 'those that are kept elsewhere' => [new \ArrayObject(['x' => 1, 'y' => ['z' => 2]])];
        yield 'a time' => [new \DateTimeImmutable('2026-01-02 03:04:05 UTC')];
        yield 'none' => [new \stdClass()];
        yield 'one with a text' => [new class () {
            public int $n = 3;

            public function __toString(): string
            {
                return 'three';
            }
        }];
        $within = (object) ['n' => 1];
        $within->own = $within;
        yield 'one in itself' => [$within];
        $twice = (object) ['n' => 1];
        yield 'one in two places' => [[$twice, 'again' => $twice]];
    }

    #[DataProvider('objects')]
    public function test_objects_are_written_as_PHP_writes_them(mixed $object): void
    {
        $expected = @http_build_query(['q' => $object, 'r' => 's t'], '', '&', PHP_QUERY_RFC3986); // 8.6 says that they should not be given
        self::assertSame("app://self/x?$expected", (string) Uri::parse('app://self/x')->withQuery(['q' => $object, 'r' => 's t']));
    }

    #[RunInSeparateProcess]
    #[PreserveGlobalState(false)]
    public function test_no_object_is_given_to_http_build_query_which_86_deprecates(): void
    {
        eval('namespace Tusk\Resource; function http_build_query(array $values, mixed ...$more): string { array_walk_recursive($values, fn ($v) => !is_object($v) || throw new \LogicException("an object")); return \http_build_query($values, ...$more); }');
        foreach (self::objects() as [$object]) {
            self::assertStringStartsWith('app://self/x', (string) Uri::parse('app://self/x')->withQuery(['q' => ['r' => $object]]));
        }
    }

    public function test_a_query_has_a_bound_that_is_said(): void
    {
        $many = static fn (int $n): string => implode('&', array_map(static fn (int $i): string => "p$i=$i", range(1, $n)));
        self::assertCount(Uri::PARAMETERS_MAX, Uri::parse('app://self/x?' . $many(Uri::PARAMETERS_MAX))->query);
        $deep = 'a' . str_repeat('[]', Uri::NESTING_MAX - 1);
        self::assertNotSame([], Uri::parse("app://self/x?$deep=1")->query);
        $long = 'a' . str_repeat('[]', 500_000) . 'b';
        self::assertSame(['b' => '1', $long => '2'], Uri::parse("app://self/x?b=1&$long=2")->query); // no pattern that gives up
        foreach ([$many(Uri::PARAMETERS_MAX + 1) => '1000 parameters', "{$deep}[]=1" => '63 pairs of brackets', 'a[9223372036854775807]=1&a[]=2' => 'nothing can follow'] as $query => $says) {
            try {
                Uri::parse("app://self/x?$query");
                self::fail("it was taken: $says");
            } catch (UriException $e) {
                self::assertSame(400, $e->getCode());
                self::assertStringStartsWith('the query of app://self/x: ', $e->getMessage());
                self::assertStringContainsString($says, $e->getMessage());
            }
        }
    }
}
