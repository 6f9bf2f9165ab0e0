<?php

declare(strict_types=1);

namespace Tusk\Bridge\Bear;

use BEAR\Resource\RenderInterface;
use Ray\Di\AbstractModule;
use Ray\Di\Scope;
use Tusk\Resource\Application;

/**
 * The one line, around the module that binds the renderer:
 * $this->override(new ParallelModule('Shop\Workers::application', new HalModule()));
 *
 * Overriding, since a renderer that is bound already stays where one is only installed, and nothing would run in workers.
 */
final class ParallelModule extends AbstractModule
{
    public const ORIGINAL = 'tusk_original';
    public const APPLICATION = 'tusk_application';
    public const FACTORY = 'tusk_factory';
    public const WORKERS = 'tusk_workers';

    /**
     * @param string         $factory callable string that gives Bear::application(); workers call it, each once
     * @param AbstractModule $module  that binds RenderInterface: ResourceModule, HalModule, or the whole application's
     * @param int            $workers processes: as many as a page embeds
     */
    public function __construct(
        private readonly string $factory,
        AbstractModule $module,
        private readonly int $workers = 8,
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
