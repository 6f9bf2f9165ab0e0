<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource;

use Tusk\Resource\HalRenderer;

/** What a page leaves is gone when nobody has it: without PHP's collector, whose turn comes after some 200 pages. */
trait CycleCases
{
    public function test_a_page_leaves_nothing_for_the_collector(): void
    {
        foreach (['/dash?id=1', '/five', '/author?id=1', '/crawl/users crawl tree', '/author?id=1 new blog', '/nested'] as $case) {
            [$path, $type, $rel] = explode(' ', "$case  ");
            $application = $this->client(new HalRenderer())->application;
            for ($i = 0; $i < 2; $i++) { // what is learnt the first time stays
                gc_collect_cycles();
                $client = $application->client();
                $request = $client->get->uri("app://self$path");
                match ($type) {
                    'crawl' => $request->linkCrawl($rel),
                    'new' => $request->linkNew($rel),
                    default => $request,
                };
                $page = $request();
                $page->toString();
                $left = [\WeakReference::create($client), \WeakReference::create($page)];
                unset($client, $request, $page);
                self::assertSame([null, null], array_map(static fn (\WeakReference $of): ?object => $of->get(), $left), $case);
            }
            self::assertSame(0, gc_collect_cycles(), $case);
        }
    }

    public function test_href_goes_by_the_last_result_as_it_is_and_as_it_came_once_nobody_has_it(): void
    {
        $client = $this->client();
        $item = $client->post('app://self/item', ['name' => 'pen']);
        $item->body = ['name' => 'ink'];
        self::assertSame(['name' => 'ink'], $client->href('it')->body);
        $item = $client->post('app://self/item', ['name' => 'pen']);
        $item->body = ['name' => 'ink'];
        unset($item);
        self::assertSame(['name' => 'pen'], $client->href('it')->body);
    }
}
