<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/**
 * The bridge, against BEAR.Resource and Ray.Di themselves, in a process of its own: TUSK_BEAR names the autoload.php of a
 * directory where `composer require bear/resource` was run.
 */
final class PackageTest extends TestCase
{
    /** @return array<string, mixed> what Package/run.php says */
    private function ran(string ...$arguments): array
    {
        $autoload = getenv('TUSK_BEAR');
        if ($autoload === false) {
            self::markTestSkipped('BEAR.Resource is not here: TUSK_BEAR=/path/to/vendor/autoload.php names it');
        }
        $command = [PHP_BINARY, '-d', 'extension=' . dirname(__DIR__, 4) . '/build/ext/modules/tusk.so', __DIR__ . '/Package/run.php', $autoload, ...array_values($arguments)];
        $process = proc_open($command, [1 => ['pipe', 'w']], $pipes);
        self::assertIsResource($process);
        $output = (string) stream_get_contents($pipes[1]);
        self::assertSame(0, proc_close($process), $output);
        $said = json_decode($output, true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($said);

        /** @var array<string, mixed> $said */
        return $said;
    }

    /** @return iterable<string, array{string, string}> */
    public static function pages(): iterable
    {
        foreach (['json', 'hal'] as $renderer) {
            foreach (['dash?id=1', 'kinds', 'own', 'changed', 'crawled', 'user?id=2', 'none', 'errors', 'lost'] as $page) {
                yield "$renderer $page" => [$renderer, $page];
            }
        }
    }

    #[DataProvider('pages')]
    public function test_a_page_its_status_and_its_errors_are_those_of_the_package_alone(string $renderer, string $page): void
    {
        $said = $this->ran($renderer, $page);
        self::assertNotNull($said['alone']);
        self::assertSame($said['alone'], $said['parallel']);
    }

    public function test_embeds_run_in_workers_when_the_module_overrides_or_is_around_all(): void
    {
        foreach (['override', 'around'] as $how) {
            self::assertSame(['elsewhere' => true], $this->ran($how, 'where'), $how);
        }
    }
}
