<?php

declare(strict_types=1);

namespace Tusk\Tests\Servers;

/** A PostgreSQL of one's own; everybody may come in, "tusk" may do all. */
final class Postgres extends Daemon
{
    public static function missing(): ?string
    {
        return self::program('initdb') === null ? 'no PostgreSQL (initdb)' : null;
    }

    public function dsn(): string
    {
        return "host=$this->folder port=" . $this->port() . ' dbname=postgres user=tusk';
    }

    protected function prepare(): void
    {
        $this->do([self::program('initdb') ?? 'initdb', '-D', "$this->folder/data", '-A', 'trust', '-U', 'tusk', '--no-sync', '-E', 'UTF8', '--locale=C']);
    }

    protected function command(): array
    {
        return [
            self::program('postgres') ?? 'postgres', '-D', "$this->folder/data", '-k', $this->folder, '-p', (string) $this->port(), '-h', $this->port === null ? '' : '127.0.0.1',
            '-c', 'fsync=off', '-c', 'max_connections=150',
            ...($this->hasPair() ? ['-c', 'ssl=on', '-c', "ssl_cert_file=$this->folder/server.pem", '-c', "ssl_key_file=$this->folder/server.key"] : []),
        ];
    }

    protected function answers(): bool
    {
        exec((self::program('pg_isready') ?? 'pg_isready') . ' -q -h ' . escapeshellarg($this->folder) . ' -p ' . $this->port(), $said, $status);

        return $status === 0;
    }

    /** It names the Unix socket, too. */
    private function port(): int
    {
        return $this->port ?? 5432;
    }

    /** It refuses to run as root. */
    protected function user(): ?string
    {
        return posix_geteuid() !== 0 ? null : (posix_getpwnam('postgres') === false ? 'nobody' : 'postgres');
    }

    /** Debian keeps its programs out of PATH. */
    public static function program(string $name): ?string
    {
        return self::find($name, glob('/usr/lib/postgresql/*/bin') ?: []);
    }
}
