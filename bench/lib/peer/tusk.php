<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Suite;

return new class extends Peer {
    private const EXTENSION = self::ROOT . '/build/ext/modules/tusk.so';

    public function version(): ?string
    {
        return is_file(self::EXTENSION)
            ? self::ask(PHP_BINARY, '-d', 'extension=' . self::EXTENSION, '-r', 'extension_loaded("tusk") || exit(1); echo phpversion("tusk"), " on PHP ", PHP_VERSION;')
            : null;
    }

    public function command(string $role, int $port, string $static): ?array
    {
        if ($role === 'chat') {
            return $this->chat($port);
        }
        $script = match ($role) {
            'echo' => 'examples/echo.php',
            'broadcast', 'broadcast-foreach', 'http', 'sse' => "examples/$role.php",
            'file' => 'examples/http.php',
            'handshake', 'tls', 'deflate', 'beside', 'waiting', 'page', 'form' => "bench/peers/tusk-$role.php",
            'task' => 'bench/parallel/empty.php',
            default => null,
        };
        if ($script === null || !is_file(self::ROOT . "/$script")) {
            return null;
        }
        $command = [PHP_BINARY, '-d', 'extension=' . self::EXTENSION, self::ROOT . "/$script", (string) $port];

        return in_array($role, ['http', 'file'], true) ? [...$command, $static] : $command;
    }

    /** In open mode, with an empty store of its own and no limit on a user's rate. */
    private function chat(int $port): ?array
    {
        if (!is_file(self::ROOT . '/apps/chat/server.php')) {
            return null;
        }
        $folder = (realpath(self::ROOT . '/build') ?: '') . '/bench/chat';
        array_map(unlink(...), glob("$folder/*") ?: []);
        is_dir($folder) || mkdir($folder, 0777, true);

        return [PHP_BINARY, '-d', 'extension=' . self::EXTENSION, self::ROOT . '/apps/chat/server.php', (string) $port, '--open', '--rate=0', "--var=$folder"];
    }
};
