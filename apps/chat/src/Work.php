<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/**
 * A write, as a value that can travel to the process that writes: readonly, of scalars, lists and the values that Pipe lets through.
 *
 * @template-covariant T
 */
interface Work
{
    /**
     * Inside a transaction; a Refused undoes this work alone.
     *
     * @return T
     *
     * @throws Refused
     */
    public function do(Ledger $ledger): mixed;
}
