<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

use Tusk\Bench\Counters;
use Tusk\Bench\Engines;
use Tusk\Bench\Plan;
use Tusk\Bench\ProcessTree;

/** Puts a plan on a server and reads both clocks at the edges of its window. */
final readonly class Meter
{
    /** Windows can be a tenth of a second; this finds their edges within a few per cent. */
    private const LOOK = 0.002;

    public function __construct(private Engines $engines) {}

    /** @throws \RuntimeException when it cannot start, or nothing was measured, or something went wrong: one sentence */
    public function measure(Plan $plan, ServerProcess $server): Sample
    {
        $engine = $this->engines->create($plan->mode, $plan->url, $plan->options);
        $before = $this->look($server);
        $begin = $end = null;
        $open = 0;
        $engine->start();
        do {
            $alive = $engine->poll(self::LOOK);
            $phase = $engine->phase();
            if ($phase === 'measure') {
                $begin ??= $this->look($server);
                $open = max($open, $engine->counters()['open'] ?? 0);
            } elseif ($begin !== null && $end === null) {
                $end = $this->look($server);
            }
        } while ($alive);
        $end ??= $this->look($server);
        $begin ??= $before;
        $counters = $engine->counters(true);
        $errors = Counters::named($engine->counters());
        if ($errors !== []) {
            throw new \RuntimeException(current($errors) . ' ' . key($errors));
        }
        $window = $engine->facts()['window'] ?? 0.0;
        $cpu = array_sum(array_map(static fn (array $worker): float => $worker['user'] + $worker['system'], $engine->workers()));
        $operations = (float) $plan->mode->done($counters);
        if ($operations <= 0 || $window <= 0) {
            throw new \RuntimeException('nothing was measured');
        }

        return new Sample(
            $operations,
            (float) $plan->mode->done($engine->counters()),
            (float) $window,
            $end->since($begin),
            $cpu,
            $open > 0 && $end->private > $before->private ? ($end->private - $before->private) / $open : null,
        );
    }

    private function look(ServerProcess $server): ProcessTree
    {
        return $server->look() ?? throw new \RuntimeException('the server ended');
    }
}
