<?php

declare(strict_types=1);

namespace Tusk\Bridge\Bear;

use BEAR\Resource\RenderInterface;
use Ray\Di\AbstractModule;
use Ray\Di\Scope;
use Tusk\Resource\Application;

/**
 * The one line: put it around the module that binds the renderer,
 * $this->install(new ParallelModule('Shop\Workers::application', module: new HalModule()));
 */
final class ParallelModule extends AbstractModule
{
    public const ORIGINAL = 'tusk_original';
    public const APPLICATION = 'tusk_application';
    public const FACTORY = 'tusk_factory';
    public const WORKERS = 'tusk_workers';

    /**
     * @param string $factory callable string that gives Bear::application(); workers call it, each once
     * @param int    $workers processes: as many as a page embeds
     */
    public function __construct(
        private readonly string $factory,
        private readonly int $workers = 8,
        ?AbstractModule $module = null,
    ) {
        parent::__construct($module);
    }

    protected function configure(): void
    {
        $this->rename(RenderInterface::class, self::ORIGINAL);
        $this->bind()->annotatedWith(self::FACTORY)->toInstance($this->factory);
        $this->bind()->annotatedWith(self::WORKERS)->toInstance($this->workers);
        $this->bind(Application::class)->annotatedWith(self::APPLICATION)->toProvider(ApplicationProvider::class)->in(Scope::SINGLETON);
        $this->bind(RenderInterface::class)->to(ParallelRenderer::class);
    }
}
