<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** One open connection of a user, whatever carries it. */
interface Sink
{
    public function id(): string;

    /** @param string|null $id the cursor that the client has once it has this event; null leaves its cursor alone */
    public function send(string $data, string $event, ?string $id = null): void;

    public function subscribe(string $topic): void;

    public function unsubscribe(string $topic): void;

    public function close(): void;
}
