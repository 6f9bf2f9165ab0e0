<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

/** An adapter: whether a server is here, how to get it, and how it is run. One file a peer in Peer/. */
abstract class Peer
{
    private const FILE = '10k.bin';

    /** As columns are headed. */
    abstract public function name(): string;

    /** Name and version of what would run; null when it is not here. */
    abstract public function version(): ?string;

    /** What brings it here, as a command or a setting. */
    abstract public function install(): string;

    /**
     * The command that serves a role on 127.0.0.1.
     *
     * @return list<string>|null null when the peer has no such role
     */
    abstract public function command(Role $role, int $port, ?Certificate $tls = null): ?array;

    /** Where on the server that role is found. */
    public function path(Role $role): string
    {
        return match ($role) {
            Role::File => '/static/' . self::FILE,
            Role::Events => '/events',
            default => '/',
        };
    }

    /**
     * The command that runs the codec of this peer in a PHP loop: `$program CODEC ITERATIONS SIZE` and what else it needs.
     *
     * @return list<string>|null null when it has none that PHP can call
     */
    public function codec(int $iterations, int $size): ?array
    {
        return null;
    }

    /** Folder of the programs that peers run, which only the source tree has. */
    protected static function program(string $name): string
    {
        return dirname(__DIR__, 4) . "/bench/peers/$name";
    }

    /** Folder of the file that everybody serves; its name is `static`. */
    protected static function files(): string
    {
        $folder = dirname(__DIR__, 4) . '/build/bench/static';
        if (!is_file("$folder/" . self::FILE)) {
            is_dir($folder) || mkdir($folder, 0o777, true);
            file_put_contents("$folder/" . self::FILE, str_repeat('0123456789abcdef', 640));
        }

        return $folder;
    }

    /** The page that everybody serves. */
    protected static function page(): string
    {
        return dirname(__DIR__, 4) . '/apps/chat/public/index.html';
    }

    /**
     * PHP as peers run it: nothing that checks or traces.
     *
     * @return list<string>
     */
    protected static function php(?string $extension = null): array
    {
        $command = [PHP_BINARY, '-d', 'xdebug.mode=off', '-d', 'zend.assertions=-1', '-d', 'memory_limit=1G'];

        return $extension === null ? $command : [...$command, '-d', "extension=$extension"];
    }

    /** What an environment variable points at, when it is there. */
    protected static function setting(string $name): ?string
    {
        $value = getenv($name);

        return is_string($value) && $value !== '' && file_exists($value) ? $value : null;
    }

    /**
     * First line that a command prints; null when it fails.
     *
     * @param list<string> $command
     */
    protected static function ask(array $command): ?string
    {
        $lines = [];
        exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>/dev/null', $lines, $status);

        return $status === 0 ? trim($lines[0] ?? '') : null;
    }

    /**
     * Arguments for a certificate, as all our programs take them.
     *
     * @return list<string>
     */
    protected static function tls(?Certificate $tls): array
    {
        return $tls === null ? [] : [$tls->certificate, $tls->key];
    }
}
