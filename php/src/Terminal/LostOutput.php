<?php

declare(strict_types=1);

namespace Tusk\Terminal;

/** What was to be told could not be written: a full disk. A reader that went away (`| head`) is none. */
final class LostOutput extends \Exception
{
    public static function because(string $reason): self
    {
        return new self("standard output cannot be written: $reason; what it was to say is lost");
    }
}
