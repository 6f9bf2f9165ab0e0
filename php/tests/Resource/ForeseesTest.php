<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource;

use PHPUnit\Framework\TestCase;
use Tusk\Resource\Engine;
use Tusk\Resource\Internal\Foresees;
use Tusk\Tests\Resource\Fixture\Fixture;
use Tusk\Tests\Resource\Fixture\Log;

final class ForeseesTest extends TestCase
{
    public function test_an_engine_hears_how_many_embeds_come_before_it_gets_them(): void
    {
        Log::start();
        $engine = new class () implements Engine, Foresees {
            /** @var list<string> */
            public array $heard = [];

            public function expect(int $requests): void
            {
                $this->heard[] = "expect $requests";
            }

            public function settle(array $requests, \Closure $next, \Closure $failed): void
            {
                $this->heard[] = 'settle ' . \count($requests);
            }
        };
        $client = Fixture::application()->withEngine($engine)->client();
        $client->get('app://self/tag');
        self::assertSame([], $engine->heard); // it embeds nothing
        $client->get('app://self/dash?id=1')->toString();
        self::assertSame(['expect 2', 'settle 2'], \array_slice($engine->heard, 0, 2));
    }
}
