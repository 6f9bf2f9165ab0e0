<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Parallel\Async;
use Tusk\Parallel\Engine as Pool;
use Tusk\Resource\Application;
use Tusk\Resource\Exception\CannotCrossException;
use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;

/**
 * Runs each request in a worker; links and crawls are followed here, so that all of a run is known in one place.
 * What has gathered goes out together.
 */
final class InWorkers implements Dispatcher
{
    public ?Planner $planner = null;
    private readonly Async $here;
    private readonly Outbox $workers;
    private readonly Outbox $links;
    /** @var list<string> */
    private readonly array $identity;

    public function __construct(
        private readonly Pool $pool,
        private readonly string $factory,
        Application $application,
        private readonly ?float $deadline,
    ) {
        $this->identity = $application->identity();
        $this->here = new Async(InFibers::TASKS_MAX);
        $this->workers = new Outbox($this->here, $pool, $deadline);
        $this->links = new Outbox($this->here, $this->here, null);
    }

    public function dispatch(Entry $entry, \Closure $done): void
    {
        $request = $entry->request;
        if ($request->links() !== []) {
            $this->links->put(
                fn (): ?ResourceObject => $this->planner?->during($entry, fn (): ResourceObject => $request->perform($this->bare(...))),
                static fn (mixed $outcome) => $done(InFibers::of($outcome)),
            );

            return;
        }
        try {
            $this->workers->put($this->job($request), static fn (mixed $outcome) => $done(self::unpacked($outcome, $request)));
        } catch (CannotCrossException $e) {
            $done($e);
        }
    }

    public function close(): void
    {
        $this->here->close();
    }

    /** In a task of this process: the request without its links. */
    private function bare(Request $request): ResourceObject
    {
        [$task] = $this->pool->submit([$this->job($request)], $this->deadline);
        try {
            return Parcel::resource($task->await(), $request->client);
        } finally {
            $task->cancel(); // when nobody waits for it any more
        }
    }

    private static function unpacked(mixed $outcome, Request $request): ResourceObject|\Throwable
    {
        try {
            return $outcome instanceof \Throwable ? $outcome : Parcel::resource($outcome, $request->client);
        } catch (\Throwable $e) {
            return $e;
        }
    }

    /**
     * @return non-empty-list<mixed>
     *
     * @throws CannotCrossException
     */
    private function job(Request $request): array
    {
        $uri = $request->uri();

        return [
            Worker::class,
            'run',
            $this->factory,
            $this->identity,
            $request->method->value,
            $uri->authority() . $uri->path,
            Crossing::values($uri->query, '$query', $uri),
            $request->ancestors,
        ];
    }
}
