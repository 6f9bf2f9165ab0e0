<?php

declare(strict_types=1);

namespace Tusk\Tests\Console;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Console\Argv;

#[CoversClass(Argv::class)]
final class ArgvTest extends TestCase
{
    /**
     * @param list<string> $given
     * @param list<string> $expected
     */
    #[DataProvider('commandLines')]
    public function testTwoWordsBecomeOneCommandOnlyWhenThatCommandExists(array $given, array $expected): void
    {
        self::assertSame($expected, Argv::join($given, ['serve', 'bench', 'bench:ws-echo', 'bench:http', 'bench:tcp-rr']));
    }

    /** @return iterable<string, array{list<string>, list<string>}> */
    public static function commandLines(): iterable
    {
        yield 'a mode' => [['tusk', 'bench', 'ws-echo', 'host'], ['tusk', 'bench:ws-echo', 'host']];
        yield 'options before the verb stay' => [['tusk', '-v', 'bench', 'http'], ['tusk', '-v', 'bench:http']];
        yield 'options after the mode stay' => [['tusk', 'bench', 'http', '--json'], ['tusk', 'bench:http', '--json']];
        yield 'no mode of that name' => [['tusk', 'bench', 'nothing'], ['tusk', 'bench', 'nothing']];
        yield 'a verb without modes' => [['tusk', 'serve', 'http'], ['tusk', 'serve', 'http']];
        yield 'written as one already' => [['tusk', 'bench:http'], ['tusk', 'bench:http']];
        yield 'the verb alone' => [['tusk', 'bench'], ['tusk', 'bench']];
        yield 'an option in between' => [['tusk', 'bench', '--json', 'http'], ['tusk', 'bench', '--json', 'http']];
        yield 'after the end of options' => [['tusk', '--', 'bench', 'http'], ['tusk', '--', 'bench', 'http']];
        yield 'nothing' => [['tusk'], ['tusk']];
        yield 'three words' => [['tusk', 'bench', 'tcp', 'rr', 'host'], ['tusk', 'bench:tcp-rr', 'host']];
        yield 'the words of help' => [['tusk', '-v', 'help', 'bench', 'tcp', 'rr'], ['tusk', '-v', 'help', 'bench:tcp-rr']];
        yield 'no such third word' => [['tusk', 'bench', 'tcp', 'x'], ['tusk', 'bench', 'tcp', 'x']];
        yield 'a host for TCP' => [['tusk', 'bench', 'tcp', 'rr', '-h', '::1', '-c', '5'], ['tusk', 'bench:tcp-rr', '--host', '::1', '-c', '5']];
        yield 'a host in one word' => [['tusk', 'bench:tcp-rr', '-h127.0.0.2'], ['tusk', 'bench:tcp-rr', '--host=127.0.0.2']];
        yield 'help for TCP' => [['tusk', 'bench', 'tcp', 'rr', '-h'], ['tusk', 'bench:tcp-rr', '-h']];
        yield 'help elsewhere' => [['tusk', 'bench', 'http', '-h', 'x'], ['tusk', 'bench:http', '-h', 'x']];
    }
}
