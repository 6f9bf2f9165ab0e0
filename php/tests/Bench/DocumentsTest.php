<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use PHPUnit\Framework\Attributes\CoversNothing;
use Symfony\Component\Console\Input\StringInput;
use Symfony\Component\Console\Output\BufferedOutput;
use Tusk\Bench\Engine;
use Tusk\Bench\Engines;
use Tusk\Bench\LoadEngines;
use Tusk\Bench\Mode;
use Tusk\Console\Application;
use Tusk\Console\Argv;
use Tusk\Console\Doctor\ExtensionInfo;
use Tusk\Tests\Console\FakeLauncher;
use Tusk\Tests\Console\FakeMachine;

/** The documents of tusk bench say what the commands do. */
#[CoversNothing]
final class DocumentsTest extends BenchCase
{
    private const ROOT = __DIR__ . '/../../..';

    public function testTheReferenceIsWhatTheCommandsSay(): void
    {
        exec(implode(' ', array_map(escapeshellarg(...), [...self::php(), self::ROOT . '/tools/gen-cli-docs'])) . ' --check 2>&1', $output, $status);

        self::assertSame(0, $status, implode("\n", $output));
    }

    public function testEveryCommandOfTheGuideIsUnderstood(): void
    {
        $guide = (string) file_get_contents(self::ROOT . '/docs/guide/bench.md');
        preg_match_all('~^```(sh|yaml)\n(.*?)^```$~ms', $guide, $blocks, PREG_SET_ORDER);
        $before = (string) getcwd();
        $folder = sys_get_temp_dir() . '/tusk-bench-guide-' . getmypid();
        mkdir($folder);
        chdir($folder);
        try {
            foreach ($blocks as [, $language, $text]) {
                if ($language === 'yaml') {
                    file_put_contents('evening.yaml', $text);
                    continue;
                }
                foreach (array_filter(explode("\n", $text), static fn (string $line): bool => str_starts_with($line, 'tusk bench')) as $line) {
                    // On recordings the CPU of this very process says nothing, so the rate decides.
                    $given = str_replace(' 4711', ' ' . getmypid(), $line) . (str_contains($line, 'bench ab') ? ' --metric rate' : '');
                    [$status, $output] = $this->try($given);
                    self::assertSame(0, $status, "$line\n$output");
                }
            }
        } finally {
            chdir($before);
            array_map(unlink(...), glob("$folder/*") ?: []);
            rmdir($folder);
        }
        self::assertGreaterThan(15, substr_count($guide, "\ntusk bench"));
    }

    /**
     * With the engine's own options, but on recordings.
     *
     * @return array{int, string}
     */
    private function try(string $line): array
    {
        $engines = new class () implements Engines {
            public function options(Mode $mode): array
            {
                return (new LoadEngines())->options($mode);
            }

            public function create(Mode $mode, string $url, array $options): Engine
            {
                (new LoadEngines())->create($mode, $url, $options);

                return new Recording(more: isset($options['reconnect-storm']) ? ['reconnect' => array_fill(0, 5_000, 5_000_000)] : []);
            }
        };
        $application = new Application(ExtensionInfo::loaded(), new FakeLauncher(0), new FakeMachine(), $engines);
        $words = array_map(static fn (string $word): string => trim($word, "'"), preg_match_all("~'[^']*'|\S+~", $line, $m) > 0 ? $m[0] : []);
        $output = new BufferedOutput();
        $joined = array_slice(Argv::join($words, $application->names()), 1);

        return [$application->run(new StringInput(implode(' ', array_map(escapeshellarg(...), $joined))), $output), $output->fetch()];
    }
}
