<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite\Peer;

use Tusk\Bench\Suite\Certificate;
use Tusk\Bench\Suite\Peer;
use Tusk\Bench\Suite\Role;

/** Workerman, from its folder. */
final class Workerman extends Peer
{
    public function name(): string
    {
        return 'Workerman';
    }

    public function version(): ?string
    {
        $folder = self::setting('TUSK_PEER_WORKERMAN');
        foreach (['src', 'vendor/workerman/workerman/src'] as $place) {
            if ($folder !== null && preg_match("~VERSION = '([\d.]+)~", (string) @file_get_contents("$folder/$place/Worker.php"), $m) === 1) {
                return "Workerman $m[1]";
            }
        }

        return null;
    }

    public function install(): string
    {
        return 'composer require workerman/workerman, then TUSK_PEER_WORKERMAN=that folder';
    }

    public function command(Role $role, int $port, ?Certificate $tls = null): ?array
    {
        // The subprotocol is its user's work (a header to add in a callback), which the program does.
        return !$role->isWebSocket() && $role !== Role::Hello
            ? null
            : [...self::php(), self::program('workerman.php'), $role->value, (string) $port, $this->folder(), ...self::tls($tls)];
    }

    public function codec(int $iterations, int $size): array
    {
        return [...self::php(), self::program('codec.php'), 'workerman', (string) $iterations, (string) $size, $this->folder()];
    }

    private function folder(): string
    {
        return (string) self::setting('TUSK_PEER_WORKERMAN');
    }
}
