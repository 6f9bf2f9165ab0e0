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
        return 'npm install bun, then TUSK_PEER_NPM=that folder';
    }

    public function command(Role $role, int $port, ?Certificate $tls = null): ?array
    {
        return $role->isWebSocket() || in_array($role, [Role::Hello, Role::File, Role::Events], true)
            ? [(string) $this->executable(), self::program('bun.js'), $role->value, (string) $port, self::files(), ...self::tls($tls)]
            : null;
    }

    private function executable(): ?string
    {
        $modules = self::setting('TUSK_PEER_NPM') . '/node_modules';
        // npm's package `bun` takes the program out of that of the platform.
        $installed = array_filter(["$modules/.bin/bun", ...(glob("$modules/@oven/bun-*/bin/bun") ?: [])], is_executable(...));

        return array_shift($installed) ?? self::ask(['sh', '-c', 'command -v bun']);
    }
}
