<?php

declare(strict_types=1);

namespace Tusk\Tests\Console;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Tester\CommandTester;
use Tusk\Console\Doctor\LocalMachine;
use Tusk\Console\Tune\Change;
use Tusk\Console\Tune\Profile;
use Tusk\Console\Tune\Setting;
use Tusk\Console\Tune\Tuner;
use Tusk\Console\TuneCommand;

/** Against a root of its own: no setting of the machine is read or written. */
#[CoversClass(TuneCommand::class)]
#[CoversClass(Tuner::class)]
#[CoversClass(Profile::class)]
#[CoversClass(Setting::class)]
#[CoversClass(Change::class)]
#[CoversClass(LocalMachine::class)]
final class TuneTest extends TestCase
{
    private string $root = '';

    protected function setUp(): void
    {
        $this->root = sys_get_temp_dir() . '/tusk-tune-' . bin2hex(random_bytes(6));
        $this->put('/proc/meminfo', "MemTotal:        8388608 kB\nMemFree: 1 kB\n");
        $this->put('/proc/self/status', "Name:\tphp\nCapEff:\t000000c000201000\n");
        $this->put('/proc/sys/net/core/somaxconn', "128\n");
        $this->put('/proc/sys/net/ipv4/tcp_rmem', "4096\t131072\t6291456\n");
        $this->put('/proc/sys/net/ipv4/tcp_fin_timeout', "60\n");
        $this->put('/proc/sys/net/ipv4/ip_local_port_range', "32768\t60999\n");
        $this->put('/proc/sys/net/ipv4/tcp_mem', "1\t2\t3\n");
        $this->put('/proc/sys/fs/file-max', "9223372036854775807\n");
        mkdir("{$this->root}/etc/sysctl.d", 0777, true);
    }

    protected function tearDown(): void
    {
        exec('rm -rf ' . escapeshellarg($this->root));
    }

    public function testWithoutBeingAskedItWritesNothing(): void
    {
        $before = $this->everything();
        [$status, $text] = $this->tune([]);

        self::assertSame(0, $status);
        self::assertSame($before, $this->everything());
        self::assertStringContainsString('sysctl -w net.core.somaxconn=65535', $text);
        self::assertStringContainsString("sysctl -w net.ipv4.tcp_rmem='4096 16384 16777216'", $text);
        self::assertStringContainsString('Nothing was changed', $text);
    }

    public function testALimitThatIsHigherAlreadyIsLeftAlone(): void
    {
        [, $text] = $this->tune([]);

        self::assertStringNotContainsString('sysctl -w fs.file-max', $text);
    }

    public function testABufferThatMayGrowFurtherAlreadyKeepsItsMost(): void
    {
        $this->put('/proc/sys/net/ipv4/tcp_rmem', "4096\t87380\t33554432\n");
        $this->put('/proc/sys/net/ipv4/tcp_wmem', "4096\t16384\t33554432\n");
        [$status, $text] = $this->tune(['--apply' => true, '--production' => true]);

        self::assertSame(0, $status, $text);
        self::assertSame("4096 131072 33554432\n", $this->get('/proc/sys/net/ipv4/tcp_rmem'));
        self::assertStringNotContainsString('tcp_wmem =', $text);
        self::assertSame("4096\t16384\t33554432\n", $this->get('/proc/sys/net/ipv4/tcp_wmem'));
    }

    public function testASettingThatTheKernelLacksIsLeftOut(): void
    {
        [, $text] = $this->tune([]);

        self::assertStringNotContainsString('tcp_tw_reuse', $text);
    }

