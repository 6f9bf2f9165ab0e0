<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** A log-in that has been proven: by the cookie of a browser or by the bearer token of a script. */
final readonly class Session
{
    /** @param string $address where it began, as Input::network() has it; empty: nobody knows */
    public function __construct(public string $id, public User $user, public string $address = '') {}
}
