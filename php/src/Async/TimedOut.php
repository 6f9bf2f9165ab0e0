<?php

declare(strict_types=1);

namespace Tusk\Async;

/** What was waited for did not come in time. */
final class TimedOut extends \RuntimeException
{
    public static function after(float $seconds, string $what): self
    {
        return new self(\sprintf('%s: nothing within %g s', $what, $seconds));
    }
}
