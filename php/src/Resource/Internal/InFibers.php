<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Parallel\Async;
use Tusk\Resource\ResourceObject;

/** Runs each request in this process, as a task of its own. */
final class InFibers implements Dispatcher
{
    /** Tasks of a run, those that wait for others among them: PHP has room for some 32,000 fibers. */
    public const TASKS_MAX = 30_000;
    /** Requests at once that a plan may ask for; what these need meanwhile begins beyond it. */
    public const REQUESTS_MAX = 10_000;

    public ?Planner $planner = null;
    private readonly Async $tasks;
    private readonly Outbox $outbox;

    /** @param float|null $deadline seconds for each request */
    public function __construct(?float $deadline)
    {
        $this->tasks = new Async(self::TASKS_MAX);
        $this->outbox = new Outbox($this->tasks, $this->tasks, $deadline);
    }

    public function dispatch(Entry $entry): void
    {
        $this->outbox->put(
            fn (): ?ResourceObject => $this->planner?->during($entry, $entry->asked->perform(...)),
            fn (mixed $outcome) => $this->planner?->ended($entry, self::of($outcome)),
        );
    }

    public function rest(Group $group): void
    {
        $group->sleep();
    }

    public function close(): void
    {
        $this->tasks->close();
        $this->planner = null; // which holds this
    }

    /** What a task of this process gave. */
    public static function of(mixed $outcome): ResourceObject|\Throwable
    {
        return $outcome instanceof ResourceObject || $outcome instanceof \Throwable ? $outcome : new \LogicException('a task ended without outcome');
    }
}
