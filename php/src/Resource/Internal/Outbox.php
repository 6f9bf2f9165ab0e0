<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Parallel\Async;
use Tusk\Parallel\Engine;
use Tusk\Parallel\Task;

/** Jobs for an engine: what has gathered goes out together, and a task of this process waits for the answers. */
final class Outbox
{
    /** @var list<array{\Closure|non-empty-list<mixed>, \Closure(mixed): void}> */
    private array $jobs = [];
    private int $open = 0;

    public function __construct(
        private readonly Async $here,
        private readonly Engine $engine,
        private readonly ?float $deadline,
    ) {}

    /**
     * @param \Closure|non-empty-list<mixed> $job
     * @param \Closure(mixed): void          $done is called later, once: with what the job gave, or with what went wrong; MUST NOT throw
     */
    public function put(\Closure|array $job, \Closure $done): void
    {
        $this->open++;
        if ($this->jobs === []) {
            $this->here->submit([$this->carry(...)]);
        }
        $this->jobs[] = [$job, $done];
    }

    /** Whether something of it has not ended. */
    public function isOpen(): bool
    {
        return $this->open > 0;
    }

    private function carry(): void
    {
        $jobs = $this->jobs;
        $this->jobs = [];
        $open = [];
        try {
            $open = $this->engine->submit(array_column($jobs, 0), $this->deadline);
            while ($open !== []) {
                $i = $this->engine->wait($open);
                \assert($i !== null);
                $outcome = self::outcome($open[$i]);
                unset($open[$i]);
                [, $done] = $jobs[$i];
                unset($jobs[$i]);
                $this->open--;
                $done($outcome);
            }
        } catch (\Throwable $e) { // nobody can wait any more, or none of them was begun
            foreach ($open as $task) {
                $task->cancel();
            }
            foreach ($jobs as [, $done]) {
                $this->open--;
                $done($e);
            }
        }
    }

    private static function outcome(Task $task): mixed
    {
        return $task->error() ?? $task->await();
    }
}
