<?php

declare(strict_types=1);

namespace Tusk\Tests\Parallel;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Async\Curl;
use Tusk\Condition;
use Tusk\Http\Response;
use Tusk\Parallel;
use Tusk\Parallel\Async;
use Tusk\Parallel\Pool;
use Tusk\Pool\Driver;
use Tusk\Pool\Options;
use Tusk\Pool\Pool as Connections;
use Tusk\Server;
use Tusk\Testing\Loopback;
use Tusk\Timer;
use Tusk\Wait;

/** Whatever a handler waits for comes of a timer of the same loop: were the loop held up, it would never come. */
final class InServerTest extends TestCase
{
    private static ?Pool $pool = null;
    /** @var list<string> */
    private array $events = [];

    public static function setUpBeforeClass(): void
    {
        self::$pool = new Pool(workers: 2, max: 4);
    }

    public static function tearDownAfterClass(): void
    {
        self::$pool?->close();
        self::$pool = null;
    }

    /** In a worker: ends when the file is there. */
    public static function came(string $file): string
    {
        for ($end = hrtime(true) + 20_000_000_000; !file_exists($file) && hrtime(true) < $end;) {
            usleep(500);
            clearstatcache();
        }
        return file_exists($file) ? 'came' : 'never came';
    }

    /** @return iterable<string, array{\Closure(list<string>): mixed}> what waits for jobs that end when these files are there */
    public static function shapes(): iterable
    {
        yield 'all' => [static fn (array $files): mixed => Parallel::all(self::jobs($files))];
        yield 'all, fail fast' => [static fn (array $files): mixed => Parallel::all(self::jobs($files), failFast: true)];
        yield 'each' => [static function (array $files): array {
            $seen = [];
            foreach (Parallel::each(self::jobs($files), concurrency: 1) as $key => $outcome) {
                $seen[$key] = $outcome->value();
            }
            return $seen;
        }];
        yield 'any' => [static fn (array $files): mixed => [Parallel::any(self::jobs($files)), 'came']];
        yield 'race' => [static fn (array $files): mixed => [Parallel::race(self::jobs($files)), 'came']];
        yield 'settle' => [static fn (array $files): mixed => array_map(static fn (Parallel\Outcome $o): mixed => $o->value(), Parallel::settle(self::jobs($files)))];
        yield 'map' => [static fn (array $files): mixed => Parallel::map($files, [self::class, 'came'])];
        yield 'task' => [static fn (array $files): mixed => array_map(static fn (array $job): mixed => Parallel::task($job)->await(), self::jobs($files))];
        yield 'error' => [static function (array $files): array {
            $task = Parallel::task(self::jobs($files)[0]);
            return [$task->error() ?? $task->await(), 'came'];
        }];
        yield 'a queue that is full' => [static function (array $files): array {
            $pool = new Pool(workers: 1, max: 1, queue: 1);
            try {
                return array_map(static fn (Parallel\Task $task): mixed => $task->await(), $pool->submit(self::jobs($files)));
            } finally {
                $pool->close();
            }
        }];
        yield 'async around workers' => [static fn (array $files): mixed => Parallel::async(array_map(static fn (array $job): \Closure => static fn (): mixed => Parallel::task($job)->await(), self::jobs($files)))];
    }

    /**
     * @param array<mixed> $files
     * @return non-empty-list<array{class-string, string, string}>
     */
    private static function jobs(array $files): array
    {
        $jobs = [];
        foreach ($files as $file) {
            $jobs[] = [self::class, 'came', \is_string($file) ? $file : self::fail('no name of a file')];
        }
        return $jobs === [] ? self::fail('no files') : $jobs;
    }

    /** @param \Closure(list<string>): mixed $shape */
    #[DataProvider('shapes')]
    public function testAHandlerThatWaitsForWorkersLetsTheTimerTick(\Closure $shape): void
    {
        $file = sys_get_temp_dir() . '/tusk-tick-' . bin2hex(random_bytes(6));
        Parallel::use(self::$pool ?? self::fail('no pool'));
        try {
            self::assertSame(['came', 'came'], $this->during(static fn (): mixed => $shape([$file, $file]), static fn () => touch($file)));
        } finally {
            Parallel::use(new Parallel\Sync());
            @unlink($file);
        }
    }

