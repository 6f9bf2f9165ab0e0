<?php

declare(strict_types=1);

namespace Tusk\Resource\Engine;

use Tusk\Parallel\Engine as Workers;
use Tusk\Parallel\Pool;
use Tusk\Resource\Application;
use Tusk\Resource\Client;
use Tusk\Resource\Engine;
use Tusk\Resource\Exception\EngineException;
use Tusk\Resource\Internal\Foresees;
use Tusk\Resource\Internal\Head;
use Tusk\Resource\Internal\InWorkers;
use Tusk\Resource\Internal\Plan;
use Tusk\Resource\Internal\Planner;
use Tusk\Resource\Internal\Planners;
use Tusk\Resource\Internal\Worker;

/**
 * Each request in a worker process. Workers build the application themselves, by the same function as this process:
 * $shop = Shop\application(); $shop = $shop->withEngine(new Parallel($pool, 'Shop\application'));
 */
final class Parallel implements Engine, Foresees
{
    private readonly Plan $plan;
    private readonly Planners $planners;
    private string $name = '';
    /** Of requests to an application of that name. */
    private string $prefix = '';

    /**
     * @param string     $application callable string that gives the Application; it runs once in each worker and MUST NOT make a pool
     * @param bool       $dedup       equal requests run once in a run; false: as often as they stand there
     * @param bool       $levels      a level of embeds begins when the one above has ended, instead of each when it is ready
     * @param int        $concurrency requests of a run in the pool at once, 1 to 65,536; more wait. Beyond the places of the pool's queue its onFull: decides
     * @param float|null $deadline    seconds for each request
     *
     * @throws EngineException when there is no such function
     */
    public function __construct(
        private readonly Workers $pool,
        private readonly string $application,
        bool $dedup = true,
        bool $levels = false,
        int $concurrency = 512,
        ?float $deadline = null,
    ) {
        if (!is_callable($application)) {
            throw EngineException::noFactory($application);
        }
        $this->plan = new Plan($dedup, $levels, $concurrency, $deadline, InWorkers::REQUESTS_MAX);
        $this->planners = new Planners();
    }

    public function expect(int $requests): void
    {
        if ($this->pool instanceof Pool) {
            $this->pool->expect($requests);
        }
    }

    public function settle(array $requests, \Closure $next, \Closure $failed): void
    {
        $this->planners->settle($requests, $next, $failed, function (Client $client): Planner {
            $workers = new InWorkers($this->pool, $this->prefix($client->application), $this->plan->deadline);

            return $workers->planner = new Planner($workers, $this->plan);
        });
    }

    private function prefix(Application $application): string
    {
        if ($this->prefix === '' || $this->name !== $application->name) {
            $this->prefix = Head::prefix(Worker::number($this->pool), $this->plan->text(), $this->application, $application->name);
            $this->name = $application->name;
        }

        return $this->prefix;
    }
}
