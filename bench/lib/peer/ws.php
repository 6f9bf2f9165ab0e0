<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Suite;

return new class extends Peer {
    private function folder(): string
    {
        return realpath(self::env('NPM') ?? self::ROOT) ?: '.';
    }

    public function version(): ?string
    {
        $manifest = $this->folder() . '/node_modules/ws/package.json';
        $node = self::ask('node', '--version');
        if ($node === null || !is_file($manifest)) {
            return null;
        }
        $package = json_decode((string) file_get_contents($manifest), true);

        return 'ws ' . (is_array($package) && is_string($package['version'] ?? null) ? $package['version'] : '?') . " on Node $node";
    }

    public function command(string $role, int $port, string $static): ?array
    {
        $known = in_array($role, ['echo', 'handshake', 'broadcast'], true);

        return $known ? ['node', self::file('ws.mjs'), $role, (string) $port, $this->folder()] : null;
    }
};
