<?php

declare(strict_types=1);

namespace Tusk\Tests\Servers;

/** A MariaDB of one's own, on a Unix socket. */
final class MariaDb extends Daemon
{
    public static function missing(): ?string
    {
        return match (true) {
            !\extension_loaded('mysqli') => 'PHP has no extension mysqli',
            self::find('mariadbd') === null || self::find('mariadb-install-db') === null => 'no MariaDB (mariadbd)',
            default => null,
        };
    }

    public function connect(): \mysqli
    {
        return new \mysqli(null, 'root', '', 'mysql', 0, "$this->folder/s");
    }

    protected function prepare(): void
    {
        $this->do([self::find('mariadb-install-db') ?? 'mariadb-install-db', '--no-defaults', ...self::root(), "--datadir=$this->folder/data", '--auth-root-authentication-method=normal', '--skip-test-db']);
    }

    protected function command(): array
    {
        return [self::find('mariadbd') ?? 'mariadbd', '--no-defaults', ...self::root(), "--datadir=$this->folder/data", "--socket=$this->folder/s", '--skip-networking', '--innodb-flush-log-at-trx-commit=0'];
    }

    protected function answers(): bool
    {
        try {
            return $this->connect()->query('SELECT 1') !== false;
        } catch (\mysqli_sql_exception) {
            return false;
        }
    }

    /** @return list<string> */
    private static function root(): array
    {
        return posix_geteuid() === 0 ? ['--user=root'] : [];
    }
}
