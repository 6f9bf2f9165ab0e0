<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite\Peer;

use Tusk\Bench\Suite\Certificate;
use Tusk\Bench\Suite\Peer;
use Tusk\Bench\Suite\Role;

/** Bun, from PATH or from npm's package. */
final class Bun extends Peer
{
    public function name(): string
    {
        return 'Bun';
    }

    public function version(): ?string
    {
        $program = $this->executable();
        $version = $program === null ? null : self::ask([$program, '--version']);

        return $version === null ? null : "Bun $version";
    }

    public function install(): string
    {
        return 'npm install @oven/bun-linux-x64, then TUSK_PEER_NPM=that folder';
    }

    public function command(Role $role, int $port, ?Certificate $tls = null): ?array
    {
        return !$role->isWebSocket() && $role !== Role::Events ? null : [(string) $this->executable(), self::program('bun.js'), $role->value, (string) $port, '.', ...self::tls($tls)];
    }

    private function executable(): ?string
    {
        $installed = self::setting('TUSK_PEER_NPM') . '/node_modules/@oven/bun-linux-x64/bin/bun';

        return is_executable($installed) ? $installed : self::ask(['sh', '-c', 'command -v bun']);
    }
}
