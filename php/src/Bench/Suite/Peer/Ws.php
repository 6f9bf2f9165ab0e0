<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite\Peer;

use Tusk\Bench\Suite\Certificate;
use Tusk\Bench\Suite\Peer;
use Tusk\Bench\Suite\Role;

/** npm's package ws, on Node.js. */
final class Ws extends Peer
{
    public function name(): string
    {
        return 'ws';
    }

    public function version(): ?string
    {
        $package = @file_get_contents(self::setting('TUSK_PEER_NPM') . '/node_modules/ws/package.json');
        $about = is_string($package) ? json_decode($package, true) : null;
        $node = self::ask(['node', '--version']);

        return is_array($about) && is_string($about['version'] ?? null) && $node !== null ? "ws {$about['version']} on Node.js $node" : null;
    }

    public function install(): string
    {
        return 'npm install ws, then TUSK_PEER_NPM=that folder';
    }

    public function command(Role $role, int $port, ?Certificate $tls = null): ?array
    {
        return !$role->isWebSocket()
            ? null
            : ['node', self::program('ws.mjs'), $role->value, (string) $port, (string) self::setting('TUSK_PEER_NPM'), ...self::tls($tls)];
    }
}
