<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite\Peer;

use Tusk\Bench\Suite\Certificate;
use Tusk\Bench\Suite\Peer;
use Tusk\Bench\Suite\Role;

/** A Composer package, found by the autoloader that its setting names. */
final class Autoloaded extends Peer
{
    /** @param list<Role> $roles */
    public function __construct(
        private readonly string $package,
        private readonly string $file,
        private readonly string $variable,
        private readonly array $roles,
    ) {}

    public function name(): string
    {
        return $this->package;
    }

    public function version(): ?string
    {
        $autoloader = self::setting($this->variable);
        $probe = 'require $argv[1]; Composer\InstalledVersions::isInstalled($argv[2]) || exit(1); echo Composer\InstalledVersions::getPrettyVersion($argv[2]);';
        $version = $autoloader === null ? null : self::ask([...self::php(), '-r', $probe, '--', $autoloader, $this->package]);

        return $version === null ? null : "{$this->package} $version";
    }

    public function install(): string
    {
        return "composer require {$this->package}, then {$this->variable}=/path/of/vendor/autoload.php";
    }

    public function command(Role $role, int $port, ?Certificate $tls = null): ?array
    {
        return in_array($role, $this->roles, true)
            ? [...self::php(), self::program($this->file), $role->value, (string) $port, (string) self::setting($this->variable), ...self::tls($tls)]
            : null;
    }

    public function codec(int $iterations, int $size): ?array
    {
        return $this->package === 'ratchet/rfc6455'
            ? [...self::php(), self::program('codec.php'), 'rfc6455', (string) $iterations, (string) $size, (string) self::setting($this->variable)]
            : null;
    }
}
