<?php

declare(strict_types=1);

namespace Tusk\Tests\Console;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\TestCase;
use Tusk\Console\Doctor\Doctor;
use Tusk\Console\Doctor\Finding;
use Tusk\Console\Doctor\KernelPaths;
use Tusk\Console\Doctor\LocalMachine;
use Tusk\Console\Doctor\Status;
use Tusk\Console\Doctor\ExtensionInfo;

#[CoversClass(Doctor::class)]
#[CoversClass(KernelPaths::class)]
#[CoversClass(LocalMachine::class)]
final class DoctorTest extends TestCase
{
    public function testAMachineThatHasEverythingHasNoRemedies(): void
    {
        foreach ($this->examine(new FakeMachine()) as $finding) {
            self::assertSame(Status::Good, $finding->status, $finding->name);
            self::assertSame('', $finding->remedy);
        }
    }

    public function testAMissingExtensionIsBadAndSaysHowToGetIt(): void
    {
        $finding = $this->examine(new FakeMachine(), new ExtensionInfo(null))['extension tusk'];

        self::assertSame(Status::Bad, $finding->status);
        self::assertStringContainsString('make ext', $finding->remedy);
    }

    public function testNobodyKnowsWhatAnExtensionThatIsNotLoadedWasBuiltWith(): void
    {
        $names = array_keys($this->examine(new FakeMachine(), new ExtensionInfo(null)));

        self::assertSame([], array_values(array_intersect(['OpenSSL', 'zlib', 'libbpf', 'sockmap', 'io_uring'], $names)));
        self::assertContains('low ports', $names);
    }

    public function testLibrariesLeftOutAreWarningsWithTheirPrice(): void
    {
        $findings = $this->examine(new FakeMachine(), new ExtensionInfo('0.1.0', ['tls' => 'not built in', 'permessage-deflate (zlib)' => '1.2.13']));

        self::assertSame(Status::Warning, $findings['OpenSSL']->status);
        self::assertStringContainsString('no TLS', $findings['OpenSSL']->remedy);
        self::assertSame(Status::Good, $findings['zlib']->status);
    }

    public function testASoftLimitUnderTheHardOneIsRaisedByUlimit(): void
    {
        $finding = $this->examine(new FakeMachine(files: [1024, 20_000]))['open files'];

        self::assertSame(Status::Warning, $finding->status);
        self::assertStringContainsString('ulimit -n 20000', $finding->remedy);
        self::assertStringContainsString('some 960 connections', $finding->value);
    }

    public function testAHardLimitIsRaisedOutsideTheShell(): void
    {
        $finding = $this->examine(new FakeMachine(files: [1024, 1024]))['open files'];

        self::assertStringContainsString('LimitNOFILE', $finding->remedy);
    }

    public function testUnlimitedFilesAreGood(): void
    {
        $finding = $this->examine(new FakeMachine(files: [PHP_INT_MAX, PHP_INT_MAX]))['open files'];

        self::assertSame(Status::Good, $finding->status);
        self::assertSame('unlimited (hard unlimited)', $finding->value);
    }

    public function testWhatThePlatformDoesNotTellIsLeftOut(): void
    {
        $findings = $this->examine(new FakeMachine(files: null, kernel: []));

        self::assertArrayNotHasKey('open files', $findings);
        self::assertArrayNotHasKey('listen queue', $findings);
        self::assertArrayNotHasKey('local ports', $findings);
    }

    public function testASmallListenQueueIsAWarning(): void
    {
        $finding = $this->examine(new FakeMachine(kernel: ['net/core/somaxconn' => '128']))['listen queue'];

        self::assertSame(Status::Warning, $finding->status);
        self::assertStringContainsString('sysctl', $finding->remedy);
    }

    public function testTooFewDescriptorsOfTheWholeMachineAreAWarningWithTheCommand(): void
    {
        $finding = $this->examine(new FakeMachine(kernel: ['fs/file-max' => '65536']))['open files of all'];

        self::assertSame(Status::Warning, $finding->status);
        self::assertStringContainsString('sysctl -w fs.file-max=', $finding->remedy);
    }

    public function testFewLocalPortsAreAWarning(): void
    {
        $finding = $this->examine(new FakeMachine(kernel: ['net/ipv4/ip_local_port_range' => "60000\t60999"]))['local ports'];

        self::assertSame(Status::Warning, $finding->status);
        self::assertStringContainsString('1,000 connections', $finding->value);
    }

    public function testSockmapNamesEverythingThatItLacksAndTheCommand(): void
    {
        $machine = new FakeMachine(release: '5.4.0', capabilities: 0, types: false);
        $finding = $this->examine($machine, new ExtensionInfo('0.1.0', ['tls' => 'x', 'permessage-deflate (zlib)' => 'x']))['sockmap'];

        self::assertSame(Status::Note, $finding->status);
        foreach (['5.14', 'BTF', 'libbpf', 'CAP_BPF, CAP_NET_ADMIN, CAP_PERFMON'] as $lack) {
            self::assertStringContainsString($lack, $finding->value);
        }
        self::assertStringContainsString('setcap cap_bpf,cap_net_admin,cap_perfmon+ep', $finding->remedy);
    }

