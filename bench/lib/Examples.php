<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

use Tusk\Bench\Suite\Certificate;
use Tusk\Bench\Suite\Peer;
use Tusk\Bench\Suite\Role;

/** Ours as the targets want it measured: the examples themselves, with everything on that they have on. */
final class Examples extends Peer
{
    private readonly Peer\Tusk $library;

    public function __construct()
    {
        $this->library = new Peer\Tusk();
    }

    public function name(): string
    {
        return $this->library->name();
    }

    public function version(): ?string
    {
        $version = $this->library->version();

        return $version === null ? null : "$version on PHP " . PHP_VERSION;
    }

    public function install(): string
    {
        return $this->library->install();
    }

    public function command(Role $role, int $port, ?Certificate $tls = null): ?array
    {
        $script = match ($role) {
            Role::Echo, Role::Broadcast, Role::Foreach, Role::Hello, Role::Events => "examples/{$role->value}.php",
            Role::File => 'examples/http.php',
            Role::Handshake, Role::Tls, Role::Deflate, Role::Beside, Role::Waiting, Role::Answer, Role::Form => "bench/peers/tusk-{$role->value}.php",
            Role::Task => 'bench/parallel/empty.php',
            Role::Page, Role::Chat => null,
        };
        if ($script === null) {
            return $this->library->command($role, $port, $tls);
        }
        $command = [...$this->library->runtime(), dirname(__DIR__, 2) . "/$script", (string) $port];

        return in_array($role, [Role::Hello, Role::File], true) ? [...$command, self::files()] : $command;
    }
}
