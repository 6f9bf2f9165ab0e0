<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Chat\Settings;

final class SettingsTest extends TestCase
{
    public function test_arguments_win_over_the_environment(): void
    {
        $settings = Settings::from(['9001', '--host=::1', '--grace=0.5'], ['PORT' => '9000', 'OPEN' => '0', 'CHAT_RATE' => '7'], '/tmp/x');
        self::assertSame(['[::1]:9001', 7.0, 0.5, false, '/tmp/x'], [$settings->address(), $settings->rate, $settings->grace, $settings->open, $settings->folder]);
        self::assertSame(0.0, Settings::from(['--open'], [], 'var')->rate, 'load tools use the open mode');
        self::assertTrue(Settings::from([], ['OPEN' => '1'], 'var')->open);
        self::assertSame('[::1]:8080', Settings::from([], ['CHAT_HOST' => '::1', 'HOST' => 'x86_64-conda-linux-gnu'], 'var')->address(), 'shells export HOST');
    }

    /** @return iterable<string, array{list<string>, string}> */
    public static function bad(): iterable
    {
        yield 'port too large' => [['70000'], '70000'];
        yield 'port without digits' => [['--port=http'], 'http'];
        yield 'negative rate' => [['--rate=-1'], '--rate (CHAT_RATE) must be a number of 0 or more, not "-1"'];
        yield 'half a day' => [['--keep-days=0.5'], '--keep-days (CHAT_KEEP_DAYS) must be a whole number of 0 or more, not "0.5"'];
        yield 'long grace' => [['--grace=7200'], '7200'];
        yield 'unknown argument' => [['--prot=1'], '--prot=1'];
        yield 'a proxy by name' => [['--trust=127.0.0.1,proxy.test'], 'proxy.test'];
        yield 'a range longer than its address' => [['--trust=10.0.0.0/33'], '10.0.0.0/33'];
        yield 'a range of nothing' => [['--trust=10.0.0.0/'], '10.0.0.0/'];
        yield 'open to the world' => [['--open', '--host=0.0.0.0'], '0.0.0.0'];
        yield 'open to a name that only looks local' => [['--open', '--host=127.evil.test'], '127.evil.test'];
    }

    /** @param list<string> $arguments */
    #[DataProvider('bad')]
    public function test_a_bad_value_is_named(array $arguments, string $value): void
    {
        $this->expectException(\ValueError::class);
        $this->expectExceptionMessageMatches('/' . preg_quote($value, '/') . '/');
        Settings::from($arguments, [], 'var');
    }
}