    public function testAnAdministratorMayLoadProgramsWithoutTheNewerCapabilities(): void
    {
        self::assertSame(Status::Good, $this->examine(new FakeMachine(capabilities: 1 << 12 | 1 << 21))['sockmap']->status);
        self::assertStringContainsString('lacks CAP_NET_ADMIN', $this->examine(new FakeMachine(capabilities: 1 << 21))['sockmap']->value);
    }

    public function testIoUringThatIsSwitchedOffSaysHowToSwitchItOn(): void
    {
        $finding = $this->examine(new FakeMachine(kernel: ['kernel/io_uring_disabled' => '2']))['io_uring'];

        self::assertSame(Status::Note, $finding->status);
        self::assertStringContainsString('sysctl -w kernel.io_uring_disabled=0', $finding->remedy);
        self::assertSame(Status::Note, $this->examine(new FakeMachine(release: '5.15.0'))['io_uring']->status);
    }

    public function testIoUringTellsWhatTheExtensionAndTheKernelLack(): void
    {
        $without = $this->examine(new FakeMachine(), new ExtensionInfo('0.1.0', ['tls' => 'x', 'permessage-deflate (zlib)' => 'x']))['io_uring'];

        self::assertSame(Status::Note, $without->status);
        self::assertStringContainsString('liburing-dev', $without->remedy);
        self::assertStringContainsString('single receives', $this->examine(new FakeMachine(release: '6.1.0'))['io_uring']->value);
        self::assertStringNotContainsString('single', $this->examine(new FakeMachine(release: '6.17.2'))['io_uring']->value);
    }

    public function testLowPortsNeedTheCapabilityOrTheSetting(): void
    {
        self::assertSame(Status::Note, $this->examine(new FakeMachine(capabilities: 0))['low ports']->status);
        self::assertSame(Status::Good, $this->examine(new FakeMachine(capabilities: 1 << 10))['low ports']->status);
        self::assertSame(Status::Good, $this->examine(new FakeMachine(kernel: ['net/ipv4/ip_unprivileged_port_start' => '0'], capabilities: 0))['low ports']->status);
    }

    public function testWhatOnlyLinuxHasIsNotAskedForElsewhere(): void
    {
        self::assertArrayNotHasKey('sockmap', $this->examine(new FakeMachine(release: null)));
    }

    public function testAnOldPhpIsBad(): void
    {
        self::assertSame(Status::Bad, $this->examine(new FakeMachine(php: '8.1.30'))['PHP']->status);
    }

    public function testTablesNeedMbstringOrIconv(): void
    {
        self::assertSame(Status::Warning, $this->examine(new FakeMachine(extensions: ['pcntl']))['PHP mbstring']->status);
        self::assertSame(Status::Good, $this->examine(new FakeMachine(extensions: ['mbstring', 'iconv']))['PHP mbstring']->status);
        $found = $this->examine(new FakeMachine(extensions: ['iconv']));
        self::assertSame(Status::Good, $found['PHP iconv']->status);
        self::assertArrayNotHasKey('PHP mbstring', $found);
    }

    public function testXdebugIsNamedOnlyWhenItIsOn(): void
    {
        $with = ['pcntl', 'posix', 'pdo_sqlite', 'xdebug'];

        self::assertArrayNotHasKey('Xdebug', $this->examine(new FakeMachine(extensions: $with, xdebug: 'off')));
        self::assertSame(
            Status::Warning,
            $this->examine(new FakeMachine(extensions: $with, xdebug: 'develop'))['Xdebug']->status,
        );
    }

    public function testTheLocalMachineKnowsItself(): void
    {
        $machine = new LocalMachine();

        self::assertSame(PHP_VERSION, $machine->phpVersion());
        self::assertTrue($machine->hasPhpExtension('standard'));
        self::assertNull($machine->kernelSetting('no/such/setting'));
        if (function_exists('posix_getrlimit')) {
            self::assertIsArray($machine->openFiles());
            self::assertGreaterThan(0, $machine->openFiles()[0]);
        }
    }

    /** @return array<string, Finding> by name */
    private function examine(FakeMachine $machine, ?ExtensionInfo $extension = null): array
    {
        $extension ??= new ExtensionInfo('0.1.0', ['tls' => 'OpenSSL 3.0.19', 'permessage-deflate (zlib)' => '1.2.13', 'sockmap (libbpf)' => '1.1.2', 'io_uring (liburing)' => 'liburing 2.3']);

        return array_column((new Doctor($machine, $extension))->examine(), null, 'name');
    }
}
