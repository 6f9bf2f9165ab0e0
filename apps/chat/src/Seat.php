<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** What a connection of the server carries about its user. */
final readonly class Seat
{
    public function __construct(public Session $session, public Sink $sink) {}
}
