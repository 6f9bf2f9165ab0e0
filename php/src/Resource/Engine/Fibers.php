<?php

declare(strict_types=1);

namespace Tusk\Resource\Engine;

use Tusk\Resource\Client;
use Tusk\Resource\Engine;
use Tusk\Resource\FiberScheduler;
use Tusk\Resource\Internal\InFibers;
use Tusk\Resource\Internal\Plan;
use Tusk\Resource\Internal\Planner;
use Tusk\Resource\Scheduler;

/** Each request in a fiber of this process: they wait side by side, as far as they wait with the scheduler, and compute one after another. */
final class Fibers implements Engine
{
    private readonly Plan $plan;
    /** @var \WeakMap<Client, Planner> runs under way */
    private \WeakMap $planners;

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
        $this->planners = new \WeakMap();
    }

    public function settle(array $requests, \Closure $next, \Closure $failed): void
    {
        $client = ($requests[0] ?? null)?->client;
        if ($client === null) {
            return;
        }
        $running = $this->planners[$client] ?? null;
        if ($running !== null) {
            $running->settle($requests, $next, $failed);

            return;
        }
        $tasks = $this->scheduler->tasks();
        $fibers = new InFibers($tasks);
        $this->planners[$client] = $fibers->planner = new Planner($tasks, $fibers, $this->plan);
        try {
            $fibers->planner->settle($requests, $next, $failed);
        } finally {
            unset($this->planners[$client]);
        }
    }
}
