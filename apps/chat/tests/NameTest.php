<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Chat\{Name, Refused};

final class NameTest extends TestCase
{
    /** @return iterable<string, array{string}> */
    public static function good(): iterable
    {
        yield 'one letter' => ['a'];
        yield 'digits' => ['42'];
        yield 'inner signs' => ['anna-maria_2'];
        yield 'umlauts' => ['Jürgen'];
        yield 'another script' => ['Наталья'];
        yield 'marks' => ['नमस्ते'];
        yield 'as long as can be' => [str_repeat('ä', Name::MAX)];
    }

    #[DataProvider('good')]
    public function test_a_good_name_stays_as_it_is(string $given): void
    {
        self::assertSame($given, Name::of($given)->text);
    }

    /** @return iterable<string, array{string}> */
    public static function bad(): iterable
    {
        yield 'nothing' => [''];
        yield 'blanks' => ["  \t "];
        yield 'too long' => [str_repeat('a', Name::MAX + 1)];
        yield 'a blank inside' => ['anna maria'];
        yield 'a line end' => ["anna\nmaria"];
        yield 'a NUL' => ["anna\0x"];
        yield 'markup' => ['<b>'];
        yield 'a path' => ['../x'];
        yield 'a dot' => ['chat.js'];
        yield 'an address' => ['#anna'];
        yield 'a sign at the end' => ['anna-'];
        yield 'an invisible sign' => ["an\u{200B}na"];
        yield 'a turned direction' => ["an\u{202E}na"];
        yield 'no UTF-8' => ["an\xFFna"];
        yield 'reserved' => ['All'];
        yield 'a route' => ['events'];
    }

    #[DataProvider('bad')]
    public function test_a_bad_name_is_refused_with_a_reason(string $given): void
    {
        $this->expectException(Refused::class);
        try {
            Name::of($given);
        } catch (Refused $refused) {
            self::assertSame([422, 'bad-name'], [$refused->status, $refused->reason]);
            throw $refused;
        }
    }

    public function test_two_spellings_are_one_name(): void
    {
        self::assertSame(Name::of('Straße')->folded, Name::of(' STRASSE ')->folded);
        self::assertNotSame(Name::of('anna')->folded, Name::of('anne')->folded);
    }
}
