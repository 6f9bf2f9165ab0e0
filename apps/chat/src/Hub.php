<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** Where events are published; Tusk\Server in the server, a list in tests. */
interface Hub
{
    public function publish(string $topic, string $data, string $event, string $id): void;
}
