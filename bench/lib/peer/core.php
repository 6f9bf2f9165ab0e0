<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Suite;

return new class extends Peer {
    public function version(): ?string
    {
        return is_executable(self::ROOT . '/build/bench/core') ? "Tusk's core without PHP, bench/peers/core.c" : null;
    }

    public function command(string $role, int $port, string $static): ?array
    {
        $role = $role === 'handshake' ? 'echo' : $role;
        $known = in_array($role, ['echo', 'broadcast', 'http', 'sse'], true);

        return $known ? [self::ROOT . '/build/bench/core', $role, (string) $port] : null;
    }
};
