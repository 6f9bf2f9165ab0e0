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
        return 'build uWebSockets and its uSockets without SSL, compile bench/peers/uws.cpp against their headers and objects (-std=c++20 -DUWS_NO_ZLIB -DLIBUS_NO_SSL), then TUSK_PEER_UWS=the program';
    }

    public function command(Role $role, int $port, ?Certificate $tls = null): ?array
    {
        return $tls === null && ($role->isWebSocket() || $role === Role::Hello) ? [(string) self::setting('TUSK_PEER_UWS'), $role->value, (string) $port] : null;
    }
}
