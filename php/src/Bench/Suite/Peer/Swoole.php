<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite\Peer;

use Tusk\Bench\Suite\Certificate;
use Tusk\Bench\Suite\Peer;
use Tusk\Bench\Suite\Role;

/** Swoole and OpenSwoole, which differ in name only here: loaded by php.ini, or by a path. */
final class Swoole extends Peer
{
    public function __construct(private readonly string $extension, private readonly string $title, private readonly string $variable) {}

    public function name(): string
    {
        return $this->title;
    }

    public function version(): ?string
    {
        $version = self::ask([...$this->runtime(), '-r', "extension_loaded('{$this->extension}') || exit(1); echo phpversion('{$this->extension}');"]);

        return $version === null ? null : "{$this->title} $version";
    }

    public function install(): string
    {
        return "pecl install {$this->extension}, or {$this->variable}=/path/of/{$this->extension}.so";
    }

    public function command(Role $role, int $port, ?Certificate $tls = null): ?array
    {
        return $role->isWebSocket() || in_array($role, [Role::Hello, Role::File], true)
            ? [...$this->runtime(), self::program('swoole.php'), $role->value, (string) $port, dirname(self::files()), ...self::tls($tls)]
            : null;
    }

    public function codec(int $iterations, int $size): array
    {
        return [...$this->runtime(), self::program('codec.php'), $this->extension, (string) $iterations, (string) $size];
    }

    /** @return list<string> */
    private function runtime(): array
    {
        return self::php(extension_loaded($this->extension) ? null : self::setting($this->variable));
    }
}
