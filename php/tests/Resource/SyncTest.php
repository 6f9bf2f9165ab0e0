<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource;

use Tusk\Parallel\Engine as Workers;
use Tusk\Parallel\Sync;

/** The stand-in for workers: the same tasks one after another in this process. */
final class SyncTest extends WorkersSuite
{
    protected static function pool(): Workers
    {
        return new Sync();
    }

    protected static function one(): Workers
    {
        return new Sync();
    }

    /** What a method reads runs one after another there, as in a sequential run. */
    protected function readsRun(int $runs): int
    {
        return 5;
    }
}
