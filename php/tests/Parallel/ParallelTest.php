<?php

declare(strict_types=1);

namespace Tusk\Tests\Parallel;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Parallel;
use Tusk\Parallel\Async;
use Tusk\Parallel\CannotTravel;
use Tusk\Parallel\DeadlineExceeded;
use Tusk\Parallel\Engine;
use Tusk\Parallel\NoJobs;
use Tusk\Parallel\OnFull;
use Tusk\Parallel\Outcome;
use Tusk\Parallel\Pool;
use Tusk\Parallel\QueueFull;
use Tusk\Parallel\Sync;
use Tusk\Server;
use Tusk\Timer;

final class ParallelTest extends TestCase
{
    private static ?Pool $pool = null;

    public static function tearDownAfterClass(): void
    {
        self::$pool?->close();
        self::$pool = null;
        Parallel::use(new Sync());
    }

    /** @return array<string, array{bool}> */
    public static function engines(): array
    {
        return ['pool' => [true], 'sync' => [false]];
    }

    private function with(bool $pool): Engine
    {
        $engine = $pool ? self::$pool ??= new Pool(workers: 2) : new Sync();
        Parallel::use($engine);
        return $engine;
    }

    public static function times(int $a, int $b): int
    {
        return $a * $b;
    }

    public static function throws(string $message): never
    {
        throw new \DomainException($message);
    }

    #[DataProvider('engines')]
    public function testAllKeepsKeysAndOrder(bool $pool): void
    {
        $this->with($pool);
        $slow = static function (): string {
            usleep(10000);
            return 'slow';
        };
        self::assertSame(['slow' => 'slow', 7 => 6, 'x' => 8], Parallel::all(['slow' => $slow, 7 => [self::class, 'times', 2, 3], 'x' => static fn () => 8]));
        self::assertSame([], Parallel::all([]));
    }

    #[DataProvider('engines')]
    public function testTheFirstFailureInOrderIsThrownAndTheOthersAreTold(bool $pool): void
    {
        $this->with($pool);
        $late = static function (): never {
            usleep(20000);
            throw new \RangeException('first in order');
        };
        try {
            Parallel::all(['a' => $late, 'b' => [self::class, 'throws', 'second'], 'c' => static fn () => 1, 'd' => [self::class, 'throws', 'third']]);
            self::fail('nothing was thrown');
        } catch (\RangeException $error) {
            self::assertSame('first in order', $error->getMessage());
            self::assertSame(['second', 'third'], array_map(static fn (\Throwable $e) => $e->getMessage(), Parallel::suppressed($error)));
        }
    }

    public function testAFailureThatSeveralTasksShareIsNotBesideItselfAndGoesWithWhoHasIt(): void
    {
        $shared = new \DomainException('no server');
        $gone = \WeakReference::create($shared);
        $fails = static fn () => throw $shared;
        $other = static fn () => throw new \LogicException('mine');
        try {
            Parallel::async([$fails, $fails, $other, $fails]);
            self::fail('nothing was thrown');
        } catch (\DomainException $thrown) {
            self::assertSame($shared, $thrown);
            self::assertSame(['mine'], array_map(static fn (\Throwable $e): string => $e->getMessage(), Parallel::suppressed($thrown)));
        }
        unset($shared, $thrown, $fails, $other);
        gc_collect_cycles();
        self::assertNull($gone->get());
    }

    public function testFailFastCancelsTheOthers(): void
    {
        $this->with(true);
        $this->expectException(\DomainException::class);
        Parallel::all(['for ever' => static function (): void {
            for (;;) {
                usleep(1000);
            }
        }, 'fails' => [self::class, 'throws', 'fast']], failFast: true);
    }

    public function testWhoIsCancelledWhileHeWaitsLeavesNothingBehind(): void
    {
        foreach ([false, true] as $failFast) {
            $went = [];
            $gate = new class () {
                public bool $open = false; // whoever is left behind would go on when it is, and not before, however long all of this takes
            };
            $wait = static function () use (&$went, $gate): void {
                while (!$gate->open) {
                    Timer::sleep(0.001);
                }
                $went[] = 'on';
            };
            $caller = (new Async())->submit([static fn () => Parallel::all([$wait, $wait], failFast: $failFast, engine: new Async())])[0];
            (new Async())->submit([static fn () => Timer::sleep(0.001)])[0]->await(); // it waits
            $caller->cancel();
            $gate->open = true;
            (new Async())->submit([static fn () => Timer::sleep(0.05)])[0]->await();
            self::assertSame([], $went, $failFast ? 'failFast' : 'all');
        }
    }

