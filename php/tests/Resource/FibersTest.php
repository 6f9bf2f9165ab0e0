<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource;

use Tusk\Parallel;
use Tusk\Parallel\Async;
use Tusk\Parallel\Cancelled;
use Tusk\Parallel\DeadlineExceeded;
use Tusk\Resource\Application;
use Tusk\Resource\Engine;
use Tusk\Resource\Engine\Fibers;
use Tusk\Resource\Exception\EmbedException;
use Tusk\Tests\Resource\Fixture\Log;
use Tusk\Timer;

final class FibersTest extends EngineSuite
{
    protected function engine(): Engine
    {
        return new Fibers();
    }

    private function application(bool $dedup = true, bool $levels = false, int $concurrency = 1000, ?float $deadline = null): Application
    {
        return new Application('Tusk\Tests\Resource\Fixture', new Fibers($dedup, $levels, $concurrency, $deadline));
    }

    public function test_equal_requests_run_once_unless_that_is_switched_off(): void
    {
        $once = $this->application()->client()->get('app://self/five')->toString();
        self::assertSame(['five', 'user', 'tag'], Log::lines());
        Log::clear();
        self::assertSame($once, $this->application(dedup: false)->client()->get('app://self/five')->toString());
        self::assertSame(['five' => 1, 'user' => 5, 'tag' => 5], array_count_values(Log::lines()));
    }

    public function test_a_request_that_stands_in_two_places_runs_once(): void
    {
        $user = '{"tag":["a","b"],"name":"n1"}';
        $expected = "{\"a\":$user,\"b\":$user,\"again\":{\"a\":$user,\"b\":$user}}";
        self::assertSame($expected, $this->application()->client()->get('app://self/shown')->toString());
        self::assertSame(['shown', 'user', 'tag'], Log::lines());
        Log::clear();
        self::assertSame($expected, $this->application(dedup: false)->client()->get('app://self/shown')->toString());
        self::assertSame(['shown' => 1, 'user' => 2, 'tag' => 2], array_count_values(Log::lines()));
    }

    public function test_what_a_running_request_needs_does_not_wait_for_its_place(): void
    {
        $shared = ['limit' => '', 'q' => 'shared'];
        $expected = json_encode(['reads' => ['shared' => $shared, 'read' => 'shared'], 'shared' => $shared]);
        self::assertSame($expected, $this->application(concurrency: 1)->client()->get('app://self/shared-page')->toString());
        self::assertSame(['shared-page', 'reads-shared', 'echoing'], Log::lines());
    }

    public function test_who_reads_an_embed_neither_waits_for_what_is_under_way_beside_it_nor_runs_it_again(): void
    {
        foreach ([[true, false], [false, false], [true, true]] as [$dedup, $levels]) {
            Log::clear();
            $page = $this->application($dedup, $levels)->client()->get->uri('app://self/beside');
            self::assertSame('{"reads":{"quick":{"name":"quick"},"read":"quick"},"slow":{"name":"slow"}}', $page->toString());
            self::assertSame(['beside', 'begin slow', 'begin quick', 'end quick', 'reads-quick', 'end slow'], Log::lines());
        }
    }

    public function test_a_request_that_changes_after_it_ran_runs_as_it_is_now(): void
    {
        foreach ([true, false] as $dedup) {
            self::assertSame(
                '{"changes":{"tag":["a","b"],"echo":{"limit":"","q":"late"},"read":200}}',
                $this->application($dedup)->client()->get('app://self/late-page')->toString(),
                $dedup ? 'equal ones once' : 'each',
            );
        }
    }

