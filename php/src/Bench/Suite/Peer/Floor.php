<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite\Peer;

use Tusk\Bench\Suite\Certificate;
use Tusk\Bench\Suite\Peer;
use Tusk\Bench\Suite\Role;

/** A minimal C server: what this kernel costs, without limits, timers or checks. */
final class Floor extends Peer
{
    public function name(): string
    {
        return 'bare C';
    }

    public function version(): ?string
    {
        return is_executable($this->executable()) ? 'bench/peers/floor.c' : null;
    }

    public function install(): string
    {
        return 'make build/bench/floor';
    }

    public function command(Role $role, int $port, ?Certificate $tls = null): ?array
    {
        $mode = match ($role) {
            Role::Echo, Role::Handshake => ['echo', (string) $port],
            Role::Broadcast => ['fanout', (string) $port],
            Role::Hello => ['http', (string) $port],
            Role::Page => ['http', (string) $port, self::page()],
            default => null,
        };

        return $tls !== null || $mode === null ? null : [$this->executable(), ...$mode];
    }

    private function executable(): string
    {
        return dirname(__DIR__, 5) . '/build/bench/floor';
    }
}
