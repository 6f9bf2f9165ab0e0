<?php

declare(strict_types=1);

namespace Tusk\Parallel;

/** any() and race() had nothing to run. */
final class NoJobs extends \LogicException
{
    public static function ofNothing(string $method): self
    {
        return new self("Parallel::$method() needs a job");
    }
}
