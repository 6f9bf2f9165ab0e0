<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Suite;

return new class extends Peer {
    public function version(): ?string
    {
        $folder = self::env('WORKERMAN');
        if ($folder === null) {
            return null;
        }
        preg_match('/VERSION = \'([\d.]+)/', (string) @file_get_contents("$folder/src/Worker.php"), $match);

        return 'Workerman ' . ($match[1] ?? '?') . ' on PHP ' . PHP_VERSION;
    }

    public function command(string $role, int $port, string $static): ?array
    {
        $known = in_array($role, ['echo', 'handshake', 'broadcast', 'http'], true);

        return $known ? [PHP_BINARY, self::file('workerman.php'), $role, (string) $port, (string) self::env('WORKERMAN')] : null;
    }
};
