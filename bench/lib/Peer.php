<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Suite;

/** An adapter: tells whether a server is here, which version, and how to start it in a role. */
abstract class Peer
{
    public const ROOT = __DIR__ . '/../..';

    /** Text of the version, null when the peer is absent. */
    abstract public function version(): ?string;

    /**
     * @return list<string>|null command that serves the role on the port; null = cannot play it
     */
    abstract public function command(string $role, int $port, string $static): ?array;

    /** Request target in that role, as peers differ in where files lie. */
    public function path(string $role): string
    {
        return $role === 'file' ? '/static/10k.bin' : ($role === 'sse' ? '/events' : '/');
    }

    /**
     * @return array<string, self> by name
     */
    public static function all(): array
    {
        $peers = [];
        foreach (glob(__DIR__ . '/peer/*.php') ?: [] as $file) {
            $peers[basename($file, '.php')] = require $file;
        }

        return $peers;
    }

    /**
     * @param array<string, self> $peers
     *
     * @return array<string, string|null> null = absent
     */
    public static function versions(array $peers): array
    {
        return array_map(static fn (self $peer): ?string => $peer->version(), $peers);
    }

    protected static function env(string $name): ?string
    {
        $value = getenv("TUSK_PEER_$name");

        return is_string($value) && $value !== '' && file_exists($value) ? $value : null;
    }

    /** First line of what a command prints, null when it fails. */
    protected static function ask(string ...$command): ?string
    {
        $line = exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1', $lines, $code);

        return $code === 0 && $line !== false ? trim($lines[0] ?? '') : null;
    }

    protected static function file(string $name): string
    {
        return self::ROOT . "/bench/peers/$name";
    }
}
