<?php

declare(strict_types=1);

namespace Tusk\Tests\Servers;

/** A PostgreSQL of one's own, on a Unix socket. */
final class Postgres extends Daemon
{
    public static function missing(): ?string
    {
        return match (true) {
            !\function_exists('pg_connect') => 'PHP has no extension pgsql',
            self::program('initdb') === null => 'no PostgreSQL (initdb)',
            default => null,
        };
    }

    public function dsn(): string
    {
        return "host=$this->folder dbname=postgres user=postgres";
    }

    protected function prepare(): void
    {
        $this->do([self::program('initdb') ?? 'initdb', '-D', "$this->folder/data", '-A', 'trust', '-U', 'postgres', '--no-sync', '-E', 'UTF8', '--locale=C']);
    }

    protected function command(): array
    {
        return [self::program('postgres') ?? 'postgres', '-D', "$this->folder/data", '-k', $this->folder, '-h', '', '-c', 'fsync=off', '-c', 'max_connections=40'];
    }

    protected function answers(): bool
    {
        return @pg_connect($this->dsn() . ' connect_timeout=2', PGSQL_CONNECT_FORCE_NEW) !== false;
    }

    /** It refuses to run as root. */
    protected function user(): ?string
    {
        return posix_geteuid() !== 0 ? null : (posix_getpwnam('postgres') === false ? 'nobody' : 'postgres');
    }

    private static function program(string $name): ?string
    {
        return self::find($name, glob('/usr/lib/postgresql/*/bin') ?: []);
    }
}