    /** @return iterable<string, array{\Closure(): array{\Closure(): mixed, \Closure(): mixed}}> what waits, and what ends that */
    public static function waits(): iterable
    {
        yield 'sleep' => [static fn (): array => [static fn () => Timer::sleep(0.02), static fn () => null]];
        yield 'async' => [static function (): array {
            $go = new Condition();
            return [static fn (): array => Parallel::async([static fn (): bool => $go->wait(), static fn (): bool => $go->wait()]), static fn () => $go->notify(2)];
        }];
        yield 'each shape in fibers' => [static function (): array {
            $go = new Condition();
            $ticks = '';
            $job = static fn (): bool => $go->wait();
            return [static function () use ($job, &$ticks): void {
                $engine = new Async();
                Parallel::any([$job], engine: $engine);
                Parallel::race([$job], engine: $engine);
                Parallel::settle([$job], engine: $engine);
                iterator_to_array(Parallel::each([$job], engine: $engine));
                Timer::cancel($ticks);
            }, static function () use ($go, &$ticks): void {
                $ticks = Timer::repeat(0.001, static fn () => $go->notify(PHP_INT_MAX));
            }];
        }];
        yield 'a condition' => [static function (): array {
            $go = new Condition();
            return [static fn (): bool => $go->wait(), static fn () => $go->notify()];
        }];
        yield 'readable' => [static function (): array {
            [$a, $b] = self::pair();
            return [static fn (): array => [Wait::readable($a), fread($a, 9)], static fn () => fwrite($b, 'x')];
        }];
        yield 'writable' => [static function (): array {
            [$a, $b] = self::pair();
            stream_set_blocking($a, false);
            stream_set_blocking($b, false);
            while ((int) @fwrite($a, str_repeat('x', 65536)) > 0);
            return [static fn (): bool => Wait::writable($a), static fn () => stream_get_contents($b)];
        }];
        yield 'curl' => [static function (): array {
            extension_loaded('curl') || self::markTestSkipped('PHP has no extension curl');
            $server = stream_socket_server('tcp://127.0.0.1:0') ?: self::fail('no server');
            $curl = curl_init('http://' . stream_socket_get_name($server, false));
            curl_setopt($curl, CURLOPT_RETURNTRANSFER, true);
            return [static fn (): string|bool => Curl::exec($curl), static function () use ($server): void {
                $client = stream_socket_accept($server, 0) ?: self::fail('nobody came');
                fwrite($client, "HTTP/1.0 200 OK\r\n\r\nbody");
            }];
        }];
        yield 'a borrowed connection' => [static function (): array {
            $go = new Condition();
            $pool = new Connections(new Things(), new Options(max: 1));
            (new Async())->submit([static fn () => $pool->use(static fn () => $go->wait())]);
            return [static function () use ($pool): bool {
                Timer::sleep(0); // until that task has it
                return $pool->use(static fn (\stdClass $c): bool => true);
            }, static fn () => $go->notify()];
        }];
    }

    /** @param \Closure(): array{\Closure(): mixed, \Closure(): mixed} $make */
    #[DataProvider('waits')]
    public function testAHandlerThatWaitsInThisProcessLetsTheTimerTick(\Closure $make): void
    {
        [$wait, $end] = $make();
        $this->during($wait, $end);
    }

    /** What $wait gives in a handler, whose end is in the hands of a timer. */
    private function during(\Closure $wait, \Closure $end): mixed
    {
        $server = new Server();
        $given = null;
        $server->get('/', function () use ($wait, $end, &$given): Response {
            Timer::delay(0.005, function () use ($end): void {
                $this->events[] = 'tick';
                $end();
            });
            $this->events[] = 'waits';
            $given = $wait();
            $this->events[] = 'goes on';
            return Response::text('done');
        });
        self::assertSame('done', (new Loopback($server))->request('GET', '/')->body);
        self::assertSame(['waits', 'tick', 'goes on'], $this->events);
        return $given;
    }

    /** @return array{resource, resource} */
    private static function pair(): array
    {
        $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0) ?: self::fail('no sockets');
        return [$pair[0], $pair[1]];
    }
}

/** @implements Driver<\stdClass> */
final class Things implements Driver
{
    public function connect(): \stdClass
    {
        return new \stdClass();
    }

    public function isStale(object $connection): bool
    {
        return false;
    }

    public function ping(object $connection): bool
    {
        return true;
    }

    public function reset(object $connection): bool
    {
        return true;
    }

    public function close(object $connection): void {}
}
