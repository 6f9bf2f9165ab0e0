<?php

declare(strict_types=1);

namespace Tusk\Tests\Console;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\TestCase;
use Tusk\Console\Doctor\ExtensionInfo;

#[CoversClass(ExtensionInfo::class)]
final class ExtensionInfoTest extends TestCase
{
    private const PHPINFO = <<<'INFO'

        tusk

        Tusk => 0.1.0
        Pollers => epoll, poll, select
        TLS => OpenSSL 3.0.19 27 Jan 2026
        permessage-deflate (zlib) => not built in

        Directive => Local Value => Master Value

        INFO;

    public function testRowsOfPhpinfoAreFoundByTheirNamesInAnyCase(): void
    {
        $info = new ExtensionInfo('0.1.0', ExtensionInfo::parse(self::PHPINFO));

        self::assertSame('OpenSSL 3.0.19 27 Jan 2026', $info->feature('OpenSSL'));
        self::assertSame('0.1.0', $info->rows['tusk']);
    }

    public function testAFeatureThatWasLeftOutIsNull(): void
    {
        $info = new ExtensionInfo('0.1.0', ExtensionInfo::parse(self::PHPINFO));

        self::assertNull($info->feature('zlib'));
        self::assertNull($info->feature('libbpf'));
        self::assertNull($info->feature('liburing'));
    }

    public function testTheLoadedExtensionSaysItsVersionAndHasTheRowsThatAreLookedFor(): void
    {
        if (!extension_loaded('tusk')) {
            self::markTestSkipped('the extension is not loaded');
        }
        $info = ExtensionInfo::loaded();

        self::assertSame(phpversion('tusk'), $info->version);
        self::assertArrayHasKey('tls', $info->rows);
        self::assertArrayHasKey('permessage-deflate (zlib)', $info->rows);
        self::assertArrayHasKey('sockmap (libbpf)', $info->rows);
        self::assertArrayHasKey('io_uring (liburing)', $info->rows);
    }
}
