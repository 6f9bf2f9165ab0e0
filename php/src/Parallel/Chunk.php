<?php

declare(strict_types=1);

namespace Tusk\Parallel;

/**
 * A piece of map(), in the worker.
 * @internal
 */
final class Chunk
{
    /**
     * @param array<array-key, mixed> $items
     * @return array<array-key, mixed>
     */
    public static function run(callable $function, array $items): array
    {
        return array_map($function, $items);
    }
}
