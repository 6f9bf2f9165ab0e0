<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite\Peer;

use Tusk\Bench\Suite\Certificate;
use Tusk\Bench\Suite\Peer;
use Tusk\Bench\Suite\Role;

/** nginx, one worker, for what HTTP alone can do. */
final class Nginx extends Peer
{
    private ?string $scratch = null;

    public function __destruct()
    {
        if ($this->scratch !== null) {
            exec('rm -rf ' . escapeshellarg($this->scratch));
        }
    }

    public function name(): string
    {
        return 'nginx';
    }

    public function version(): ?string
    {
        exec('PATH=$PATH:/usr/sbin nginx -v 2>&1', $lines, $status);

        return $status === 0 ? str_replace('nginx version: nginx/', 'nginx ', $lines[0] ?? '') : null;
    }

    public function install(): string
    {
        return 'apt-get install nginx';
    }

    public function command(Role $role, int $port, ?Certificate $tls = null): ?array
    {
        if (!in_array($role, [Role::Page, Role::Hello, Role::File], true)) {
            return null;
        }
        $scratch = $this->scratch ??= sys_get_temp_dir() . '/tusk-bench-nginx-' . getmypid();
        if (!is_dir($scratch)) {
            mkdir($scratch, 0o700);
        }
        file_put_contents("$scratch/nginx.conf", strtr((string) file_get_contents(self::program('nginx.conf')), [
            'PORT' => (string) $port, 'DIR' => $role === Role::Page ? dirname(self::page()) : self::files(), 'SCRATCH' => $scratch,
        ]));

        return ['env', 'PATH=' . getenv('PATH') . ':/usr/sbin', 'nginx', '-c', "$scratch/nginx.conf", '-p', $scratch, '-e', "$scratch/nginx.log"];
    }

    public function path(Role $role): string
    {
        return $role === Role::Page ? '/static/' . basename(self::page()) : parent::path($role);
    }
}
