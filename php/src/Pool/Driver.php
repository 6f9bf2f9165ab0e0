<?php

declare(strict_types=1);

namespace Tusk\Pool;

/**
 * What a pool has to know of the connections it lends.
 *
 * @template C of object
 */
interface Driver
{
    /**
     * A new one. MAY wait.
     *
     * @return C
     */
    public function connect(): object;

    /**
     * Whether it is known to be dead without asking the server. MAY wait for an answer to what reset() sent.
     *
     * @param C $connection idle in the pool
     */
    public function isStale(object $connection): bool;

    /**
     * Asks the server; false or an exception: it does not answer. MAY wait.
     *
     * @param C $connection
     */
    public function ping(object $connection): bool;

    /**
     * Whether it is as a new one, after its user has gone. An open transaction MUST have been rolled back when this returns, whatever it
     * returns: ending the connection does that too. MUST NOT wait by a fiber: it is called in destructors.
     *
     * @param C $connection
     */
    public function reset(object $connection): bool;

    /**
     * Ends it. MUST NOT wait, MUST NOT throw.
     *
     * @param C $connection
     */
    public function close(object $connection): void;
}
