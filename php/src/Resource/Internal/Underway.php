<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Parallel\Engine;
use Tusk\Parallel\Task;

/** Jobs that an engine has, and who is told what came of them. Each goes out when it is put; who waits takes the answers in. */
final class Underway
{
    /** @var array<int, Task> by number; without those that somebody waits for at this moment */
    private array $tasks = [];
    /** @var array<int, \Closure(mixed): void> */
    private array $done = [];
    private int $last = 0;

    public function __construct(
        private readonly Engine $engine,
        private readonly ?float $deadline,
    ) {}

    /**
     * @param non-empty-list<mixed>  $job
     * @param \Closure(mixed): void $done is called once: with what the job gave, or with what went wrong, which may be at once; MUST NOT throw
     */
    public function put(array $job, \Closure $done): void
    {
        try {
            [$task] = $this->engine->submit([$job], $this->deadline);
        } catch (\Throwable $e) {
            $done($e);

            return;
        }
        $this->tasks[++$this->last] = $task;
        $this->done[$this->last] = $done;
    }

    /** Whether there is a job that nobody waits for. */
    public function isLeft(): bool
    {
        return $this->tasks !== [];
    }

    /**
     * Waits for the first of those that are left.
     *
     * @throws \Throwable when nobody can wait here any more, or nothing will run; they are left then
     */
    public function take(): void
    {
        $mine = $this->tasks;
        if ($mine === []) {
            return;
        }
        $this->tasks = []; // of others that come meanwhile
        $i = null;
        try {
            $i = $this->engine->wait($mine);
        } finally {
            $this->leave($mine, $i);
        }
        if ($i !== null) {
            $this->end((int) $i, $mine[$i]->error() ?? $mine[$i]->await());
        }
    }

    /** @param array<int, Task> $tasks all but one of which go on */
    private function leave(array $tasks, int|string|null $ended): void
    {
        if ($ended !== null) {
            unset($tasks[$ended]);
        }
        $this->tasks += $tasks;
    }

    /** Ends all that are left. */
    public function close(\Throwable $why): void
    {
        $tasks = $this->tasks;
        $this->tasks = [];
        foreach ($tasks as $task) {
            $task->cancel();
        }
        foreach ($tasks as $i => $task) {
            $this->end($i, $why);
        }
    }

    private function end(int $i, mixed $outcome): void
    {
        $done = $this->done[$i];
        unset($this->done[$i]);
        $done($outcome);
    }
}
