<?php

declare(strict_types=1);

namespace Tusk\Resource;

/**
 * How tasks wait side by side in one process. Outside a task the same waits hold up whoever calls: in a handler of a Tusk
 * server that handler, elsewhere the process.
 */
interface Scheduler
{
    /** For one run: the tasks of two runs never wait for each other. */
    public function tasks(): Tasks;

    public function sleep(float $seconds): void;

    /**
     * @param resource $stream
     *
     * @return bool false when $timeout seconds passed first
     */
    public function readable($stream, ?float $timeout = null): bool;

    /**
     * @param resource $stream
     *
     * @return bool false when $timeout seconds passed first
     */
    public function writable($stream, ?float $timeout = null): bool;
}
