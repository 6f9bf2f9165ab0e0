<?php

declare(strict_types=1);

namespace Tusk\Tests\Servers;

/** A MariaDB of one's own; root has no password. */
final class MariaDb extends Daemon
{
    public static function missing(): ?string
    {
        return self::find('mariadbd') === null || self::find('mariadb-install-db') === null ? 'no MariaDB (mariadbd)' : null;
    }

    public function connect(): \mysqli
    {
        return new \mysqli(null, 'root', '', 'mysql', 0, "$this->folder/s");
    }

    public function socket(): string
    {
        return "$this->folder/s";
    }

    protected function prepare(): void
    {
        $this->do([self::find('mariadb-install-db') ?? 'mariadb-install-db', '--no-defaults', ...self::root(), "--datadir=$this->folder/data", '--auth-root-authentication-method=normal', '--skip-test-db']);
    }

    protected function command(): array
    {
        return [
            self::find('mariadbd') ?? 'mariadbd', '--no-defaults', ...self::root(), "--datadir=$this->folder/data", "--socket=$this->folder/s", '--innodb-flush-log-at-trx-commit=0',
            ...($this->port === null ? ['--skip-networking'] : ["--port=$this->port", '--bind-address=127.0.0.1']),
            ...($this->hasPair() ? ["--ssl-cert=$this->folder/server.pem", "--ssl-key=$this->folder/server.key"] : []),
        ];
    }

    /** It speaks first. */
    protected function answers(): bool
    {
        $socket = @stream_socket_client("unix://$this->folder/s", timeout: 1.0);

        return $socket !== false && (string) fread($socket, 1) !== '';
    }

    /** @return list<string> */
    private static function root(): array
    {
        return posix_geteuid() === 0 ? ['--user=root'] : [];
    }
}
