<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

use Tusk\Bench\Suite\Certificate;
use Tusk\Bench\Suite\Peer;
use Tusk\Bench\Suite\Role;

/** Tusk's core without PHP. */
final class Core extends Peer
{
    private const PROGRAM = __DIR__ . '/../../build/bench/core';

    public function name(): string
    {
        return 'core';
    }

    public function version(): ?string
    {
        return is_executable(self::PROGRAM) ? "Tusk's core without PHP, bench/peers/core.c" : null;
    }

    public function install(): string
    {
        return 'make build/bench/core';
    }

    public function command(Role $role, int $port, ?Certificate $tls = null): ?array
    {
        return match ($role) {
            Role::Echo, Role::Handshake => [self::PROGRAM, 'echo', (string) $port],
            Role::Broadcast, Role::Hello, Role::Events => [self::PROGRAM, $role->value, (string) $port],
            default => null,
        };
    }
}
