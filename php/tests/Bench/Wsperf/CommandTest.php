<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench\Wsperf;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Bench\Wsperf\BadCommand;
use Tusk\Bench\Wsperf\Command;
use Tusk\Bench\Wsperf\Share;
use Tusk\Bench\Wsperf\Targets;

/** wsperf's command strings, what they may aim at, and how a plan is cut. */
final class CommandTest extends TestCase
{
    public function testArgumentsEndWithASemicolonAndValuesMayHoldColonsAndEqualsSigns(): void
    {
        $command = Command::parse('message_test:uri=ws://localhost:9000/?a=b;token=t1;bare;size=1;size=2;lost=3');
        self::assertSame('message_test', $command->name);
        self::assertSame(['uri' => 'ws://localhost:9000/?a=b', 'token' => 't1', 'bare' => '', 'size' => '2'], $command->arguments);
    }

    public function testWithoutAColonThereIsNoName(): void
    {
        self::assertSame('', Command::parse('hello')->name);
        self::assertSame([], Command::parse('hello')->arguments);
    }

    public function testBooleansAreExactlyTrueAndFalse(): void
    {
        $command = Command::parse('x:a=true;b=false;c=1;d=TRUE;');
        self::assertTrue($command->flag('a'));
        self::assertFalse($command->flag('b'));
        foreach (['c', 'd', 'e'] as $key) {
            self::assertRefused("Invalid $key parameter.", static fn (): bool => $command->flag($key));
        }
    }

    public function testCountsAreWholeNumbersInRange(): void
    {
        $command = Command::parse('x:a=7;b=-1;c=1.5;d=;e=11;f=99999999999999999999;');
        self::assertSame(7, $command->count('a', 10));
        self::assertSame(3, $command->count('g', 10, 3));
        foreach (['b', 'c', 'd', 'e', 'f', 'g'] as $key) {
            self::assertRefused("Invalid $key parameter.", static fn (): int => $command->count($key, 10));
        }
    }

    public function testWhatIsWrittenIsRead(): void
    {
        $text = Command::write('bench_test', ['mode' => 'ws-echo', 'rate' => 2.5, 'binary' => true, 'count' => 3]);
        self::assertSame('bench_test:mode=ws-echo;rate=2.5;binary=true;count=3;', $text);
        $this->expectExceptionMessage('header holds a semicolon');
        Command::write('bench_test', ['header' => 'Cookie: a=1; b=2']);
    }

    /** @return array<string, array{string, bool}> */
    public static function targets(): array
    {
        return [
            'loopback' => ['ws://127.0.0.1:9001/', true],
            'all of 127/8' => ['ws://127.8.9.10/', true],
            'localhost' => ['wss://LOCALHOST/', true],
            'IPv6 loopback' => ['ws://[::1]:80/', true],
            'elsewhere' => ['ws://192.0.2.1/', false],
            'a name that begins like it' => ['ws://127.0.0.1.example.org/', false],
            'user part that looks like it' => ['ws://127.0.0.1@example.org/', false],
            'allowed host' => ['ws://bench.example.org:1234/', true],
            'allowed port' => ['ws://10.0.0.7:9001/', true],
            'its default port' => ['wss://10.0.0.8/', true],
            'another port' => ['ws://10.0.0.7:9002/', false],
            'no address' => ['nonsense', false],
        ];
    }

    #[DataProvider('targets')]
    public function testTargetsAreThisMachineAndWhatWasAllowed(string $uri, bool $allowed): void
    {
        $targets = new Targets(['bench.example.org', '10.0.0.7:9001', '10.0.0.8:443']);
        try {
            $targets->check($uri);
            self::assertTrue($allowed);
        } catch (BadCommand) {
            self::assertFalse($allowed);
        }
    }

    public function testABadPatternIsRefused(): void
    {
        $this->expectExceptionMessage('--allow "http://x/": a host, or host:port, is wanted');
        new Targets(['http://x/']);
    }

    public function testTotalsAreCutAndNothingIsLost(): void
    {
        $known = [];
        foreach (['connections' => '10', 'rate' => '0', 'size' => '64', 'seed' => '1', 'count' => '0'] as $name => $default) {
            $known[$name] = ['type' => 'count', 'default' => $default, 'unit' => '', 'help' => ''];
        }
        $shares = array_map(static fn (int $i): array => Share::of(['rate' => '9k', 'size' => 16, 'allow-remote' => true], $known, 3, $i), [0, 1, 2]);
        self::assertSame([4, 3, 3], array_column($shares, 'connections'));
        self::assertSame([3000.0, 3000.0, 3000.0], array_column($shares, 'rate'));
        self::assertSame([16, 16, 16], array_column($shares, 'size'));
        self::assertSame([1, 2, 3], array_column($shares, 'seed'));
        self::assertArrayNotHasKey('count', $shares[0]);
        self::assertArrayNotHasKey('allow-remote', $shares[0]);
        $this->expectExceptionMessage('connections is 2, less than one for each of 3 agents');
        Share::of(['connections' => 2], $known, 3, 2);
    }

    private static function assertRefused(string $message, \Closure $call): void
    {
        try {
            $call();
            self::fail('not refused');
        } catch (BadCommand $fault) {
            self::assertSame($message, $fault->getMessage());
        }
    }
}
