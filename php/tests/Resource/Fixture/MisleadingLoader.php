<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture;

use Tusk\Resource\DataLoader;

final class MisleadingLoader implements DataLoader
{
    public function load(array $rows): array
    {
        return $rows[0]['gives'] === 'few' ? [1] : array_column($rows, 'id', 'id'); // @phpstan-ignore return.type (what the crawl has to find)
    }
}
