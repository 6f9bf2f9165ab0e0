<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** Little's law as a check: operations in flight are their rate times their time in the system. */
final readonly class Little
{
    /**
     * @param float $inFlight operations under way, mean over the window, counted
     * @param float $product  completed per second times mean service time in seconds
     */
    public function __construct(public float $inFlight, public float $product) {}

    /** 1 when the law holds; null where nothing was under way. */
    public function ratio(): ?float
    {
        return $this->inFlight > 0 && $this->product > 0 ? $this->product / $this->inFlight : null;
    }

    /** @return array<string, float|null> */
    public function toArray(): array
    {
        $ratio = $this->ratio();

        return ['in_flight' => round($this->inFlight, 4), 'product' => round($this->product, 4), 'ratio' => $ratio === null ? null : round($ratio, 4)];
    }
}
