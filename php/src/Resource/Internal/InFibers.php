<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Request;
use Tusk\Resource\Tasks;

/** Runs each request in this process, as a task of its own. */
final class InFibers implements Dispatcher
{
    public ?Planner $planner = null;

    public function __construct(private readonly Tasks $tasks) {}

    public function dispatch(Request $request, \Closure $done): void
    {
        $this->tasks->spawn(function () use ($request, $done): void {
            $this->planner?->enter($request);
            try {
                $outcome = $request->perform();
            } catch (\Throwable $e) {
                $outcome = $e;
            }
            $this->planner?->leave();
            $done($outcome);
        });
    }
}
