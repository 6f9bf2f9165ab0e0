<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource;

use Tusk\Resource\Engine;
use Tusk\Resource\Engine\Sequential;
use Tusk\Tests\Resource\Fixture\Log;

final class SequentialTest extends EngineSuite
{
    protected function engine(): Engine
    {
        return new Sequential();
    }

    public function test_embeds_run_while_they_are_rendered_depth_first_and_each_time(): void
    {
        $this->json('/twice');
        self::assertSame(['twice', 'user', 'tag', 'user', 'tag', 'tag'], Log::lines());
    }

    public function test_siblings_behind_an_error_do_not_run(): void
    {
        try {
            $this->json('/errors');
            self::fail('nothing was thrown');
        } catch (\DomainException) {
            self::assertSame(['errors', 'tag', 'fails'], Log::lines());
        }
    }
}
