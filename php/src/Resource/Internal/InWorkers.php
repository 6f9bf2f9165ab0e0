<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Parallel\Engine as Pool;
use Tusk\Parallel\Task;
use Tusk\Resource\Application;
use Tusk\Resource\Exception\CannotCrossException;
use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;

/**
 * Runs each request in a worker; links and crawls are followed here, so that all of a run is known in one place.
 * What has gathered goes out together, when nothing is left to do but wait.
 */
final class InWorkers implements Dispatcher
{
    public ?Planner $planner = null;
    public readonly Coroutines $tasks;
    /** @var array<int, non-empty-list<mixed>> jobs to submit */
    private array $outbox = [];
    /** @var array<int, Task> under way */
    private array $sent = [];
    /** @var array<int, array{Request, \Closure(ResourceObject|\Throwable): void}> */
    private array $waiting = [];
    private int $number = 0;
    /** @var list<string> */
    private readonly array $identity;

    public function __construct(
        private readonly Pool $pool,
        private readonly string $factory,
        Application $application,
        private readonly ?float $deadline,
    ) {
        $this->identity = $application->identity();
        $this->tasks = new Coroutines(new FiberPool(), $this->wait(...));
    }

    public function dispatch(Request $request, \Closure $done): void
    {
        if ($request->links() === []) {
            try {
                $this->send($request, $done);
            } catch (CannotCrossException $e) {
                $done($e);
            }

            return;
        }
        $this->tasks->spawn(function () use ($request, $done): void {
            $this->planner?->enter($request);
            try {
                $outcome = $request->perform($this->bare(...));
            } catch (\Throwable $e) {
                $outcome = $e;
            }
            $this->planner?->leave();
            $done($outcome);
        });
    }

    private function bare(Request $request): ResourceObject
    {
        $fiber = Coroutines::fiber();
        $this->send($request, fn (ResourceObject|\Throwable $outcome) => $this->tasks->wake($fiber, $outcome));
        $outcome = \Fiber::suspend();

        return $outcome instanceof ResourceObject ? $outcome : throw $outcome instanceof \Throwable ? $outcome : new \LogicException('a task ended without outcome');
    }

    /**
     * @param \Closure(ResourceObject|\Throwable): void $done is called later
     *
     * @throws CannotCrossException
     */
    private function send(Request $request, \Closure $done): void
    {
        $uri = $request->uri();
        $this->outbox[++$this->number] = [
            Worker::class,
            'run',
            $this->factory,
            $this->identity,
            $request->method->value,
            $uri->authority() . $uri->path,
            Crossing::values($uri->query, '$query', $uri),
            $request->ancestors,
        ];
        $this->waiting[$this->number] = [$request, $done];
    }

    private function wait(): void
    {
        if ($this->outbox !== []) {
            $this->submit();
        }
        if ($this->sent === []) {
            return;
        }
        $number = $this->pool->wait($this->sent);
        if (!is_int($number)) {
            return;
        }
        $task = $this->sent[$number];
        unset($this->sent[$number]);
        try {
            $outcome = Parcel::resource($task->await(), $this->waiting[$number][0]->client);
        } catch (\Throwable $e) {
            $outcome = $e;
        }
        $this->end($number, $outcome);
    }

    private function submit(): void
    {
        $jobs = $this->outbox;
        $this->outbox = [];
        try {
            foreach ($this->pool->submit($jobs, $this->deadline) as $number => $task) {
                $this->sent[(int) $number] = $task;
            }
        } catch (\Throwable $e) { // then none of them was begun
            foreach ($jobs as $number => $_) {
                $this->end($number, $e);
            }
        }
    }

    private function end(int $number, ResourceObject|\Throwable $outcome): void
    {
        [, $done] = $this->waiting[$number];
        unset($this->waiting[$number]);
        $done($outcome);
    }
}
