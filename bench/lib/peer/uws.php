<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Suite;

return new class extends Peer {
    public function version(): ?string
    {
        return self::env('UWS') === null ? null : 'uWebSockets, bench/peers/uws.cpp';
    }

    public function command(string $role, int $port, string $static): ?array
    {
        $known = in_array($role, ['echo', 'handshake', 'broadcast', 'http'], true);

        return $known ? [(string) self::env('UWS'), $role, (string) $port] : null;
    }
};
