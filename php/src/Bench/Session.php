<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** Runs plans: engine, server's sampler, calibration, thresholds, Ctrl-C. */
final readonly class Session
{
    public Interrupt $interrupt;

    public function __construct(private Engines $engines, private Observer $observer)
    {
        $this->interrupt = new Interrupt();
    }

    /**
     * @param int|null $pid       of the server
     * @param bool     $calibrate run the same load against the tool's own server first
     *
     * @throws \ValueError       when the plan makes no sense: option, value and remedy
     * @throws \RuntimeException when this machine cannot do it: one sentence
     */
    public function run(Plan $plan, ?int $pid = null, bool $calibrate = false): Finished
    {
        $thresholds = array_map(static fn (string $text): Threshold => Threshold::parse($text, $plan->mode), $plan->thresholds);
        foreach ($pid === null ? $thresholds : [] as $threshold) {
            if ($threshold->metric->needsPid()) {
                throw new \ValueError("$threshold->text: {$threshold->metric->name} is not known without --pid, the process id of the server");
            }
        }
        $engine = $this->engines->create($plan->mode, $plan->url, $plan->options);
        $sampler = $pid === null ? null : new ServerSampler($pid);
        $calibration = $calibrate ? (new Calibration($this->engines))->of($plan) : null;
        $run = new Run($plan, $engine, $this->observer, $sampler);
        $defaults = array_map(static fn (array $row): string => $row['default'], $this->engines->options($plan->mode));
        $result = $this->interrupt->during($engine->stop(...), static fn (): Result => $run->measure($defaults, $calibration));

        return new Finished($result->with(array_map(static fn (Threshold $threshold): Outcome => $threshold->check($result), $thresholds)), $engine);
    }
}
