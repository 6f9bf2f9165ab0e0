<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** What is to be run: a mode, an address and the options that were given. */
final readonly class Plan
{
    /**
     * @param array<string, string|int|float|bool> $options    those that differ from their defaults, for the engine
     * @param list<string>                         $thresholds as typed
     * @param list<string>                         $arguments  the command line, for the result
     */
    public function __construct(
        public Mode $mode,
        public string $url,
        public array $options = [],
        public array $thresholds = [],
        public ?string $scenario = null,
        public array $arguments = [],
    ) {}

    /** @param array<string, string|int|float|bool> $options */
    public function with(array $options): self
    {
        return new self($this->mode, $this->url, [...$this->options, ...$options], $this->thresholds, $this->scenario, $this->arguments);
    }

    public function at(string $url): self
    {
        return new self($this->mode, $url, $this->options, $this->thresholds, $this->scenario, $this->arguments);
    }
}
