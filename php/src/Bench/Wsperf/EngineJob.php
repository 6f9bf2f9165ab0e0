<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

use Tusk\Bench\Engine;
use Tusk\Bench\Engines;
use Tusk\Bench\Mode;

/** A test that is one run of the engine, against one URI. */
abstract class EngineJob implements Job
{
    /** A run without a timeout of its own ends after a day: its worker is not held for good. */
    protected const LONGEST = 86400.0;

    protected readonly string $uri;
    protected ?Engine $engine = null;
    protected bool $done = false;

    /** @throws BadCommand naming the argument */
    public function __construct(Command $command, private readonly Engines $engines, Targets $targets)
    {
        $this->uri = $command->text('uri');
        $targets->check($this->uri);
        $command->text('token');
    }

    public function running(): bool
    {
        return !$this->done;
    }

    public function stop(): void
    {
        $this->engine?->stop();
    }

    /**
     * @param array<string, string|int|float|bool> $options the engine's, by name
     *
     * @throws BadCommand in the engine's words
     */
    protected function begin(Mode $mode, array $options): void
    {
        $all = [...$options, 'warmup' => 0, 'workers' => 1, 'hiccup' => false, 'allow-remote' => Targets::isRemote($this->uri)];
        try {
            $this->engine = $this->engines->create($mode, $this->uri, $all);
            $this->engine->start();
        } catch (\ValueError | \RuntimeException $fault) {
            throw new BadCommand($fault->getMessage(), previous: $fault);
        }
    }
}
