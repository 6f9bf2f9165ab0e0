<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Suite;

return new class extends Peer {
    private function program(): ?string
    {
        $npm = self::env('NPM') ?? self::ROOT;
        $file = "$npm/node_modules/@oven/bun-linux-x64/bin/bun";

        return is_executable($file) ? $file : self::ask('sh', '-c', 'command -v bun');
    }

    public function version(): ?string
    {
        $program = $this->program();

        return $program === null ? null : 'Bun ' . self::ask($program, '--version');
    }

    public function command(string $role, int $port, string $static): ?array
    {
        $known = in_array($role, ['echo', 'handshake', 'broadcast', 'http', 'file', 'sse'], true);

        return $known ? [(string) $this->program(), self::file('bun.js'), $role, (string) $port, $static] : null;
    }
};
