<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** Runs A and B in short interleaved blocks, each with its own warm-up and fresh connections. */
final class Paired
{
    /** @var list<array{A: Result, B: Result}> */
    private array $pairs = [];
    private bool $interrupted = false;

    /**
     * @param array{A: Plan, B: Plan}          $plans
     * @param array{A: int|null, B: int|null}  $pids
     * @param \Closure(int, array{A: Result, B: Result}): void $done called after each pair, with its number from 1
     */
    public function __construct(
        private readonly Engines $engines,
        private readonly Observer $observer,
        private readonly array $plans,
        private readonly array $pids,
        private readonly \Closure $done,
    ) {}

    /**
     * @param int $seed of the order, see BlockOrder
     * @param (\Closure(list<array{A: Result, B: Result}>): bool)|null $enough asked after each pair: true ends it early
     *
     * @return list<array{A: Result, B: Result}> fewer than asked for when it was interrupted, or enough
     *
     * @throws \ValueError|\RuntimeException as Session::run; TargetFailed when a block completed nothing
     */
    public function run(int $pairs, int $seed, ?\Closure $enough = null): array
    {
        $half = [];
        foreach (BlockOrder::of($pairs, $seed) as $side) {
            $session = new Session($this->engines, $this->observer);
            $result = $session->run($this->plans[$side], $this->pids[$side])->result;
            if ($result->partial || $session->interrupt->happened()) {
                $this->interrupted = true;
                break;
            }
            if ($result->rate() <= 0) {
                throw new TargetFailed("nothing was measured of $side, {$result->url}: " . $result->whatFailed());
            }
            $half[$side] = $result;
            if (isset($half['A'], $half['B'])) {
                $this->pairs[] = ['A' => $half['A'], 'B' => $half['B']];
                ($this->done)(count($this->pairs), ['A' => $half['A'], 'B' => $half['B']]);
                $half = [];
                if ($enough !== null && $enough($this->pairs)) {
                    break;
                }
            }
        }

        return $this->pairs;
    }

    public function interrupted(): bool
    {
        return $this->interrupted;
    }
}
