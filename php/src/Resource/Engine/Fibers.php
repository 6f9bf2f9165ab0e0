<?php

declare(strict_types=1);

namespace Tusk\Resource\Engine;

use Tusk\Resource\Engine;
use Tusk\Resource\Internal\InFibers;
use Tusk\Resource\Internal\Plan;
use Tusk\Resource\Internal\Planner;
use Tusk\Resource\Internal\Planners;

/**
 * Each request as a task of this process (Tusk\Parallel\Async): they wait side by side, as far as they wait through Tusk, and compute one
 * after another. In a handler of a Tusk server only that handler waits.
 */
final class Fibers implements Engine
{
    private readonly Plan $plan;
    private readonly Planners $planners;

    /**
     * @param bool       $dedup       equal requests run once in a run; false: as often as they stand there
     * @param bool       $levels      a level of embeds begins when the one above has ended, instead of each when it is ready
     * @param int        $concurrency requests of a run under way at once, 1 to 10,000; more wait
     * @param float|null $deadline    seconds for each request; one that waits then ends with DeadlineExceeded
     */
    public function __construct(
        bool $dedup = true,
        bool $levels = false,
        int $concurrency = 1000,
        ?float $deadline = null,
    ) {
        $this->plan = new Plan($dedup, $levels, $concurrency, $deadline, InFibers::REQUESTS_MAX);
        $this->planners = new Planners();
    }

    public function settle(array $requests, \Closure $next, \Closure $failed): void
    {
        $this->planners->settle($requests, $next, $failed, function (): Planner {
            $fibers = new InFibers($this->plan->deadline);

            return $fibers->planner = new Planner($fibers, $this->plan);
        });
    }
}