    public function testEachLooksForAJobOnlyWhenThereIsAPlaceForIt(): void
    {
        $jobs = static function (): \Generator {
            yield 'a' => static fn () => 1;
            throw new \RangeException('no more');
        };
        $told = [];
        try {
            foreach (Parallel::each($jobs(), concurrency: 1, engine: new Sync()) as $key => $outcome) {
                $told[$key] = $outcome->value();
            }
            self::fail('nothing was thrown');
        } catch (\RangeException) {
            self::assertSame(['a' => 1], $told);
        }
    }

    #[DataProvider('engines')]
    public function testSettleTellsEach(bool $pool): void
    {
        $this->with($pool);
        $outcomes = Parallel::settle(['good' => static function (): int {
            echo 'said';
            return 1;
        }, 'bad' => [self::class, 'throws', 'no'], 'late' => static fn () => 2]);
        self::assertSame(['good', 'bad', 'late'], array_keys($outcomes));
        self::assertTrue($outcomes['good']->ok);
        self::assertSame(1, $outcomes['good']->value());
        self::assertSame('said', $outcomes['good']->output);
        self::assertInstanceOf(\DomainException::class, $outcomes['bad']->error);
        $this->expectException(\DomainException::class);
        $outcomes['bad']->value();
    }

    #[DataProvider('engines')]
    public function testEachTakesFromAnIteratorAndYieldsWhatEnds(bool $pool): void
    {
        $this->with($pool);
        $made = 0;
        $jobs = (static function () use (&$made): \Generator {
            for ($i = 0; $i < 20; $i++) {
                $made++;
                yield "k$i" => [self::class, 'times', $i, 2];
            }
        })();
        $seen = [];
        foreach (Parallel::each($jobs, concurrency: 3) as $key => $outcome) {
            self::assertLessThanOrEqual(\count($seen) + 3, $made); // and none is looked for before there is a place
            $seen[$key] = $outcome->value();
        }
        ksort($seen, SORT_NATURAL);
        self::assertSame(array_combine(array_map(static fn (int $i) => "k$i", range(0, 19)), range(0, 38, 2)), $seen);
    }

    public function testEachTellsOfEveryJobWhateverAnIteratorsKeysAre(): void
    {
        $jobs = static function (): \Generator {
            yield from [static fn () => 'a', static fn () => 'b'];
            yield from [static fn () => 'c', static fn () => 'd'];
            yield 1.5 => static fn () => 'e';
            yield null => static fn () => 'f';
            yield new \ArrayObject() => static fn () => 'g';
        };
        $told = [];
        foreach (Parallel::each($jobs(), engine: new Sync()) as $key => $outcome) {
            $told[] = [get_debug_type($key), $outcome->value()];
        }
        self::assertSame([['int', 'a'], ['int', 'b'], ['int', 'c'], ['int', 'd'], ['float', 'e'], ['null', 'f'], ['ArrayObject', 'g']], $told);
    }

    public function testAsyncRefusesAKeyThatComesTwice(): void
    {
        $this->expectException(\ValueError::class);
        $this->expectExceptionMessage('two jobs have the key 0');
        Parallel::async((static function (): \Generator {
            yield from [static fn () => 1];
            yield from [static fn () => 2];
        })());
    }

    public function testLeavingEachEarlyCancelsWhatIsUnderWay(): void
    {
        $engine = $this->with(true);
        $forever = static function (): void {
            for (;;) {
                usleep(1000);
            }
        };
        foreach (Parallel::each(['quick' => static fn () => 1, 'a' => $forever, 'b' => $forever]) as $key => $outcome) {
            self::assertSame('quick', $key);
            break;
        }
        unset($outcome);
        self::assertSame(5, $engine->submit([static fn () => 5])[0]->await());
    }

