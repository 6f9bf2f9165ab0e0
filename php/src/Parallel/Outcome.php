<?php

declare(strict_types=1);

namespace Tusk\Parallel;

/** What became of one task. */
final readonly class Outcome
{
    /** @param array<string, int> $stats as of Task::stats() */
    private function __construct(
        public bool $ok,
        private mixed $result,
        public ?\Throwable $error,
        public string $output,
        public array $stats,
    ) {}

    /** Waits for the task. */
    public static function of(Task $task): self
    {
        $error = $task->error();
        return new self($error === null, $error === null ? $task->await() : null, $error, $task->output(), $task->stats());
    }

    /** Of a job of which no task could be made. */
    public static function refused(CannotTravel|QueueFull $error): self
    {
        return new self(false, null, $error, '', ['worker' => 0, 'pid' => 0, 'attempts' => 0, 'wait_us' => 0, 'run_us' => 0, 'memory' => 0]);
    }

    /** The result, or what was thrown is thrown here. */
    public function value(): mixed
    {
        return $this->error === null ? $this->result : throw $this->error;
    }
}
