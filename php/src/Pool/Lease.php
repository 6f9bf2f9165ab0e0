<?php

declare(strict_types=1);

namespace Tusk\Pool;

/**
 * A connection until this is given back or forgotten.
 *
 * @template C of object
 * @internal
 */
final class Lease
{
    /**
     * @param Entry<C>                          $entry
     * @param \Closure(Entry<C>, bool): void    $back its second argument: not to be lent again
     */
    public function __construct(public readonly Entry $entry, private ?\Closure $back) {}

    public function end(bool $discard = false): void
    {
        $back = $this->back;
        $this->back = null;
        if ($back !== null) {
            $back($this->entry, $discard);
        }
    }

    public function __destruct()
    {
        $this->end();
    }
}