    #[DataProvider('engines')]
    public function testAnyGivesTheFirstResultAndRaceWhatEndsFirst(bool $pool): void
    {
        $this->with($pool);
        self::assertSame(1, Parallel::any(['bad' => [self::class, 'throws', 'x'], 'good' => static fn () => 1]));
        try {
            Parallel::any([[self::class, 'throws', 'x'], [self::class, 'throws', 'y']]);
            self::fail('nothing was thrown');
        } catch (\DomainException $error) {
            self::assertSame('x', $error->getMessage());
            self::assertCount(1, Parallel::suppressed($error));
        }
        self::assertSame('first', Parallel::race([static fn () => 'first', static function (): string {
            usleep(200000);
            return 'second';
        }]));
        $this->expectException(NoJobs::class);
        Parallel::race([]);
    }

    #[DataProvider('engines')]
    public function testMapKeepsKeysWhateverTheChunk(bool $pool): void
    {
        $this->with($pool);
        $items = ['a' => 1, 'b' => 2, 5 => 3, 'c' => 4];
        $factor = 10;
        foreach ([0, 1, 3, 100] as $chunk) {
            self::assertSame(['a' => 10, 'b' => 20, 5 => 30, 'c' => 40], Parallel::map($items, static fn (int $x): int => $x * $factor, $chunk));
        }
        self::assertSame([], Parallel::map([], 'strlen'));
        self::assertSame([3, 1], Parallel::map(['abc', 'd'], 'strlen'));
    }

    #[DataProvider('engines')]
    public function testTaskTakesArguments(bool $pool): void
    {
        $this->with($pool);
        self::assertSame(12, Parallel::task([self::class, 'times'], 3, 4)->await());
        self::assertSame('ab', Parallel::task(static fn (string $a, string $b) => $a . $b, 'a', 'b')->await());
        $this->expectException(DeadlineExceeded::class);
        Parallel::all([static fn () => 1], deadline: 0.0);
    }

    public function testInsideATaskTheSamePoolIsUsed(): void
    {
        $this->with(true);
        self::assertSame([2, 4], Parallel::task(static fn () => Parallel::all([[self::class, 'times', 1, 2], [self::class, 'times', 2, 2]]))->await());
    }

    public function testConcurrencyAndChunkAreChecked(): void
    {
        $this->with(false);
        foreach ([static fn () => iterator_to_array(Parallel::each([], 0)), static fn () => Parallel::map([1], 'abs', -1)] as $wrong) {
            try {
                $wrong();
                self::fail('nothing was thrown');
            } catch (\ValueError $error) {
                self::assertStringContainsString('at least', $error->getMessage());
            }
        }
    }

    /** @return iterable<string, array{\Closure(): mixed, string, string}> how it is made, the extension that has it, what the refusal says */
    public static function liveThings(): iterable
    {
        yield 'a file' => [static fn () => tmpfile(), 'standard', 'resource (stream)'];
        yield 'a socket as stream' => [static fn () => stream_socket_server('tcp://127.0.0.1:0'), 'standard', 'resource (stream)'];
        yield 'a file object' => [static fn () => new \SplTempFileObject(), 'spl', 'live object of SplTempFileObject'];
        yield 'a socket' => [static fn () => socket_create(AF_INET, SOCK_STREAM, SOL_TCP), 'sockets', 'live object of Socket'];
        yield 'PDO' => [static fn () => new \PDO('sqlite::memory:'), 'pdo_sqlite', 'live object of PDO'];
        yield 'a statement' => [static fn () => (new \PDO('sqlite::memory:'))->query('SELECT 1'), 'pdo_sqlite', 'live object of PDOStatement'];
        yield 'mysqli' => [static fn () => mysqli_init(), 'mysqli', 'live object of mysqli'];
        yield 'Redis' => [static fn () => new \Redis(), 'redis', 'live object of Redis'];
        yield 'curl' => [static fn () => curl_init(), 'curl', 'live object of CurlHandle'];
        yield 'several transfers of curl' => [static fn () => curl_multi_init(), 'curl', 'live object of CurlMultiHandle'];
        yield 'SQLite' => [static fn () => new \SQLite3(':memory:'), 'sqlite3', 'live object of SQLite3'];
        yield 'a server' => [static fn () => new Server(), 'tusk', 'live object of Tusk\Server'];
        yield 'a file in an object' => [static fn () => (object) ['log' => tmpfile()], 'standard', '->log: resource (stream)'];
        yield 'mysqli in an object' => [static fn () => (object) ['db' => mysqli_init()], 'mysqli', '->db: live object of mysqli'];
        yield 'a client of one' => [static fn () => new class (new \PDO('sqlite::memory:')) {
            public function __construct(private \PDO $db) {}

            public function db(): \PDO
            {
                return $this->db;
            }
        }, 'pdo_sqlite', '->db: live object of PDO'];
    }

