<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

use Tusk\Bench\Engine;
use Tusk\Bench\Engines;
use Tusk\Bench\Hdr;
use Tusk\Bench\Metric;
use Tusk\Bench\Mode;

/**
 * `bench_test`: our own command, any mode of the engine as a share of a plan that several agents run. Arguments: `mode`,
 * `uri`, `token`, `at` (microseconds since the epoch by this agent's clock; 0: now), and the engine's options by name. Data
 * of kind `interval` come each second, data of kind `result` at the end; histograms travel whole, so that they merge.
 */
final class BenchTest implements Job
{
    private const OWN = ['mode', 'uri', 'token', 'at'];

    private readonly Engine $engine;
    private readonly float $at;
    private bool $started = false;
    private bool $stopped = false;
    private bool $done = false;

    /** @throws BadCommand naming the argument, or in the engine's words */
    public function __construct(Command $command, Engines $engines, Targets $targets)
    {
        $uri = $command->text('uri');
        $targets->check($uri);
        $command->text('token');
        $mode = Mode::tryFrom($command->text('mode')) ?? throw BadCommand::parameter('mode');
        $options = array_diff_key($command->arguments, array_flip(self::OWN));
        $known = $engines->options($mode);
        foreach (array_keys($options) as $name) {
            if (!isset($known[$name]) || $name === 'allow-remote') {
                throw BadCommand::parameter((string) $name);
            }
        }
        $this->at = $command->count('at', PHP_INT_MAX, 0) / 1e6;
        try {
            /** @var array<string, string> $options */
            $this->engine = $engines->create($mode, $uri, [...$options, 'allow-remote' => Targets::isRemote($uri)]);
        } catch (\ValueError $fault) {
            throw new BadCommand($fault->getMessage(), previous: $fault);
        }
    }

    public function start(): void
    {
        if ($this->at <= hrtime(true) / 1e9) {
            $this->begin();
        }
    }

    public function running(): bool
    {
        return !$this->done;
    }

    public function data(): array
    {
        if ($this->stopped && !$this->started) {
            $this->done = true;
        }
        if ($this->done || (!$this->started && $this->at > hrtime(true) / 1e9)) {
            return [];
        }
        if (!$this->started) {
            $this->begin();
        }
        $alive = $this->engine->poll(0.0);
        $data = [];
        foreach ($this->engine->intervals() as $interval) {
            $data[] = ['kind' => 'interval', ...$interval, 'response' => Hdr::pack($interval['response'])];
        }
        $data[] = ['kind' => 'state', 'phase' => $this->engine->phase(), 'counters' => $this->engine->counters()];
        if (!$alive) {
            $this->done = true;
            $data[] = $this->result();
        }

        return $data;
    }

    public function stop(): void
    {
        $this->stopped = true;
        if ($this->started) {
            $this->engine->stop();
        }
    }

    private function begin(): void
    {
        $this->started = true;
        try {
            $this->engine->start();
        } catch (\RuntimeException $fault) {
            $this->done = true;
            throw new BadCommand($fault->getMessage(), previous: $fault);
        }
    }

    /** @return array<string, mixed> */
    private function result(): array
    {
        $histograms = [];
        foreach (Metric::HISTOGRAMS as $name) {
            $histogram = $this->engine->histogram($name);
            if ($histogram->count() > 0) {
                $histograms[$name] = Hdr::pack($histogram);
            }
        }

        return [
            'kind' => 'result',
            'counters' => $this->engine->counters(true),
            'totals' => $this->engine->counters(),
            'histograms' => $histograms,
            'workers' => $this->engine->workers(),
            'facts' => $this->engine->facts(),
            'samples' => [...$this->engine->samples()],
            'partial' => $this->engine->partial(),
        ];
    }
}
