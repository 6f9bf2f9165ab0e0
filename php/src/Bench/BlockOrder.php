<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** The order of the blocks of a comparison: A B B A, so that drift of the machine meets both alike. */
final class BlockOrder
{
    /**
     * @param int $pairs at least 1
     *
     * @return list<'A'|'B'> two blocks for each pair
     */
    public static function of(int $pairs): array
    {
        $order = [];
        for ($i = 0; $i < $pairs; $i++) {
            array_push($order, ...($i % 2 === 0 ? ['A', 'B'] : ['B', 'A']));
        }

        return $order;
    }
}
