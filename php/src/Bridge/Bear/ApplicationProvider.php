<?php

declare(strict_types=1);

namespace Tusk\Bridge\Bear;

use Ray\Di\Di\Named;
use Ray\Di\ProviderInterface;
use Tusk\Parallel\Pool;
use Tusk\Resource\Application;
use Tusk\Resource\Engine\Parallel;
use Tusk\Resource\Exception\EngineException;

/**
 * The application with its pool of workers; one for the life of the process.
 *
 * @internal
 *
 * @implements ProviderInterface<Application>
 */
final readonly class ApplicationProvider implements ProviderInterface
{
    public function __construct(
        #[Named(ParallelModule::FACTORY)]
        private string $factory,
        #[Named(ParallelModule::WORKERS)]
        private int $workers,
    ) {}

    public function get(): Application
    {
        $application = is_callable($this->factory) ? ($this->factory)() : throw EngineException::noFactory($this->factory);

        return $application instanceof Application
            ? $application->withEngine(new Parallel(new Pool(workers: $this->workers, max: $this->workers), $this->factory))
            : throw EngineException::noApplication($this->factory, $application);
    }
}
