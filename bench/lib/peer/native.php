<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Suite;

return new class extends Peer {
    public function version(): ?string
    {
        $extension = self::env('NATIVE');

        return $extension === null ? null : 'native WebSocket extension (' . basename($extension) . ') on PHP ' . PHP_VERSION;
    }

    public function command(string $role, int $port, string $static): ?array
    {
        $known = in_array($role, ['echo', 'handshake', 'broadcast'], true);

        return $known ? [PHP_BINARY, '-d', 'extension=' . self::env('NATIVE'), self::file('native.php'), $role, (string) $port] : null;
    }
};
