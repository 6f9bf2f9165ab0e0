<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite\Peer;

use Tusk\Bench\Suite\Certificate;
use Tusk\Bench\Suite\Peer;
use Tusk\Bench\Suite\Role;

/** The native WebSocket extension, whose class is WebSocket\Server. */
final class Native extends Peer
{
    public function name(): string
    {
        return 'native extension';
    }

    public function version(): ?string
    {
        $extension = self::setting('WEBSOCKET_EXTENSION');
        $probe = '$e = (new ReflectionClass("WebSocket\\\\Server"))->getExtension(); echo $e->getName(), " ", $e->getVersion();';

        return $extension === null ? null : self::ask([...self::php($extension), '-r', $probe]);
    }

    public function install(): string
    {
        return 'WEBSOCKET_EXTENSION=/path/of/websocket.so';
    }

    public function command(Role $role, int $port, ?Certificate $tls = null): ?array
    {
        return !$role->isWebSocket() || $tls !== null
            ? null
            : [...self::php(self::setting('WEBSOCKET_EXTENSION')), self::program('native.php'), $role->value, (string) $port];
    }

    public function codec(int $iterations, int $size): array
    {
        return [...self::php(self::setting('WEBSOCKET_EXTENSION')), self::program('codec.php'), 'native', (string) $iterations, (string) $size];
    }
}
