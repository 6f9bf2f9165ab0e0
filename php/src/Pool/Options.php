<?php

declare(strict_types=1);

namespace Tusk\Pool;

/** Seconds are floats; what is looked at is looked at when a connection is borrowed or comes back: a pool has no timers. */
final readonly class Options
{
    /**
     * @param int   $max           connections at once, lent and idle; at least 1
     * @param int   $minIdle       idle ones that warm() opens and idleTimeout leaves; at most $max
     * @param float $borrowTimeout how long a borrower waits for one, then BorrowTimeout
     * @param float $pingAfter     one that was idle for longer is asked before it is lent
     * @param float $idleTimeout   one that was idle for longer is closed; 0: never
     * @param float $maxAge        one that is older is not lent again; 0: never
     */
    public function __construct(
        public int $max = 10,
        public int $minIdle = 0,
        public float $borrowTimeout = 5.0,
        public float $pingAfter = 5.0,
        public float $idleTimeout = 300.0,
        public float $maxAge = 3600.0,
    ) {
        if ($max < 1) {
            throw new \ValueError("max must be at least 1, $max was given");
        }
        if ($minIdle < 0 || $minIdle > $max) {
            throw new \ValueError("minIdle must be between 0 and max ($max), $minIdle was given");
        }
        foreach (['borrowTimeout' => $borrowTimeout, 'pingAfter' => $pingAfter, 'idleTimeout' => $idleTimeout, 'maxAge' => $maxAge] as $name => $value) {
            if (!($value >= 0 && $value <= 1e9)) {
                throw new \ValueError("$name must be between 0 and 1e9 seconds, " . (is_nan($value) ? 'NAN' : $value) . ' was given');
            }
        }
    }
}
