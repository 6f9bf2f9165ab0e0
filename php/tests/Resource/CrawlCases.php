<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource;

use Tusk\Resource\Exception\LinkException;
use Tusk\Tests\Resource\Fixture\Log;
use Tusk\Tests\Resource\Fixture\MisleadingLoader;

/** What a crawl gives, in which order it runs what, and where it ends. */
trait CrawlCases
{
    private function crawl(string $path, string $key = 'tree'): mixed
    {
        return $this->client()->get->uri("app://self/crawl$path")->linkCrawl($key)->eager->request()->body;
    }

    public function test_a_crawl_goes_row_by_row_through_all_levels(): void
    {
        self::assertSame([
            ['id' => 1, 'posts' => [['id' => 10, 'comments' => ['of' => 10]], ['id' => 11, 'comments' => ['of' => 11]]]],
            ['id' => 2, 'posts' => [['id' => 20, 'comments' => null], ['id' => 21, 'comments' => ['of' => 21]]]],
        ], $this->crawl('/users'));
        $ran = Log::lines();
        sort($ran);
        self::assertSame(['crawl/comments', 'crawl/comments', 'crawl/comments', 'crawl/comments', 'crawl/posts', 'crawl/posts', 'crawl/users'], $ran);
    }

    public function test_a_crawl_of_an_empty_list_or_without_such_links_runs_nothing(): void
    {
        self::assertSame([], $this->crawl('/users?count=0'));
        self::assertSame([['id' => 1]], $this->crawl('/users?count=1', 'nothing'));
        self::assertSame(['crawl/users', 'crawl/users'], Log::lines());
    }

    public function test_a_diamond_is_deep_on_both_sides_with_one_request_each(): void
    {
        $d = ['id' => '1', 'e' => ['id' => '1', 'end' => true]];
        self::assertSame(['id' => '1', 'b' => ['id' => '1', 'd' => $d], 'd' => $d], $this->crawl('/a?id=1'));
        $ran = Log::lines();
        sort($ran);
        self::assertSame(['crawl/a', 'crawl/b', 'crawl/d', 'crawl/e'], $ran);
    }

    public function test_a_circle_ends_with_the_shallow_body(): void
    {
        self::assertSame(['id' => '1', 'g' => ['id' => '1', 'f' => ['id' => '1']]], $this->crawl('/f?id=1'));
        self::assertSame(['crawl/f', 'crawl/g'], Log::lines());
        self::assertSame(
            ['id' => '1', 'q' => ['id' => '1', 'r' => ['id' => '1', 'q' => ['id' => '1']]], 'r' => ['id' => '1', 'q' => ['id' => '1']]],
            $this->crawl('/p?id=1'),
        );
    }

    public function test_what_is_crawled_may_embed_the_crawled_resource_without_the_crawl(): void
    {
        $leaf = ['stem' => ['id' => '1'], 'leaf' => true];
        self::assertSame(json_encode(['stem' => ['id' => '1', 'leaf' => $leaf]]), $this->client()->get('app://self/crawl/grown')->toString());
    }

    public function test_what_is_crawled_may_embed_what_leads_to_it(): void
    {
        $page = $this->client()->get->uri('app://self/crawl/bed')->linkCrawl('tree');
        self::assertSame('{"id":"1","stem":{"id":"1","leaf":{"stem":{"id":"1"},"leaf":true}}}', $page->toString());
    }

    public function test_what_is_a_list_is_what_PHP_calls_a_list(): void
    {
        self::assertSame([['id' => 1, 'tag' => ['a', 'b']], ['x' => 2, 'tag' => ['a', 'b']]], $this->crawl('/odd?kind=rows'));
        self::assertSame(['user' => ['id' => 1], 'tag' => ['a', 'b']], $this->crawl('/odd?kind=map'));
        self::assertSame(['a' => ['id' => 1], 'b' => ['id' => 2], 'tag' => ['a', 'b']], $this->crawl('/odd?kind=maps'));
        self::assertSame(['a' => null, 'tag' => ['a', 'b']], $this->crawl('/odd?kind=null'));
        self::assertSame(['a', 'b'], $this->crawl('/odd?kind=words'));
        self::assertSame([['id' => 1, 'tag' => ['a', 'b']], 'word', null, ['x' => 2, 'tag' => ['a', 'b']]], $this->crawl('/odd?kind=mixed'));
    }

    public function test_a_loader_that_fails_is_asked_once(): void
    {
        $e = self::thrown(fn (): mixed => $this->crawl('/unloaded'));
        self::assertSame([\DomainException::class, 9, 'no rows today'], [$e::class, $e->getCode(), $e->getMessage()]);
        self::assertSame(['crawl/unloaded', 'load'], Log::lines());
    }

    public function test_a_loader_that_gives_too_few_or_in_an_order_of_its_own_or_is_none_is_said(): void
    {
        foreach (['few' => 'gave 1 values for 2 rows', 'by id' => 'gave values under keys of its own, and not a list in the order of the rows'] as $gives => $says) {
            $e = self::thrown(fn (): mixed => $this->crawl("/misled?gives=$gives"));
            self::assertSame([LinkException::class, 500, MisleadingLoader::class . " $says"], [$e::class, $e->getCode(), $e->getMessage()]);
        }
        $e = self::thrown(fn (): mixed => $this->crawl('/misled', 'none'));
        self::assertSame([LinkException::class, 'ArrayObject is no data loader'], [$e::class, $e->getMessage()]);
    }

    public function test_a_loader_answers_for_all_rows_at_once_and_before_other_links(): void
    {
        self::assertSame([
            ['id' => 1, 'posts' => 'p1', 'tag' => ['limit' => '', 'q' => 'p1']],
            ['id' => 2, 'posts' => 'p2', 'tag' => ['limit' => '', 'q' => 'p2']],
        ], $this->crawl('/loaded'));
        $ran = Log::lines();
        self::assertSame(['crawl/loaded', 'load [{"id":1},{"id":2}]', 'echoing', 'echoing'], $ran);
        self::assertSame([], $this->crawl('/loaded?count=0'));
        self::assertSame('load []', Log::lines()[5]);
    }

    public function test_a_link_may_need_what_an_earlier_one_put_there(): void
    {
        self::assertSame(['id' => 1, 'one' => 'hello', 'two' => ['limit' => '', 'q' => 'hello']], $this->crawl('/chained'));
    }

    public function test_the_first_error_of_a_crawl_in_order_is_thrown(): void
    {
        self::assertSame('first', self::thrown(fn () => $this->crawl('/failing'))->getMessage());
    }

    public function test_a_crawl_makes_as_many_requests_as_the_limit_says(): void
    {
        $request = $this->client(maxCrawl: 20)->get->uri('app://self/crawl/endless')->linkCrawl('tree');
        $e = self::thrown(fn () => $request->body);
        self::assertInstanceOf(LinkException::class, $e);
        self::assertSame('the crawl tree needs more than 20 requests', $e->getMessage());
        self::assertCount(21, Log::lines());
    }
}
