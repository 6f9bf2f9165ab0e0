<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench\Suite;

use PHPUnit\Framework\TestCase;
use Tusk\Bench\LoadEngines;
use Tusk\Bench\Suite\Arguments;
use Tusk\Bench\Suite\Certificate;
use Tusk\Bench\Suite\ServerRuntimeSuite;
use Tusk\Bench\Suite\ChatSuite;
use Tusk\Bench\Suite\MessageRuntimeSuite;
use Tusk\Bench\Suite\Peer;
use Tusk\Bench\Suite\Peers;
use Tusk\Bench\Suite\ProtocolSuite;
use Tusk\Bench\Suite\Role;
use Tusk\Bench\Suite\Ports;
use Tusk\Bench\Suite\ServerProcess;
use Tusk\Bench\Suite\Table;

/** The parts of a comparison that need no load: who is there, what a table says, and the codecs. */
final class SuiteTest extends TestCase
{
    public function testWhoIsAbsentIsNamedWithTheWayToGetIt(): void
    {
        $table = new Table('protocol');
        self::assertFalse($table->peer(self::peer('gone', null)));
        self::assertTrue($table->peer(self::peer('here', 'here 1.0')));
        $table->add('encode', 'ops/s', self::peer('here', 'here 1.0'), 12.0);

        $text = $table->markdown();
        self::assertStringContainsString('- absent: gone (install gone)', $text);
        self::assertStringContainsString('| encode, ops/s | 12 (12 – 12) |', $text);
        self::assertStringContainsString('here 1.0', $text);
        self::assertSame(['gone' => 'install gone'], $table->toArray()['absent']);
    }

    public function testTheBareServerPlaysUpgradesWithASubprotocolToo(): void
    {
        self::assertSame(['echo', '9'], array_slice(Peers::all()['floor']->command(Role::Handshake, 9) ?? [], 1));
    }

    public function testPeersInPhpRunWithoutChecksAndTracing(): void
    {
        $seen = [];
        foreach (Peers::all() as $name => $peer) {
            foreach ([$peer->command(Role::Echo, 1), $peer->command(Role::Handshake, 1), $peer->codec(1, 64)] as $command) {
                if (($command[0] ?? '') === PHP_BINARY) {
                    $seen[$name] = true;
                    self::assertSame(['xdebug.mode=off', 'zend.assertions=-1'], array_values(array_intersect($command, ['xdebug.mode=off', 'zend.assertions=-1'])), $name);
                }
            }
        }
        self::assertArrayHasKey('tusk', $seen);
        self::assertArrayHasKey('workerman', $seen);
    }

    public function testBunIsFoundWhereNpmPutsIt(): void
    {
        $folder = sys_get_temp_dir() . '/tusk-suite-' . getmypid();
        $before = getenv('TUSK_PEER_NPM');
        try {
            foreach (['.bin', '@oven/bun-linux-x64/bin'] as $place) {
                mkdir("$folder/node_modules/$place", recursive: true);
                file_put_contents("$folder/node_modules/$place/bun", "#!/bin/sh\necho 9.8.7\n");
                chmod("$folder/node_modules/$place/bun", 0o755);
                putenv("TUSK_PEER_NPM=$folder");
                $bun = Peers::all()['bun'];

                self::assertSame('Bun 9.8.7', $bun->version());
                self::assertSame("$folder/node_modules/$place/bun", $bun->command(Role::Hello, 1)[0] ?? null);
                exec('rm -r ' . escapeshellarg("$folder/node_modules"));
            }
        } finally {
            exec('rm -rf ' . escapeshellarg($folder));
            putenv($before === false ? 'TUSK_PEER_NPM' : "TUSK_PEER_NPM=$before");
        }
    }

    public function testThoseWhoServeTheFileSayWhereItIs(): void
    {
        foreach (Peers::all() as $name => $peer) {
            self::assertSame(in_array($name, ['swoole', 'openswoole', 'bun', 'nginx'], true), $peer->command(Role::File, 1) !== null, $name);
            self::assertSame('/static/10k.bin', $peer->path(Role::File), $name);
        }
    }

    public function testAFailureTakesThePlaceOfEarlierFigures(): void
    {
        $table = new Table('x');
        $table->peer($peer = self::peer('here', 'here 1.0'));
        $table->add('echo', '/s', $peer, 1.0);
        $table->fail('echo', $peer, 'it ended');
        $table->add('echo', '/s', $peer, 2.0);

        self::assertTrue($table->failed());
        self::assertStringContainsString('| echo, /s | failed |', $table->markdown());
        self::assertStringContainsString('- failed: here in echo: it ended', $table->markdown());
    }

    public function testMedianOfAnEvenNumberLiesBetween(): void
    {
        self::assertSame(2.5, Table::median([4.0, 1.0, 3.0, 2.0]));
        self::assertNan(Table::median([]));
    }

    public function testAnUnknownPeerIsRefusedByName(): void
    {
        $this->expectExceptionMessage('there is no peer "nobody"; known are tusk, ');
        Peers::named(['tusk', 'nobody']);
    }

    public function testArgumentsAreReadInOrderAndRefusedByName(): void
    {
        $arguments = new Arguments(MessageRuntimeSuite::arguments(), ['7', '9']);
        self::assertSame([7, 9, 3], [$arguments->count('connections'), $arguments->count('messages'), $arguments->count('rounds')]);
        self::assertSame('ws', $arguments->text('transport'));

        $this->expectExceptionMessage('rounds is "many"; a whole number');
        (new Arguments(MessageRuntimeSuite::arguments(), ['7', '9', 'many']))->count('rounds');
    }

