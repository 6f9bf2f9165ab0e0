<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Input\ArgvInput;
use Symfony\Component\Console\Output\BufferedOutput;
use Tusk\Bench\Mode;
use Tusk\Bench\Observer;
use Tusk\Bench\Plan;
use Tusk\Bench\Result;
use Tusk\Bench\Run;
use Tusk\Bench\Snapshot;
use Tusk\Console\Application;
use Tusk\Console\Argv;
use Tusk\Console\Doctor\ExtensionInfo;
use Tusk\Tests\Console\FakeLauncher;
use Tusk\Tests\Console\FakeMachine;

/** Results of recordings, and files that go away. */
abstract class BenchCase extends TestCase
{
    /** @var list<string> */
    private array $files = [];

    protected function setUp(): void
    {
        if (!extension_loaded('tusk')) {
            self::markTestSkipped('the extension is not loaded');
        }
    }

    protected function tearDown(): void
    {
        array_map(static fn (string $file): bool => @unlink($file), $this->files);
        $this->files = [];
    }

    protected function path(string $suffix): string
    {
        return $this->files[] = sys_get_temp_dir() . '/tusk-bench-' . getmypid() . '-' . count($this->files) . $suffix;
    }

    protected function file(string $suffix, string $text): string
    {
        file_put_contents($path = $this->path($suffix), $text);

        return $path;
    }

    /** @return non-empty-list<string> what runs PHP with the extension in a process of its own */
    protected static function php(): array
    {
        $extension = dirname(__DIR__, 3) . '/build/ext/modules/tusk.so';

        return [PHP_BINARY, ...(is_file($extension) ? ['-d', "extension=$extension"] : [])];
    }

    /** @return array{int, string} status and output of `tusk bench …` in this process */
    protected static function bench(string ...$words): array
    {
        $output = new BufferedOutput();
        $application = new Application(ExtensionInfo::loaded(), new FakeLauncher(0), new FakeMachine(), typed: array_values($words));
        $status = $application->run(new ArgvInput(Argv::join(['tusk', 'bench', ...array_values($words)], $application->names())), $output);

        return [$status, $output->fetch()];
    }

    /** @param array<string, string|int|float|bool> $options */
    protected static function measured(?Recording $recording = null, array $options = [], Mode $mode = Mode::WsEcho, string $url = 'ws://127.0.0.1:9001/'): Result
    {
        $plan = new Plan($mode, $url, $options, arguments: ['bench', $mode->value, $url]);

        return (new Run($plan, $recording ?? new Recording(), self::nobody(), version: '1.0'))->measure(['connections' => '10', 'rate' => '0']);
    }

    protected static function nobody(): Observer
    {
        return new class () implements Observer {
            public function begin(Plan $plan): void {}

            public function update(Snapshot $now): void {}

            public function end(): void {}
        };
    }
}
