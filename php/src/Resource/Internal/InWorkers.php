<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Parallel\Async;
use Tusk\Parallel\Engine as Pool;
use Tusk\Resource\Exception\CannotCrossException;
use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;

/**
 * Runs each request in a worker; links and crawls are followed here, so that all of a run is known in one place.
 *
 * Who waits takes in what workers answer. Where several wait, or links are followed meanwhile, a task of this process does it for all.
 */
final class InWorkers implements Dispatcher
{
    /** The places that a pool's queue has at most. */
    public const REQUESTS_MAX = 65_536;

    public ?Planner $planner = null;
    private readonly Underway $workers;
    /** Of this process; none before it is wanted. */
    private ?Async $here = null;
    private ?Outbox $links = null;
    /** Stacks that take in what workers answer. */
    private int $takers = 0;
    /** One more of them is about to begin. */
    private bool $called = false;
    /** Groups that sleep meanwhile. */
    private int $asleep = 0;

    /** @param string $prefix of Head::prefix() */
    public function __construct(
        private readonly Pool $pool,
        private readonly string $prefix,
        private readonly ?float $deadline,
    ) {
        $this->workers = new Underway($pool, $deadline, $this);
    }

    public function dispatch(Entry $entry): void
    {
        if ($entry->asked->links() !== []) {
            $this->follow($entry);

            return;
        }
        try {
            $job = $entry->asked->job($this->prefix);
        } catch (CannotCrossException $e) {
            $this->planner?->ended($entry, $e);

            return;
        }
        $this->workers->put($job, $entry);
    }

    /** What a worker gave, or what went wrong with it. */
    public function answered(Entry $entry, mixed $outcome): void
    {
        if (!$outcome instanceof \Throwable) {
            try {
                $outcome = Parcel::answer($outcome, $entry->asked);
            } catch (\Throwable $e) {
                $outcome = $e;
            }
        }
        $this->planner?->ended($entry, $outcome);
    }

    private function follow(Entry $entry): void
    {
        $request = $entry->asked;
        $this->links ??= new Outbox($this->here(), $this->here(), null);
        $this->links->put(
            fn (): ?ResourceObject => $this->planner?->during($entry, fn (): ResourceObject => $request->perform($this->bare(...))),
            function (mixed $outcome) use ($entry): void {
                $this->planner?->ended($entry, InFibers::of($outcome));
                $this->call(); // for what this made ready
            },
        );
    }

    private function here(): Async
    {
        return $this->here ??= new Async(InFibers::TASKS_MAX);
    }

    private function linked(): bool
    {
        return $this->links !== null && $this->links->isOpen();
    }

    public function rest(Group $group): void
    {
        if ($this->takers === 0 && !$this->called && !$this->linked() && $this->workers->isLeft()) {
            try {
                $this->take($group);
            } finally {
                $this->call();
            }

            return;
        }
        $this->asleep++;
        try {
            $this->call();
            $group->sleep();
        } finally {
            $this->asleep--;
        }
    }

    /** What workers answer, until all has come, or there is something that a stack which blocks would hold up. */
    private function take(Group $group): void
    {
        $this->takers++;
        try {
            while ($group->isOpen() && $this->workers->isLeft() && !$this->linked()) {
                $this->workers->take();
            }
        } finally {
            $this->takers--;
        }
    }

    /** A task of this process, for those that sleep and what nobody waits for. */
    private function call(): void
    {
        if ($this->asleep > 0 && !$this->called && $this->workers->isLeft()) {
            $this->called = true;
            $this->here()->submit([$this->carry(...)]);
        }
    }

    private function carry(): void
    {
        $this->called = false;
        $this->takers++;
        try {
            while ($this->workers->isLeft()) {
                $this->workers->take();
            }
        } catch (\Throwable $e) { // nobody can wait any more
            $this->workers->close($e);
        } finally {
            $this->takers--;
        }
    }

    public function close(): void
    {
        $this->here?->close();
        $this->workers->close(null);
        $this->planner = null; // which holds this
    }

    /** In a task of this process: the request without its links. */
    private function bare(Request $request): ResourceObject
    {
        [$task] = $this->pool->submit([$request->job($this->prefix)], $this->deadline);
        try {
            return Parcel::answer($task->await(), $request);
        } finally {
            $task->cancel(); // when nobody waits for it any more
        }
    }
}
