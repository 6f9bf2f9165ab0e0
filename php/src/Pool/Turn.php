<?php

declare(strict_types=1);

namespace Tusk\Pool;

use Tusk\Condition;

/**
 * Somebody who waits for a connection.
 *
 * @internal
 */
final class Turn
{
    public bool $given = false;
    private Condition $said;

    public function __construct()
    {
        $this->said = new Condition();
    }

    public function wait(float $seconds): void
    {
        $this->said->wait($seconds);
    }

    public function give(): void
    {
        $this->given = true;
        $this->said->notify();
    }
}