    public function test_a_request_that_is_changed_while_it_waits_or_runs_is_another_one_than_its_equals(): void
    {
        foreach ([1, 1000] as $concurrency) {
            $client = $this->application(concurrency: $concurrency)->client();
            $first = $client->get->uri('app://self/slow', ['name' => 'first', 'seconds' => 0.03]);
            $changed = $client->get->uri('app://self/slow', ['name' => 'old', 'seconds' => 0.04]);
            $equal = $client->get->uri('app://self/slow', ['name' => 'old', 'seconds' => 0.04]);
            $client->collect([$first, $changed, $equal]);
            Parallel::async([
                static fn (): mixed => $first->body,
                static function () use ($changed): void {
                    Timer::sleep(0.01); // it waits for a place, or runs
                    $changed->addQuery(['name' => 'new']);
                },
            ]);
            self::assertSame([false, true], [$changed->isDone(), $equal->isDone()]);
            self::assertSame([['name' => 'new'], ['name' => 'old']], [$changed->body, $equal->body], "$concurrency at once");
        }
    }

    public function test_results_belong_to_one_client(): void
    {
        $application = $this->application();
        $application->client()->get('app://self/five')->toString();
        $application->client()->get('app://self/five')->toString();
        self::assertSame(['five', 'user', 'tag', 'five', 'user', 'tag'], Log::lines());
    }

    public function test_a_later_use_runs_anew(): void
    {
        $client = $this->application()->client();
        $client->get('app://self/five')->toString();
        $client->get('app://self/five')->toString();
        self::assertSame(['five', 'user', 'tag', 'five', 'user', 'tag'], Log::lines());
    }

    public function test_all_end_and_then_the_first_declared_error_is_thrown_and_others_are_kept(): void
    {
        $client = $this->application()->client();
        try {
            $client->get('app://self/errors')->toString();
            self::fail('nothing was thrown');
        } catch (\DomainException $e) {
            self::assertSame('second', $e->getMessage());
        }
        self::assertSame(['errors', 'tag', 'fails', 'fails', 'scalar'], Log::lines());
        self::assertSame(
            ['app://self/fails?message=second' => 'second', 'app://self/fails?message=third&code=8' => 'third'],
            array_map(static fn (\Throwable $e): string => $e->getMessage(), $client->failures()),
        );
    }

    public function test_failures_stay_told_when_one_beside_them_reads_its_own_embeds(): void
    {
        $client = $this->application()->client();
        try {
            $client->get('app://self/errors-beside')->toString();
            self::fail('nothing was thrown');
        } catch (\DomainException $e) {
            self::assertSame('first', $e->getMessage());
        }
        self::assertSame(['first', 'last'], array_values(array_map(static fn (\Throwable $e): string => $e->getMessage(), $client->failures())));
        self::assertSame(['a', 'b'], $client->get->uri('app://self/tag')->body);
        self::assertSame([], $client->failures());
    }

    public function test_embeds_wait_side_by_side_and_stand_in_declaration_order(): void
    {
        $json = $this->application()->client()->get('app://self/crowd')->toString();
        self::assertSame('{"e1":{"name":"e1"},"e2":{"name":"e2"},"e3":{"name":"e3"},"e4":{"name":"e4"},"e5":{"name":"e5"},"e6":{"name":"e6"},"x":1}', $json);
        self::assertSame(['begin e1', 'begin e2', 'begin e3', 'begin e4', 'begin e5', 'begin e6'], array_slice(Log::lines(), 1, 6));
        $ends = array_slice(Log::lines(), 7);
        self::assertSame('end e1', end($ends));
        sort($ends);
        self::assertSame(['end e1', 'end e2', 'end e3', 'end e4', 'end e5', 'end e6'], $ends);
    }

    public function test_a_child_starts_when_its_parent_is_there_unless_levels_are_kept_apart(): void
    {
        $this->application()->client()->get('app://self/race')->toString();
        self::assertSame(['race', 'begin a', 'begin b', 'end a', 'begin a.child', 'end a.child', 'end b'], Log::lines());
        Log::clear();
        $this->application(levels: true)->client()->get('app://self/race')->toString();
        self::assertSame(['race', 'begin a', 'begin b', 'end a', 'end b', 'begin a.child', 'end a.child'], Log::lines());
    }