    /** @param \Closure(): mixed $make */
    #[DataProvider('liveThings')]
    public function testWhatIsLiveIsRefusedByItsNameAndNeverShared(\Closure $make, string $extension, string $says): void
    {
        if (!\extension_loaded($extension)) {
            self::markTestSkipped("PHP has no extension $extension");
        }
        $engine = $this->with(true);
        $live = $make();
        foreach (["\$closure['live']" => static fn (): mixed => $live, "\$closure['deep']['x'][0]" => (static function () use ($live): \Closure {
            $deep = ['x' => [$live]];
            return static fn (): mixed => $deep;
        })()] as $path => $job) {
            try {
                $engine->submit([$job]);
                self::fail('it was taken');
            } catch (CannotTravel $e) {
                self::assertStringStartsWith($path, $e->getMessage());
                self::assertStringContainsString($says, $e->getMessage());
            }
        }
        self::assertSame(0, $engine->stats()['guests']);
    }

    public function testTaskRefusesNamesOfArgumentsWhichWouldBeLost(): void
    {
        $this->with(false);
        $this->expectException(\ArgumentCountError::class);
        Parallel::task([self::class, 'times'], b: 2, a: 1);
    }

    /** @return iterable<string, array{\Closure(): Engine}> */
    public static function allEngines(): iterable
    {
        yield 'pool' => [static fn (): Engine => self::$pool ??= new Pool(workers: 2)];
        yield 'small queue' => [static fn (): Engine => new Pool(workers: 1, max: 1, queue: 2)];
        yield 'sync' => [static fn (): Engine => new Sync()];
        yield 'async' => [static fn (): Engine => new Async()];
    }

    /** @param \Closure(): Engine $engine */
    #[DataProvider('allEngines')]
    public function testAJobThatCannotTravelIsItsOwnOutcomeAndTheOthersGoOn(\Closure $engine): void
    {
        $engine = $engine();
        $ran = (string) tempnam(sys_get_temp_dir(), 'tusk');
        $work = ['file_put_contents', $ran, 'x', FILE_APPEND];
        $jobs = ['a' => $work, 'b' => 5, 'c' => $work, 'd' => $work, 'e' => $work, 'f' => ['strrev', 'abc']];
        foreach ([
            Parallel::settle($jobs, engine: $engine), // @phpstan-ignore argument.type
            iterator_to_array(Parallel::each($jobs, concurrency: 2, engine: $engine)), // @phpstan-ignore argument.type
        ] as $n => $outcomes) {
            $n === 0 ? self::assertSame(array_keys($jobs), array_keys($outcomes)) : ksort($outcomes);
            self::assertInstanceOf(CannotTravel::class, $outcomes['b']->error);
            self::assertStringStartsWith('$job: is neither a closure', $outcomes['b']->error->getMessage());
            self::assertSame([false, '', 0], [$outcomes['b']->ok, $outcomes['b']->output, $outcomes['b']->stats['run_us']]);
            self::assertSame(array_keys($outcomes['a']->stats), array_keys($outcomes['b']->stats));
            self::assertSame([1, 1, 1, 1, 'cba'], array_map(static fn (string $key): mixed => $outcomes[$key]->value(), ['a', 'c', 'd', 'e', 'f']));
        }
        self::assertSame(8, filesize($ran)); // each once
        unlink($ran);
        if ($engine !== self::$pool) {
            $engine->close();
        }
    }

