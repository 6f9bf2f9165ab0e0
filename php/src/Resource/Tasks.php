<?php

declare(strict_types=1);

namespace Tusk\Resource;

interface Tasks
{
    /**
     * Runs the task at once, up to its first wait.
     *
     * @param \Closure(): void $task MUST NOT throw
     */
    public function spawn(\Closure $task): void;

    /**
     * Returns when $done() is true, which is asked after each step of a task; tasks run meanwhile. In a task only that task waits.
     *
     * @param \Closure(): bool $done
     */
    public function until(\Closure $done): void;
}
