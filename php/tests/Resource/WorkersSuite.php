<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource;

use Tusk\Parallel\Engine as Workers;
use Tusk\Parallel\Pool;
use Tusk\Resource\Application;
use Tusk\Resource\Engine;
use Tusk\Resource\Engine\Parallel;
use Tusk\Resource\Exception\CannotCrossException;
use Tusk\Resource\Exception\EmbedException;
use Tusk\Resource\Exception\EngineException;
use Tusk\Resource\Request;
use Tusk\Tests\Resource\Fixture\Color;
use Tusk\Tests\Resource\Fixture\Fixture;
use Tusk\Tests\Resource\Fixture\Log;

/** What holds for a pool of workers and for its stand-in that runs tasks one after another. */
abstract class WorkersSuite extends EngineSuite
{
    protected const FACTORY = 'Tusk\Tests\Resource\Fixture\Fixture::application';
    private static ?Workers $pool = null;

    abstract protected static function pool(): Workers;

    /** A single worker. */
    abstract protected static function one(): Workers;

    protected function setUp(): void
    {
        if (!class_exists(Pool::class)) {
            self::markTestSkipped('the extension tusk is not there');
        }
        parent::setUp();
        self::$pool ??= static::pool(); // when the file of the log is known
    }

    public static function tearDownAfterClass(): void
    {
        self::$pool?->close();
        self::$pool = null;
    }

    protected function engine(): Engine
    {
        return $this->parallel();
    }

    protected function parallel(string $factory = self::FACTORY, bool $dedup = true, bool $levels = false, int $concurrency = 512, ?float $deadline = null): Parallel
    {
        return new Parallel(self::$pool ?? self::fail('no pool'), $factory, $dedup, $levels, $concurrency, $deadline);
    }

    public function test_a_body_that_is_in_itself_or_deeper_than_an_answer_cannot_cross(): void
    {
        $begins = "\$body['me']['me']['me']['me']['me']['me']['me']['me'][...]: an array in more than 250 others";
        foreach (['/itself', '/itself-within'] as $path) {
            $e = self::thrown(fn (): string => $this->client()->get->uri("app://self$path")->toString());
            self::assertSame([CannotCrossException::class, 500], [$e::class, $e->getCode()]);
            self::assertStringStartsWith($begins, $e->getMessage());
        }
    }

    public function test_a_dense_circle_that_was_read_in_a_worker_travels_once(): void
    {
        $page = Fixture::application()->withEngine($this->parallel())->client()->get->uri('app://self/chords-read?n=12');
        self::assertSame(200, $page['code']); // of 12 members there are some hundred million ways
        self::assertInstanceOf(Request::class, $page['ring']);
        self::assertInstanceOf(Request::class, $page['ring']['to1']);
        self::assertInstanceOf(Request::class, $page['ring']['to1']['to2']);
        self::assertSame(2, $page['ring']['to1']['to2']['at']);
        try {
            $page->toString();
            self::fail('it has no end');
        } catch (EmbedException $e) {
            self::assertSame('app://self/chords?n=12&at=0 embeds itself', $e->getMessage());
        }
    }

    public function test_equal_requests_run_once_unless_that_is_switched_off(): void
    {
        $once = $this->json('/five');
        self::assertSame(['five' => 1, 'user' => 1, 'tag' => 1], array_count_values(Log::lines()));
        Log::clear();
        $each = Fixture::application()->withEngine($this->parallel(dedup: false))->client()->get('app://self/five')->toString();
        self::assertSame($once, $each);
        self::assertSame(5, array_count_values(Log::lines())['user']);
        foreach ([1, 5] as $runs) { // also of what a method reads, where it runs
            Log::clear();
            Fixture::application()->withEngine($this->parallel(dedup: $runs === 1))->client()->get->uri('app://self/five-read')->toString();
            self::assertSame($this->readsRun($runs), array_count_values(Log::lines())['tag']);
        }
    }

    /** How often five equal requests run that a method reads, where the engine would run them so often. */
    protected function readsRun(int $runs): int
    {
        return $runs;
    }

    public function test_levels_and_few_places_give_the_same_bytes(): void
    {
        foreach (['/dash?id=1', '/crowd', '/race', '/nested'] as $path) {
            $expected = Fixture::application()->client()->get("app://self$path")->toString();
            foreach ([$this->parallel(levels: true), $this->parallel(concurrency: 1)] as $engine) {
                self::assertSame($expected, Fixture::application()->withEngine($engine)->client()->get("app://self$path")->toString(), $path);
            }
        }
    }

