<?php

declare(strict_types=1);

namespace Tusk\Resource\Engine;

use Tusk\Resource\Engine;
use Tusk\Resource\FiberScheduler;
use Tusk\Resource\Internal\InFibers;
use Tusk\Resource\Internal\Plan;
use Tusk\Resource\Internal\Planner;
use Tusk\Resource\Internal\Planners;
use Tusk\Resource\Scheduler;

/** Each request in a fiber of this process: they wait side by side, as far as they wait with the scheduler, and compute one after another. */
final class Fibers implements Engine
{
    private readonly Plan $plan;
    private readonly Planners $planners;

    /**
     * @param bool $dedup       equal requests run once in a run; false: as often as they stand there
     * @param bool $levels      a level of embeds begins when the one above has ended, instead of each when it is ready
     * @param int  $concurrency fibers of a run; more requests wait
     */
    public function __construct(
        private readonly Scheduler $scheduler = new FiberScheduler(),
        bool $dedup = true,
        bool $levels = false,
        int $concurrency = 1000,
    ) {
        $this->plan = new Plan($dedup, $levels, $concurrency);
        $this->planners = new Planners();
    }

    public function settle(array $requests, \Closure $next, \Closure $failed): void
    {
        $this->planners->settle($requests, $next, $failed, function (): Planner {
            $tasks = $this->scheduler->tasks();
            $fibers = new InFibers($tasks);

            return $fibers->planner = new Planner($tasks, $fibers, $this->plan);
        });
    }
}
