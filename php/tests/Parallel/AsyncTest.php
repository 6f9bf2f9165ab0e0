<?php

declare(strict_types=1);

namespace Tusk\Tests\Parallel;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Parallel;
use Tusk\Parallel\Async;
use Tusk\Parallel\Cancelled;
use Tusk\Parallel\DeadlineExceeded;
use Tusk\Timer;

final class AsyncTest extends TestCase
{
    /** @var list<string> */
    private array $log = [];

    /** Waits, says so, and gives its name or throws it. */
    private function job(string $name, float $seconds = 0.0, bool $fails = false): \Closure
    {
        return function () use ($name, $seconds, $fails): string {
            try {
                Timer::sleep($seconds);
                $this->log[] = $name;
            } catch (Cancelled $e) {
                $this->log[] = "$name cancelled";
                throw $e;
            }
            return $fails ? throw new \DomainException($name) : $name;
        };
    }

    public function testKeysAndOrderAreTheJobsOwnAndWhatWaitsWaitsSideBySide(): void
    {
        self::assertSame(['slow' => 'slow', 7 => 'quick', 'x' => 3], Parallel::async(['slow' => $this->job('slow', 0.05), 7 => $this->job('quick', 0.001), 'x' => ['strlen', 'abc']]));
        self::assertSame(['quick', 'slow'], $this->log);
        self::assertSame([], Parallel::async([]));
    }

    public function testJobsMayComeFromAGenerator(): void
    {
        $jobs = (function (): \Generator {
            yield 'a' => $this->job('a');
            yield 'b' => $this->job('b');
        })();
        self::assertSame(['a' => 'a', 'b' => 'b'], Parallel::async($jobs));
    }

    public function testClosuresMayCaptureByReference(): void
    {
        $sum = 0;
        $add = static function (int $n) use (&$sum): void {
            $sum += $n;
        };
        Parallel::async(array_map(static fn (int $n): array => [$add, $n], range(1, 10)));
        self::assertSame(55, $sum);
    }

    public function testConcurrencyIsALimit(): void
    {
        $running = $most = 0;
        $job = static function () use (&$running, &$most): void {
            $most = max($most, ++$running);
            Timer::sleep(0.001);
            $running--;
        };
        Parallel::async(array_fill(0, 20, $job), concurrency: 4);
        self::assertSame(4, $most);
    }

    public function testTheFirstFailureInOrderIsThrownAndTheOthersAreTold(): void
    {
        try {
            Parallel::async([$this->job('first', 0.02, true), $this->job('second', 0.0, true), $this->job('fine'), $this->job('third', 0.001, true)]);
            self::fail('nothing was thrown');
        } catch (\DomainException $e) {
            self::assertSame('first', $e->getMessage());
            self::assertSame(['second', 'third'], array_map(static fn (\Throwable $e): string => $e->getMessage(), Parallel::suppressed($e)));
        }
    }

    public function testFailFastCancelsTheOthersAtTheirWait(): void
    {
        try {
            Parallel::async(['for ever' => $this->job('for ever', 1e6), 'fails' => $this->job('fails', 0.001, true)], failFast: true);
            self::fail('nothing was thrown');
        } catch (\DomainException $e) {
            self::assertSame('fails', $e->getMessage());
        }
        self::assertSame(['fails', 'for ever cancelled'], $this->log);
    }

    public function testADeadlineEndsWhatWaits(): void
    {
        try {
            Parallel::async(['late' => $this->job('late', 1e6), 'in time' => $this->job('in time')], deadline: 0.02);
            self::fail('nothing was thrown');
        } catch (DeadlineExceeded $e) {
            self::assertSame('The deadline passed while the task ran', $e->getMessage());
        }
        self::assertSame(['in time'], $this->log);
        $this->expectException(DeadlineExceeded::class);
        Parallel::async([$this->job('never')], deadline: 0.0);
    }

    public function testEveryShapeTakesTheEngine(): void
    {
        $engine = new Async();
        self::assertSame('quick', Parallel::any(['bad' => $this->job('bad', 0.0, true), 'quick' => $this->job('quick', 0.001), 'for ever' => $this->job('for ever', 1e6)], engine: $engine));
        self::assertSame(['bad', 'quick', 'for ever cancelled'], $this->log);
        self::assertSame('b', Parallel::race([$this->job('a', 1e6), $this->job('b', 0.001)], engine: $engine));
        self::assertSame(['x' => 4, 'y' => 6], Parallel::map(['x' => 2, 'y' => 3], static fn (int $n): int => $n * 2, engine: $engine));
        $settled = Parallel::settle(['good' => $this->job('good'), 'bad' => $this->job('bad', 0.0, true)], engine: $engine);
        self::assertSame([true, false], [$settled['good']->ok, $settled['bad']->ok]);
        $seen = [];
        foreach (Parallel::each(['slow' => $this->job('slow', 0.02), 'quick' => $this->job('quick'), 'next' => $this->job('next')], concurrency: 2, engine: $engine) as $key => $outcome) {
            $seen[$key] = $outcome->value();
        }
        self::assertSame(['quick' => 'quick', 'next' => 'next', 'slow' => 'slow'], $seen);
        foreach (Parallel::each([$this->job('one'), $this->job('left', 1e6)], engine: $engine) as $outcome) {
            break;
        }
        Parallel::async([$this->job('later')]); // before PHP 8.4 nothing can be cancelled while an iterator is destroyed: it is here
        self::assertContains('left cancelled', $this->log);
    }

    /** @return list<array{string}> */
    public static function firsts(): array
    {
        return [['race'], ['any'], ['each, left early'], ['a failure, fast']];
    }

    #[DataProvider('firsts')]
    public function testWhoWaitsForTheFirstOfSeveralHasItBeforeTheOthersBegin(string $shape): void
    {
        $began = 0;
        $jobs = array_fill(0, 5, static function () use (&$began, $shape): string {
            $began++; // and never waits
            return $shape === 'a failure, fast' ? throw new \DomainException('first') : 'first';
        });
        $first = null;
        try {
            $first = match ($shape) {
                'race' => Parallel::race($jobs, engine: new Async()),
                'any' => Parallel::any($jobs, engine: new Async()),
                'each, left early' => Parallel::each($jobs, engine: new Async())->current()->value(),
                default => Parallel::all($jobs, failFast: true, engine: new Async()),
            };
        } catch (\DomainException $e) {
            $first = $e->getMessage();
        }
        self::assertSame(['first', 1], [$first, $began]);
    }

    public function testTheOthersBeginWhereNobodyCancelsThem(): void
    {
        $engine = new Async();
        $tasks = $engine->submit(array_fill(0, 5, static fn (): int => 1));
        \assert($tasks !== []);
        self::assertSame(0, $engine->wait($tasks));
        self::assertSame([1, 1, 1, 1, 1], array_map(static fn (Parallel\Task $t): mixed => $t->await(), $tasks));
    }

    public function testTasksMayBeNested(): void
    {
        $inner = fn (string $name): \Closure => fn (): array => Parallel::async([$this->job("$name 1", 0.001), $this->job("$name 2")]);
        self::assertSame([['a 1', 'a 2'], ['b 1', 'b 2']], Parallel::async([$inner('a'), $inner('b')]));
    }
}
