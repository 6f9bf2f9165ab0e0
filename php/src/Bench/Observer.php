<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** Watches a run. */
interface Observer
{
    public function begin(Plan $plan): void;

    /** Called about four times a second while the run goes on. */
    public function update(Snapshot $now): void;

    /** Called once, also after a failure. */
    public function end(): void;
}
