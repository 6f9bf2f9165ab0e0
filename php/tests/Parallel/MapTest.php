<?php

declare(strict_types=1);

namespace Tusk\Tests\Parallel;

use PHPUnit\Framework\TestCase;
use Tusk\Parallel;
use Tusk\Parallel\CannotTravel;
use Tusk\Parallel\Pool;

/** What is said of a piece of map(). */
final class MapTest extends TestCase
{
    /** @return resource */
    public static function file()
    {
        return tmpfile() ?: throw new \LogicException('no file');
    }

    public function testWhatBecameOfAPieceNamesTheFunctionThatIsMapped(): void
    {
        $pool = new Pool(workers: 1);
        $line = __LINE__ + 1;
        $functions = ['closure of ' . __FILE__ . ":$line" => static fn (int $n): mixed => self::file(), self::class . '::file()' => [self::class, 'file']];
        foreach ($functions as $name => $function) {
            try {
                Parallel::map([1], $function, engine: $pool);
                self::fail("nothing was thrown of $name");
            } catch (CannotTravel $error) {
                self::assertStringContainsString("(task: $name)", $error->getMessage());
            }
        }
        $pool->close();
    }
}
