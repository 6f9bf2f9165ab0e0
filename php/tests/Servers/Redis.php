<?php

declare(strict_types=1);

namespace Tusk\Tests\Servers;

/** A Redis of one's own. */
final class Redis extends Daemon
{
    public static function missing(): ?string
    {
        return self::find('redis-server') === null ? 'no redis-server' : null;
    }

    public function path(): string
    {
        return "$this->folder/s";
    }

    protected function prepare(): void {}

    protected function command(): array
    {
        return [self::find('redis-server') ?? 'redis-server', '--port', (string) ($this->port ?? 0), '--bind', '127.0.0.1', '--unixsocket', $this->path(), '--save', '', '--dir', $this->folder];
    }

    protected function answers(): bool
    {
        $stream = @stream_socket_client("unix://{$this->path()}");
        return $stream !== false && fwrite($stream, "PING\r\n") !== false && fgets($stream) === "+PONG\r\n";
    }
}
