<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite\Peer;

use Tusk\Bench\Suite\Certificate;
use Tusk\Bench\Suite\Peer;
use Tusk\Bench\Suite\Role;

/** Ours: the extension that this very process has loaded, or the one that `make` built. */
final class Tusk extends Peer
{
    private ?string $store = null;

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
        return match ($role) {
            Role::Page, Role::Chat => [...$this->runtime(), self::root() . '/apps/chat/server.php', (string) $port, '--open', '--rate=0', '--var=' . $this->store()],
            Role::Events => [...$this->runtime(), self::root() . '/examples/sse.php', (string) $port],
            Role::Echo, Role::Broadcast, Role::Handshake => [...$this->runtime(), self::program('tusk.php'), $role->value, (string) $port, ...self::tls($tls)],
            default => null,
        };
    }

    public function codec(int $iterations, int $size): array
    {
        return [...$this->runtime(), self::program('codec.php'), 'tusk', (string) $iterations, (string) $size];
    }

    public function __destruct()
    {
        if ($this->store !== null) {
            exec('rm -rf ' . escapeshellarg($this->store));
        }
    }

    /** An empty folder for the chat's messages. */
    private function store(): string
    {
        $store = $this->store ??= sys_get_temp_dir() . '/tusk-bench-chat-' . getmypid();
        if (!is_dir($store)) {
            mkdir($store, 0o700);
        }
        array_map(unlink(...), array_filter(glob("$store/*") ?: [], is_file(...)));

        return $store;
    }

    private static function root(): string
    {
        return dirname(__DIR__, 5);
    }

    /** @return list<string> PHP with the extension */
    public function runtime(): array
    {
        $built = self::root() . '/build/ext/modules/tusk.so';

        return self::php(is_file($built) ? $built : 'tusk');
    }
}
