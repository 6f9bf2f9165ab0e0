<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite\Peer;

use Tusk\Bench\Suite\Certificate;
use Tusk\Bench\Suite\Peer;
use Tusk\Bench\Suite\Role;

/** uWebSockets: bench/peers/uws.cpp, compiled by whoever has its sources. */
final class UWebSockets extends Peer
{
    public function name(): string
    {
        return 'uWebSockets';
    }

    public function version(): ?string
    {
        return self::setting('TUSK_PEER_UWS') === null ? null : 'uWebSockets, without SSL';
    }

    public function install(): string
    {
        return 'compile bench/peers/uws.cpp against its headers, then TUSK_PEER_UWS=the program';
    }

    public function command(Role $role, int $port, ?Certificate $tls = null): ?array
    {
        return $tls === null && ($role->isWebSocket() || $role === Role::Hello) ? [(string) self::setting('TUSK_PEER_UWS'), $role->value, (string) $port] : null;
    }
}
