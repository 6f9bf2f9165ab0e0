<?php

declare(strict_types=1);

namespace Tusk\Bench;

/**
 * When a comparison that may end early is looked at: after the first so many pairs, then whenever they have doubled, and at
 * the last. Who looks often finds something by chance, so each look gets its share of the 5 % (Bonferroni).
 */
final readonly class Looks
{
    private const ERROR = 0.05;

    /** @var non-empty-list<int> pairs at each look, ascending */
    public array $at;

    /** @param int $most at least $first */
    public function __construct(int $first, int $most)
    {
        $at = [];
        for ($pairs = max(1, $first); $pairs < $most; $pairs *= 2) {
            $at[] = $pairs;
        }
        $this->at = [...$at, $most];
    }

    public function isOne(int $pairs): bool
    {
        return in_array($pairs, $this->at, true);
    }

    /** Of the interval at each look. */
    public function confidence(): float
    {
        return 1 - self::ERROR / count($this->at);
    }
}
