<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource;

use Tusk\Parallel\Async;
use Tusk\Parallel\Cancelled;
use Tusk\Parallel\DeadlineExceeded;
use Tusk\Parallel\Engine as Workers;
use Tusk\Parallel\OnFull;
use Tusk\Parallel\Pool;
use Tusk\Parallel\QueueFull;
use Tusk\Parallel\Sync;
use Tusk\Parallel\WorkerCrashed;
use Tusk\Resource\Engine\Parallel;
use Tusk\Resource\Exception\EngineException;
use Tusk\Tests\Resource\Fixture\Fixture;
use Tusk\Tests\Resource\Fixture\Log;

/** Each resource in a worker process. */
final class PoolTest extends WorkersSuite
{
    protected static function pool(): Workers
    {
        return new Pool(workers: 2, max: 8);
    }

    protected static function one(): Workers
    {
        return new Pool(workers: 1, max: 1);
    }

    public function test_a_resource_that_takes_its_worker_along_is_one_failure_among_others(): void
    {
        $client = $this->client();
        try {
            $client->get('app://self/dying')->toString();
            self::fail('nothing was thrown');
        } catch (WorkerCrashed) {
            $failed = array_keys($client->failures());
            sort($failed);
            self::assertSame(['app://self/dies', 'app://self/fails?message=later'], $failed);
        }
        $ran = Log::lines();
        sort($ran);
        self::assertSame(['dies', 'dying', 'fails', 'tag'], $ran);
        self::assertSame('{"u":{"tag":["a","b"],"name":"n1"},"t":["a","b"],"id":1}', $this->json('/dash?id=1'));
    }

    public function test_a_resource_that_does_not_end_ends_at_its_deadline(): void
    {
        $application = Fixture::application()->withEngine($this->parallel(deadline: 0.2));
        try {
            $application->client()->get('app://self/late')->toString();
            self::fail('nothing was thrown');
        } catch (DeadlineExceeded) {
            self::assertContains('forever', Log::lines());
        }
        self::assertSame('["a","b"]', $this->json('/tag'));
    }

    public function test_who_is_cancelled_in_the_middle_leaves_no_resource_running(): void
    {
        $pool = new Pool(workers: 1, max: 2);
        $client = Fixture::application()->withEngine(new Parallel($pool, self::FACTORY))->client();
        $here = new Async();
        [$task] = $here->submit([static fn (): string => $client->get('app://self/late')->toString()]);
        // until the one beside it has ended and it runs alone
        for ($end = hrtime(true) + 30e9; (!\in_array('forever', Log::lines(), true) || $pool->stats()['open'] > 1) && hrtime(true) < $end;) {
            $here->wait([$task], 0.01);
        }
        $task->cancel();
        self::assertInstanceOf(Cancelled::class, $task->error());
        for ($end = hrtime(true) + 30e9; $pool->stats()['open'] > 0 && hrtime(true) < $end; usleep(1000));
        self::assertSame([0, 1], [$pool->stats()['open'], $pool->stats()['cancelled']]);
        self::assertSame([], $client->failures());
        self::assertSame('["a","b"]', $client->get('app://self/tag')->toString());
    }

    public function test_pages_of_one_client_side_by_side_each_get_all_that_is_theirs(): void
    {
        $client = $this->client();
        $paths = ['/crowd', '/dash?id=1', '/race', '/changed'];
        $tasks = (new Async())->submit(array_map(static fn (string $path): \Closure => static fn (): string => $client->get->uri("app://self$path")->toString(), $paths));
        foreach ($tasks as $i => $task) {
            self::assertSame(Fixture::application()->client()->get("app://self$paths[$i]")->toString(), $task->await());
        }
    }

    public function test_what_a_full_queue_refuses_holds_up_nobody_else(): void
    {
        $pool = new Pool(workers: 1, max: 1, queue: 2, onFull: OnFull::Refuse);
        $client = Fixture::application()->withEngine(new Parallel($pool, self::FACTORY))->client();
        try {
            $client->get('app://self/crowd')->toString(); // six slow ones
            self::fail('nothing was thrown');
        } catch (QueueFull) {
            self::assertContainsOnlyInstancesOf(QueueFull::class, $client->failures());
            self::assertSame(6, count($client->failures()) + count(preg_grep('~^end ~', Log::lines()) ?: []));
            self::assertArrayNotHasKey('app://self/slow?name=e1&seconds=0.05', $client->failures());
        }
    }

    public function test_an_application_that_is_none_is_refused(): void
    {
        $wrong = Fixture::application()->withEngine(new Parallel(new Pool(workers: 1, max: 1), 'Tusk\Tests\Resource\Fixture\Fixture::nothing'));
        try {
            $wrong->client()->get('app://self/dash?id=1')->toString();
            self::fail('nothing was thrown');
        } catch (EngineException $e) {
            self::assertStringContainsString('Fixture::nothing() gave int', $e->getMessage());
        }
        $this->expectException(EngineException::class);
        new Parallel(new Pool(workers: 1, max: 1), 'no\such\function');
    }

    public function test_workers_take_no_application_from_the_process_they_were_forked_from(): void
    {
        $sync = new Parallel(new Sync(), self::FACTORY);
        self::assertSame('{"engine":{"value":"Tusk\\\\Resource\\\\Engine\\\\Sequential"},"x":1}', Fixture::application()->withEngine($sync)->client()->get('app://self/engine-page')->toString());
        $pool = new Pool(workers: 1, max: 1);
        $other = Fixture::other()->withEngine(new Parallel($pool, 'Tusk\Tests\Resource\Fixture\Fixture::other'));
        self::assertSame('{"u":{"tag":["a","b"],"name":"n1"},"t":["a","b"],"id":1}', $other->client()->get('app://self/dash?id=1')->toString());
    }

    public function test_what_a_method_reads_in_a_worker_goes_to_the_same_pool(): void
    {
        self::assertSame(['engine' => ['value' => Parallel::class], 'x' => 1], json_decode($this->json('/engine-page'), true));
    }

    public function test_many_pages_leave_nothing_behind(): void
    {
        $page = fn (): string => $this->json('/crowd') . $this->json('/five');
        $first = $page();
        gc_collect_cycles();
        $before = memory_get_usage();
        for ($i = 0; $i < 50; $i++) {
            self::assertSame($first, $page());
        }
        gc_collect_cycles();
        self::assertLessThan($before + 300_000, memory_get_usage());
    }
}
