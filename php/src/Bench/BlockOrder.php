<?php

declare(strict_types=1);

namespace Tusk\Bench;

/**
 * The order of the blocks of a comparison. Which side of a pair goes first is drawn by lot, two of each in every four pairs:
 * drift meets both alike, what swings with a period of its own meets neither more often, and pairs are independent of each
 * other however long the machine's moods last. (A B B A has neighbours of one side in neighbouring pairs, which ties these
 * together: with such moods its intervals are a tenth too narrow.)
 */
final class BlockOrder
{
    private const GROUP = [['A', 'B'], ['A', 'B'], ['B', 'A'], ['B', 'A']];

    /**
     * @param int $pairs at least 1
     * @param int $seed  of the lots: the same seed, the same order, and of more pairs the same beginning
     *
     * @return list<'A'|'B'> two blocks for each pair
     */
    public static function of(int $pairs, int $seed): array
    {
        $lots = new \Random\Randomizer(new \Random\Engine\Mt19937($seed));
        $order = [];
        for ($i = 0; $i < $pairs; $i += count(self::GROUP)) {
            array_push($order, ...array_merge(...$lots->shuffleArray(self::GROUP)));
        }

        return array_slice($order, 0, 2 * $pairs);
    }
}
