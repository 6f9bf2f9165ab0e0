<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture;

use Tusk\Resource\DataLoader;

final class Loader implements DataLoader
{
    public function load(array $rows): array
    {
        Log::add('load ' . json_encode($rows));

        return array_map(static fn (array $row): string => 'p' . (is_int($row['id']) ? $row['id'] : ''), $rows);
    }
}
