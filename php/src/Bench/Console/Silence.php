<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Tusk\Bench\Observer;
use Tusk\Bench\Plan;
use Tusk\Bench\Snapshot;

/** No display, for a run inside another. */
final class Silence implements Observer
{
    public function begin(Plan $plan): void {}

    public function update(Snapshot $now): void {}

    public function end(): void {}
}
