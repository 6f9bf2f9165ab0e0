<?php

declare(strict_types=1);

namespace Tusk\Tests\Proxy;

use PHPUnit\Framework\TestCase;
use Tusk\Console\ProxyKindCommand;
use Tusk\Proxy\Kind;
use Tusk\Proxy\Settings;

final class ReferencePageTest extends TestCase
{
    public function testItHasEveryOptionOfEachKindWithItsVariable(): void
    {
        $page = (string) file_get_contents(dirname(__DIR__, 3) . '/docs/guide/proxy-reference.md');
        $rows = $expected = [];
        preg_match_all('~^\| `--([\w-]+)[^`]*` \| (?:`(\w+)`|none) \| (all|[A-Z, ]+) \| \S~m', $page, $found, PREG_SET_ORDER);
        foreach ($found as [, $name, $variable, $of]) {
            $rows[$name] = [$variable, $of === 'all' ? ['TCP', 'HTTP', 'SMTP'] : explode(', ', $of)];
        }
        foreach (Kind::cases() as $kind) {
            foreach ((new ProxyKindCommand($kind))->getDefinition()->getOptions() as $name => $option) {
                $expected[$name] = [Settings::VARIABLES[$name] ?? '', [...$expected[$name][1] ?? [], strtoupper($kind->value)]];
            }
        }

        ksort($rows);
        ksort($expected);
        self::assertSame($expected, $rows);
    }
}
