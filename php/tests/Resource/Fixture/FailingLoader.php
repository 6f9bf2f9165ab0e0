<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture;

use Tusk\Resource\DataLoader;

final class FailingLoader implements DataLoader
{
    public function load(array $rows): array
    {
        Log::add('load');
        throw new \DomainException('no rows today', 9);
    }
}
