<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Suite;

return new class extends Peer {
    public function version(): ?string
    {
        $extension = self::env('SWOOLE');

        return $extension === null ? null
            : 'swoole ' . self::ask(PHP_BINARY, '-d', "extension=$extension", '-r', 'echo phpversion("swoole"), " on PHP ", PHP_VERSION;');
    }

    public function command(string $role, int $port, string $static): ?array
    {
        $known = in_array($role, ['echo', 'handshake', 'broadcast', 'http', 'file'], true);
        $dir = dirname($static);

        return $known ? [PHP_BINARY, '-d', 'extension=' . self::env('SWOOLE'), self::file('swoole.php'), $role, (string) $port, $dir] : null;
    }
};
