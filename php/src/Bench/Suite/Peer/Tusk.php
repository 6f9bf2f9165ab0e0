<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite\Peer;

use Tusk\Bench\Suite\Certificate;
use Tusk\Bench\Suite\Peer;
use Tusk\Bench\Suite\Role;

/** Ours: the extension that this very process has loaded, or the one that `make` built. */
final class Tusk extends Peer
{
    public function name(): string
    {
        return 'Tusk';
    }

    public function version(): ?string
    {
        $version = self::ask([...$this->runtime(), '-r', 'extension_loaded("tusk") || exit(1); echo phpversion("tusk");']);

        return $version === null ? null : "Tusk $version";
    }

    public function install(): string
    {
        return 'make ext';
    }

    public function command(Role $role, int $port, ?Certificate $tls = null): ?array
    {
        return $role === Role::Page ? null : [...$this->runtime(), self::program('tusk.php'), $role->value, (string) $port, ...self::tls($tls)];
    }

    public function codec(int $iterations, int $size): array
    {
        return [...$this->runtime(), self::program('codec.php'), 'tusk', (string) $iterations, (string) $size];
    }

    /** @return list<string> */
    private function runtime(): array
    {
        $built = dirname(__DIR__, 5) . '/build/ext/modules/tusk.so';

        return self::php(is_file($built) ? $built : 'tusk');
    }
}
