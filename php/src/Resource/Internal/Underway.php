<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Parallel\Cancelled;
use Tusk\Parallel\Engine;
use Tusk\Parallel\Task;

/** Jobs that an engine has for entries of a plan. Each goes out when it is put; who waits takes the answers in. */
final class Underway
{
    /** @var array<int, Task> by number, from 1; without those that somebody waits for at this moment */
    private array $tasks = [];
    /** @var array<int, Entry> */
    private array $entries = [];
    private int $last = 0;

    /** @param InWorkers|null $told is told once of each: what the job gave, or what went wrong */
    public function __construct(
        private readonly Engine $engine,
        private readonly ?float $deadline,
        private ?InWorkers $told,
    ) {}

    /** @param non-empty-list<mixed> $job */
    public function put(array $job, Entry $entry): void
    {
        try {
            [$task] = $this->engine->submit([$job], $this->deadline);
        } catch (\Throwable $e) {
            $this->told?->answered($entry, $e);

            return;
        }
        $i = ++$this->last;
        $this->tasks[$i] = $task;
        $this->entries[$i] = $entry;
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
        $task = null;
        $i = 0;
        try {
            $i = (int) $this->engine->wait($mine);
            $task = $mine[$i] ?? null;
        } finally {
            unset($mine[$i]);
            $this->leave($mine);
        }
        if ($task !== null) {
            $this->end($i, $task->error() ?? $task->await());
        }
    }

    /** @param array<int, Task> $tasks for whoever waits next */
    private function leave(array $tasks): void
    {
        $this->tasks = $this->tasks === [] ? $tasks : $this->tasks + $tasks;
    }

    /**
     * Ends all that are left, and lets go of whoever is told of them: that one holds this.
     *
     * @param \Throwable|null $why null: nobody waits for them any more
     */
    public function close(?\Throwable $why): void
    {
        $tasks = $this->tasks;
        if ($tasks !== []) {
            $this->tasks = [];
            $why ??= new Cancelled('Nobody waits for it any more');
            foreach ($tasks as $task) {
                $task->cancel();
            }
            foreach ($tasks as $i => $task) {
                $this->end($i, $why);
            }
        }
        $this->told = null;
    }

    private function end(int $i, mixed $outcome): void
    {
        $entry = $this->entries[$i];
        unset($this->entries[$i]);
        $this->told?->answered($entry, $outcome);
    }
}