    public function test_errors_that_were_not_thrown_are_kept(): void
    {
        $client = $this->client();
        try {
            $client->get('app://self/errors')->toString();
            self::fail('nothing was thrown');
        } catch (\DomainException $e) {
            self::assertSame('second', $e->getMessage());
        }
        $failures = array_map(static fn (\Throwable $e): string => $e->getMessage(), $client->failures());
        ksort($failures);
        self::assertSame(['app://self/fails?message=second' => 'second', 'app://self/fails?message=third&code=8' => 'third'], $failures);
        $ran = Log::lines();
        sort($ran);
        self::assertSame(['errors', 'fails', 'fails', 'scalar', 'tag'], $ran);
    }

    public function test_what_cannot_leave_a_worker_is_named_with_its_path(): void
    {
        try {
            $this->json('/holds');
            self::fail('nothing was thrown');
        } catch (CannotCrossException $e) {
            self::assertStringStartsWith("\$body['rows'][0]['handle']: resource (stream)", $e->getMessage());
            self::assertStringContainsString('app://self/objects', $e->getMessage());
        }
        $client = $this->client();
        $request = $client->get->uri('app://self/echoing')->withQuery(['q' => ['deep' => [new \stdClass()]]]);
        try {
            self::fail('ran: ' . $request->toString());
        } catch (CannotCrossException $e) {
            self::assertStringStartsWith("\$query['q']['deep'][0]: stdClass", $e->getMessage());
        }
        self::assertSame('Red', $client->get->uri('app://self/params?userId=1')->addQuery(['color' => Color::Red])['color']);
    }

    public function test_enums_cross_as_their_values(): void
    {
        $body = fn (string $with): mixed => $this->client()->get->uri('app://self/bare', ['with' => $with])->body;
        self::assertSame([['x' => 'red'], ['x' => [1, ['red']]]], [$body('enum'), $body('enums within')]);
    }

    public function test_a_worker_serves_one_application(): void
    {
        $one = static::one(); // of its own: a worker that serves another application is of no use to other tests
        $client = Fixture::application()->withEngine(new Parallel($one, self::FACTORY))->client();
        self::assertSame('{"u":{"tag":["a","b"],"name":"n1"},"t":["a","b"],"id":1}', $client->get('app://self/dash?id=1')->toString());
        $other = Fixture::other()->withEngine(new Parallel($one, 'Tusk\Tests\Resource\Fixture\Fixture::other'));
        $this->expectException(EngineException::class);
        $this->expectExceptionMessage('["Tusk\\\\Tests\\\\Resource\\\\Fixture","other",""]');
        $other->client()->get('app://self/dash?id=1')->toString();
    }

    public function test_a_worker_serves_what_one_function_gives(): void
    {
        $one = static::one();
        self::assertSame(['a', 'b'], Fixture::hal()->withEngine(new Parallel($one, 'Tusk\Tests\Resource\Fixture\Fixture::hal'))->client()->get->uri('app://self/tag')->body);
        $client = Fixture::application()->withEngine(new Parallel($one, self::FACTORY))->client(); // of the same name, but what is text in a body would be HAL
        $this->expectException(EngineException::class);
        $this->expectExceptionMessage('of Tusk\Tests\Resource\Fixture\Fixture::hal(), not');
        $client->get->uri('app://self/tag')->toString();
    }

    public function test_pools_serve_an_application_each(): void
    {
        foreach (['application', 'other', 'hal', 'application'] as $function) {
            $engine = new Parallel(static::one(), "Tusk\Tests\Resource\Fixture\Fixture::$function");
            self::assertSame(['a', 'b'], Fixture::$function()->withEngine($engine)->client()->get->uri('app://self/tag')->body, $function);
        }
    }

    public function test_an_application_is_the_same_but_for_its_engine(): void
    {
        $application = new Application('X', context: 'c', directory: '/d', maxDepth: 3, maxCrawl: 4, maxRequests: 5);
        $same = $application->withEngine($this->parallel());
        self::assertSame(['X', 'c', '/d'], $same->identity());
        self::assertSame([3, 4, 5, Parallel::class], [$same->maxDepth, $same->maxCrawl, $same->maxRequests, $same->engine::class]);
    }
}