    public function testOneArgumentTooManyIsRefused(): void
    {
        $this->expectExceptionMessage('this suite takes iterations, and nothing like "8"');
        new Arguments(ProtocolSuite::arguments(), ['7', '8']);
    }

    public function testAServerThatDoesNotComeUpIsToldWithItsWords(): void
    {
        $log = (string) tempnam(sys_get_temp_dir(), 'tusk');
        try {
            new ServerProcess([PHP_BINARY, '-n', '-r', 'fwrite(STDERR, "no such thing"); exit(1);'], Ports::free(), $log);
            self::fail('it came up');
        } catch (\RuntimeException $fault) {
            self::assertSame('did not come up: no such thing', $fault->getMessage());
        } finally {
            unlink($log);
        }
    }

    public function testOurCodecIsMeasured(): void
    {
        if (!extension_loaded('tusk')) {
            self::markTestSkipped('the extension is not loaded');
        }
        $table = (new ProtocolSuite(500))->run(Peers::named(['tusk', 'native']), static function (string $now, float $share): void {
            self::assertGreaterThanOrEqual(0.0, $share);
            self::assertLessThan(1.0, $share);
        });
        $rounds = $table->cell('decode masked text, 1,024 B', Peers::all()['tusk']);
        self::assertIsArray($rounds);
        self::assertCount(5, $rounds);
        self::assertSame([], array_filter($rounds, static fn (float $rate): bool => $rate <= 0.0));
    }

    public function testMessagesAreMeasuredPlainThroughOwnTlsAndThroughTheTerminator(): void
    {
        if (!extension_loaded('tusk')) {
            self::markTestSkipped('the extension is not loaded');
        }
        $table = (new MessageRuntimeSuite(new LoadEngines(), 4, 20, 1, 'both'))->run(Peers::named(['tusk']), static function (): void {});
        foreach (['ws', 'wss', 'wss through the terminator'] as $way) {
            foreach (['idle', 'echo', 'broadcast'] as $scenario) {
                $rounds = $table->cell("$scenario, $way", Peers::all()['tusk']);
                self::assertIsArray($rounds, is_string($rounds) ? $rounds : "$scenario, $way");
                self::assertCount(1, $rounds);
                self::assertGreaterThan(0.0, $rounds[0]);
            }
        }
    }

    public function testUpgradesAreMeasuredByBothClocksWithAFreshServerEachRound(): void
    {
        if (!extension_loaded('tusk')) {
            self::markTestSkipped('the extension is not loaded');
        }
        $table = (new ServerRuntimeSuite(new LoadEngines(), 1000, 2))->run(Peers::named(['tusk']), static function (): void {});
        foreach (['upgrade + close', 'subprotocol upgrade + close'] as $scenario) {
            foreach (['', ", by the server's clock", ', client loop', ', client CPU'] as $clock) {
                $rounds = $table->cell($scenario . $clock, Peers::all()['tusk']);
                self::assertIsArray($rounds, is_string($rounds) ? $rounds : $scenario . $clock);
                self::assertCount(2, $rounds);
                self::assertSame([], array_filter($rounds, static fn (float $figure): bool => $figure <= 0.0), $scenario . $clock);
            }
        }
    }

    public function testTheChatIsMeasuredWhileSomebodyListens(): void
    {
        if (!extension_loaded('tusk')) {
            self::markTestSkipped('the extension is not loaded');
        }
        $table = (new ChatSuite(new LoadEngines(), 4, 10, 1))->run(Peers::named(['tusk']), static function (): void {});
        foreach (['page, a connection each', 'page, kept connections', 'post, one listening', 'events'] as $scenario) {
            foreach (['', ", by the server's clock", ', client CPU', ", server's memory"] as $what) {
                $rounds = $table->cell($scenario . $what, Peers::all()['tusk']);
                self::assertIsArray($rounds, is_string($rounds) ? $rounds : $scenario . $what);
                self::assertGreaterThan(0.0, $rounds[0] ?? 0.0, $scenario . $what);
            }
        }
        $heard = $table->cell('events to the one that listens, notices included', Peers::all()['tusk']);
        self::assertIsArray($heard);
        self::assertGreaterThanOrEqual(100.0, $heard[0] ?? 0.0, 'every message that was posted');
    }

    public function testACertificateGoesAwayWithItsObject(): void
    {
        $certificate = Certificate::make();
        $files = [$certificate->certificate, $certificate->key];
        self::assertStringContainsString('BEGIN CERTIFICATE', (string) file_get_contents($files[0]));
        unset($certificate);
        self::assertSame([false, false], array_map(file_exists(...), $files));
    }

    private static function peer(string $name, ?string $version): Peer
    {
        return new class ($name, $version) extends Peer {
            public function __construct(private readonly string $name, private readonly ?string $version) {}

            public function name(): string
            {
                return $this->name;
            }

            public function version(): ?string
            {
                return $this->version;
            }

            public function install(): string
            {
                return "install {$this->name}";
            }

            public function command(Role $role, int $port, ?Certificate $tls = null): ?array
            {
                return null;
            }
        };
    }
}