    public function testApplyWritesTheKernelsFilesAndNothingElse(): void
    {
        [$status, $text] = $this->tune(['--apply' => true]);

        self::assertSame(0, $status, $text);
        self::assertSame("65535\n", $this->get('/proc/sys/net/core/somaxconn'));
        self::assertSame("10\n", $this->get('/proc/sys/net/ipv4/tcp_fin_timeout'));
        self::assertSame("9223372036854775807\n", $this->get('/proc/sys/fs/file-max'));
        self::assertSame("524288 699050 1048576\n", $this->get('/proc/sys/net/ipv4/tcp_mem'));
        self::assertFileDoesNotExist($this->root . Tuner::FILE);
        self::assertStringContainsString('Nothing to change', $this->tune([])[1]);
    }

    public function testProductionLeavesThePortsOfServicesAndTheKernelsMemoryAlone(): void
    {
        $this->tune(['--apply' => true, '--production' => true]);

        self::assertSame("10240 65535\n", $this->get('/proc/sys/net/ipv4/ip_local_port_range'));
        self::assertSame("1\t2\t3\n", $this->get('/proc/sys/net/ipv4/tcp_mem'));
        self::assertSame("30\n", $this->get('/proc/sys/net/ipv4/tcp_fin_timeout'));
    }

    public function testPersistWritesAFileAlsoOfWhatWasAppliedBefore(): void
    {
        $this->tune(['--apply' => true, '--production' => true]);
        [$status] = $this->tune(['--persist' => true, '--production' => true]);
        $file = $this->get(Tuner::FILE);

        self::assertSame(0, $status);
        self::assertStringContainsString("\nnet.core.somaxconn = 65535\n", $file);
        self::assertStringContainsString("\nnet.ipv4.tcp_rmem = 4096 131072 16777216\n", $file);
        self::assertStringNotContainsString('file-max', $file);
    }

    public function testWhatCannotBeWrittenIsNamedAndEndsWith1(): void
    {
        unlink("{$this->root}/proc/sys/net/core/somaxconn");
        mkdir("{$this->root}/proc/sys/net/core/somaxconn");
        $tuner = new Tuner(new FakeMachine(kernel: ['net/core/somaxconn' => '128']), $this->root);
        $tester = new CommandTester(new TuneCommand($tuner));

        self::assertSame(1, $tester->execute(['--apply' => true]));
        self::assertStringContainsString('not applied net.core.somaxconn', $tester->getDisplay());
    }

    public function testJsonIsAListAndChangesNothing(): void
    {
        [$status, $text] = $this->tune(['--json' => true]);
        $list = json_decode($text, true, flags: JSON_THROW_ON_ERROR);

        self::assertSame(0, $status);
        self::assertIsArray($list);
        self::assertSame(['name', 'now', 'value', 'change', 'why'], array_keys((array) $list[0]));
        $this->expectExceptionMessage('--json changes nothing');
        $this->tune(['--json' => true, '--apply' => true]);
    }

    public function testTheMachineIsReadBelowItsRoot(): void
    {
        $machine = new LocalMachine($this->root);

        self::assertSame(8 << 30, $machine->memory());
        self::assertSame(0xc000201000, $machine->capabilities());
        self::assertNull($machine->linuxRelease());
        self::assertFalse($machine->hasKernelTypes());
    }

    /**
     * @param array<string, bool> $options
     *
     * @return array{int, string}
     */
    private function tune(array $options): array
    {
        $tester = new CommandTester(new TuneCommand(new Tuner(new LocalMachine($this->root), $this->root)));

        return [$tester->execute($options), $tester->getDisplay()];
    }

    private function put(string $name, string $text): void
    {
        @mkdir(dirname($this->root . $name), 0777, true);
        file_put_contents($this->root . $name, $text);
    }

    private function get(string $name): string
    {
        return (string) file_get_contents($this->root . $name);
    }

    /** @return array<string, string> */
    private function everything(): array
    {
        $files = [];
        foreach (new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator($this->root, \FilesystemIterator::SKIP_DOTS)) as $file) {
            \assert($file instanceof \SplFileInfo);
            $files[$file->getPathname()] = (string) file_get_contents($file->getPathname());
        }

        return $files;
    }
}