    public function test_no_more_run_at_once_than_the_limit_says(): void
    {
        $this->application(concurrency: 2)->client()->get('app://self/crowd')->toString();
        $running = $most = 0;
        foreach (Log::lines() as $line) {
            $running += str_starts_with($line, 'begin') ? 1 : (str_starts_with($line, 'end') ? -1 : 0);
            $most = max($most, $running);
        }
        self::assertSame(2, $most);
        $this->expectException(\ValueError::class);
        new Fibers(concurrency: 0);
    }

    public function test_what_a_running_method_needs_does_not_wait_for_a_place(): void
    {
        self::assertSame(
            '{"u":{"tag":["a","b"],"name":"n3"},"t":["a","b"],"name":"n3","code":200}',
            $this->application(concurrency: 1)->client()->get('app://self/reads')->toString(),
        );
    }

    public function test_methods_that_wait_for_each_other_do_not_hang(): void
    {
        $this->expectException(EmbedException::class);
        $this->expectExceptionMessage('app://self/left embeds itself');
        $this->application()->client()->get('app://self/both')->toString();
    }

    public function test_a_crawl_waits_for_a_level_at_once(): void
    {
        $this->application()->client()->get->uri('app://self/crawl/users')->linkCrawl('tree')->eager->request();
        self::assertSame(['crawl/users', 'crawl/posts', 'crawl/posts', 'crawl/comments', 'crawl/comments', 'crawl/comments', 'crawl/comments'], Log::lines());
    }

    public function test_a_request_that_is_late_is_one_failure_among_others_and_heard_of_it_where_it_waited(): void
    {
        $client = $this->application(deadline: 0.05)->client();
        try {
            $client->get('app://self/patient')->toString();
            self::fail('nothing was thrown');
        } catch (DeadlineExceeded) {
            self::assertSame(['app://self/endless?name=a', 'app://self/endless?name=b'], array_keys($client->failures()));
        }
        $ends = array_slice(Log::lines(), 4);
        sort($ends);
        self::assertSame(['patient', 'begin a', 'begin b', 'tag', 'a ends', 'b ends'], [...array_slice(Log::lines(), 0, 4), ...$ends]);
        $client = $this->application(deadline: 0.0)->client();
        try {
            $client->get('app://self/patient')->toString();
            self::fail('nothing was thrown');
        } catch (DeadlineExceeded) {
            self::assertCount(3, $client->failures());
        }
    }

    public function test_a_page_that_is_cancelled_takes_its_embeds_along(): void
    {
        $engine = new Async();
        [$page] = $engine->submit([fn (): string => $this->application()->client()->get('app://self/patient')->toString()]);
        while (count(Log::lines()) < 4) {
            $engine->wait([$page], 0.001);
        }
        $page->cancel();
        self::assertInstanceOf(Cancelled::class, $page->error());
        $ends = array_slice(Log::lines(), 4);
        sort($ends);
        self::assertSame(['a ends', 'b ends'], $ends);
    }

    public function test_a_method_that_is_late_while_it_reads_an_embed_lets_go_of_it(): void
    {
        $client = $this->application(deadline: 0.05)->client();
        try {
            $client->get->uri('app://self/reads-endless')->toString();
            self::fail('nothing was thrown');
        } catch (DeadlineExceeded) {
            self::assertArrayHasKey('app://self/reads-endless', $client->failures());
            self::assertSame(['begin a', 'a ends'], Log::lines());
        }
    }

    public function test_two_pages_at_once_have_each_their_own_run(): void
    {
        $engine = new Async();
        $application = $this->application();
        $page = static fn (): string => $application->client()->get('app://self/crowd')->toString();
        [$one, $two] = $engine->submit([$page, $page]);
        self::assertSame($one->await(), $two->await());
        self::assertSame(2, array_count_values(Log::lines())['begin e1']);
    }
}