    /** @param \Closure(): Engine $engine */
    #[DataProvider('allEngines')]
    public function testAJobThatCannotTravelIsOneFailureOfAny(\Closure $engine): void
    {
        $engine = $engine();
        self::assertSame('cba', Parallel::any([5, [self::class, 'throws', 'no'], ['strrev', 'abc'], 6], engine: $engine)); // @phpstan-ignore argument.type
        try {
            Parallel::any(['a' => [self::class, 'throws', 'no'], 'b' => 5, 'c' => [self::class, 'throws', 'neither']], engine: $engine); // @phpstan-ignore argument.type
            self::fail('it had a result');
        } catch (\DomainException $e) {
            self::assertSame([CannotTravel::class, \DomainException::class], array_map(get_class(...), Parallel::suppressed($e)));
        }
        try {
            Parallel::any([5, [self::class, 'throws', 'no']], engine: $engine); // @phpstan-ignore argument.type
            self::fail('it had a result');
        } catch (CannotTravel $e) {
            self::assertSame([\DomainException::class], array_map(get_class(...), Parallel::suppressed($e)));
        }
        if ($engine !== self::$pool) {
            $engine->close();
        }
    }

    /** @param \Closure(): Engine $engine */
    #[DataProvider('allEngines')]
    public function testAJobThatCannotTravelEndsARaceWhenItsTurnComes(\Closure $engine): void
    {
        $engine = $engine();
        $slow = static function (): string {
            Timer::sleep(0.5);
            return 'slow';
        };
        foreach ([[5, $slow, $slow], [$slow, 5, $slow]] as $jobs) {
            $begun = hrtime(true);
            try {
                Parallel::race($jobs, engine: $engine); // @phpstan-ignore argument.type
                self::fail('another one was first');
            } catch (CannotTravel) {
                self::assertLessThan(0.45, (hrtime(true) - $begun) / 1e9);
            }
        }
        if ($engine !== self::$pool) {
            $engine->close();
        }
    }

    public function testAJobThatRanBeforeOneThatCannotTravelWasFirst(): void
    {
        $pool = new Pool(workers: 1, max: 1, queue: 1, onFull: OnFull::Run);
        $slow = static function (): string {
            usleep(100000);
            return 'slow';
        };
        self::assertSame('cba', Parallel::race([$slow, ['strrev', 'abc'], 5], engine: $pool)); // @phpstan-ignore argument.type
        $pool->close();
    }

    public function testAFullQueueHoldsUpNeitherRaceNorAnyWhenOneHasEnded(): void
    {
        $pool = new Pool(workers: 1, max: 1, queue: 2);
        $file = (string) tempnam(sys_get_temp_dir(), 'tusk');
        $job = static function () use ($file): string {
            file_put_contents($file, '.', FILE_APPEND);
            usleep(20_000);
            return 'first';
        };
        try {
            self::assertSame('first', Parallel::race(array_fill(0, 20, $job), engine: $pool));
            self::assertSame('first', Parallel::any([static fn (): never => throw new \DomainException('no'), ...array_fill(0, 20, $job)], engine: $pool));
            $pool->close();
            self::assertLessThan(12, strlen((string) file_get_contents($file)), 'of 40');
        } finally {
            unlink($file);
        }
    }

    public function testWhatAFullQueueRefusesIsOneFailureAmongOthers(): void
    {
        $pool = new Pool(workers: 1, max: 1, queue: 2, onFull: OnFull::Refuse);
        $slow = static function (): string {
            usleep(50000);
            return 'slow';
        };
        $jobs = ['a' => $slow, 'b' => $slow, 'c' => $slow, 'd' => ['strrev', 'abc']];
        $told = static fn (Outcome $of): string => $of->ok ? 'ok' : get_debug_type($of->error);
        $expected = ['a' => 'ok', 'b' => 'ok', 'c' => QueueFull::class, 'd' => QueueFull::class];
        self::assertSame($expected, array_map($told, Parallel::settle($jobs, engine: $pool)));
        $each = array_map($told, iterator_to_array(Parallel::each($jobs, concurrency: 4, engine: $pool)));
        self::assertSame(['c', 'd', 'a', 'b'], array_keys($each)); // what was refused is told at once
        ksort($each);
        self::assertSame($expected, $each);
        self::assertSame('slow', Parallel::any($jobs, engine: $pool));
        try {
            Parallel::race($jobs, engine: $pool);
            self::fail('there was a place');
        } catch (QueueFull) {
        }
        for ($until = hrtime(true) + 5e9; $pool->stats()['open'] > 0 && hrtime(true) < $until;) {
            usleep(1000); // those that were cancelled are interrupted
        }
        self::assertSame(['slow', 'cba'], Parallel::all([$slow, ['strrev', 'abc']], engine: $pool)); // no place is lost
        $pool->close();
    }

