<?php

declare(strict_types=1);

namespace Tusk\Tests\Servers;

/** A Redis of one's own. */
final class Redis extends Daemon
{
    public static function missing(): ?string
    {
        return match (true) {
            !\extension_loaded('redis') => 'PHP has no extension redis',
            self::find('redis-server') === null => 'no redis-server',
            default => null,
        };
    }

    public function connect(): \Redis
    {
        $redis = new \Redis();
        $redis->connect("$this->folder/s");
        return $redis;
    }

    protected function prepare(): void {}

    protected function command(): array
    {
        return [self::find('redis-server') ?? 'redis-server', '--port', (string) ($this->port ?? 0), '--bind', '127.0.0.1', '--unixsocket', "$this->folder/s", '--save', '', '--dir', $this->folder];
    }

    protected function answers(): bool
    {
        try {
            return (bool) $this->connect()->ping();
        } catch (\RedisException) {
            return false;
        }
    }
}
