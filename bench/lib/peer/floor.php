<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Suite;

return new class extends Peer {
    public function version(): ?string
    {
        return is_executable(self::ROOT . '/build/bench/floor') ? 'bench/peers/floor.c' : null;
    }

    public function command(string $role, int $port, string $static): ?array
    {
        $mode = ['echo' => 'echo', 'handshake' => 'echo', 'broadcast' => 'fanout', 'http' => 'http'][$role] ?? null;

        return $mode === null ? null : [self::ROOT . '/build/bench/floor', $mode, (string) $port];
    }
};
