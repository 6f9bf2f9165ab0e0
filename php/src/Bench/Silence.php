<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** No display, for a run inside another. */
final class Silence implements Observer
{
    public function begin(Plan $plan): void {}

    public function update(Snapshot $now): void {}

    public function end(): void {}
}