    /** @param \Closure(): Engine $engine */
    #[DataProvider('allEngines')]
    public function testWhatIsNoJobsFaultIsThrownBySettle(\Closure $engine): void
    {
        $engine = $engine();
        foreach ([-1.0, NAN, INF] as $deadline) {
            foreach ([[], ['time']] as $jobs) {
                try {
                    Parallel::settle($jobs, $deadline, engine: $engine);
                    self::fail("it was taken: $deadline");
                } catch (\ValueError) {
                }
            }
        }
        self::assertInstanceOf(DeadlineExceeded::class, Parallel::settle(['time'], 0.0, engine: $engine)[0]->error);
        if ($engine !== self::$pool) {
            $engine->close();
            $this->expectExceptionMessage('closed');
            Parallel::settle(['time'], engine: $engine);
        }
    }

    /** The time of one that a full queue holds up is running, also where it is less than a second. */
    public function testALaterJobHasLessOfTheDeadlineLeft(): void
    {
        $engine = new class () implements Engine {
            /** @var list<float|null> */
            public array $deadlines = [];

            public function submit(array $jobs, ?float $deadline = null, int $retry = 0): array
            {
                $this->deadlines[] = $deadline;
                usleep(2000); // no place is free so long

                return (new Sync())->submit($jobs, $deadline, $retry);
            }

            public function wait(array $tasks, ?float $timeout = null): int|string|null
            {
                return (new Sync())->wait($tasks, $timeout);
            }

            public function stats(): array
            {
                return [];
            }

            public function close(): void {}
        };
        self::assertSame([true, true, true], array_map(static fn (Outcome $o): bool => $o->ok, Parallel::settle(['time', 'time', 'time'], 0.9, engine: $engine)));
        [, $first, $second, $third] = $engine->deadlines;
        self::assertLessThanOrEqual(0.9, $first);
        self::assertLessThan($first, $second);
        self::assertLessThan($second, $third);
        $engine->deadlines = [];
        Parallel::settle(['time'], engine: $engine);
        self::assertSame([null, null], $engine->deadlines);
    }

    public function testOutcomesOfJobsThatCannotTravelComeOneByOne(): void
    {
        /** @var \ArrayObject<int, true> $taken */
        $taken = new \ArrayObject();
        $jobs = (static function () use ($taken): \Generator {
            while (true) { // nobody could wait for its end
                $taken[] = true;
                yield ['strlen', STDOUT];
            }
        })();
        foreach (Parallel::each($jobs, engine: new Sync()) as $outcome) {
            self::assertInstanceOf(CannotTravel::class, $outcome->error);
            if (\count($taken) >= 3) {
                break;
            }
        }
        self::assertCount(3, $taken);
    }

    public function testAnObjectThatLeavesItsConnectionBehindTravels(): void
    {
        foreach ([true, false] as $pool) {
            $engine = $this->with($pool);
            $repository = new Repository(new \PDO('sqlite::memory:'), 'users');
            self::assertSame('users', $engine->submit([static fn (): string => $repository->table])[0]->await());
        }
    }
}

/** Says itself what of it is serialized. */
final class Repository
{
    public function __construct(public ?\PDO $db, public string $table) {}

    /** @return array{table: string} */
    public function __serialize(): array
    {
        return ['table' => $this->table];
    }

    /** @param array{table: string} $data */
    public function __unserialize(array $data): void
    {
        $this->table = $data['table'];
        $this->db = null;
    }
}
