<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard\Tests;

/** A PostgreSQL of one's own, on a Unix socket in a folder that goes with it. */
final class Postgres
{
    private const PATIENCE_S = 30.0;

    /** @var resource */
    private $process;

    private function __construct(private readonly string $folder, private readonly string $programs)
    {
        $made = $this->open(['initdb', '-D', "$folder/data", '-A', 'trust', '-U', 'postgres', '--no-sync', '-E', 'UTF8', '--locale=C']);
        if (proc_close($made) !== 0) {
            throw new \RuntimeException('initdb: ' . file_get_contents("$folder/log"));
        }
        $this->process = $this->open(['postgres', '-D', "$folder/data", '-k', $folder, '-h', '', '-c', 'fsync=off', '-c', 'max_connections=40']);
        $end = microtime(true) + self::PATIENCE_S;
        while (@pg_connect($this->dsn() . ' connect_timeout=2') === false) {
            if (microtime(true) > $end || !proc_get_status($this->process)['running']) {
                throw new \RuntimeException('postgres: ' . file_get_contents("$folder/log"));
            }
            usleep(20_000);
        }
    }

    /** Why there can be none; null: there can. */
    public static function missing(): ?string
    {
        return match (true) {
            !function_exists('pg_connect') => 'PHP has no extension pgsql',
            self::programs() === null => 'no PostgreSQL (initdb)',
            default => null,
        };
    }

    public static function start(): self
    {
        $folder = sys_get_temp_dir() . '/tusk-pg-' . bin2hex(random_bytes(6));
        mkdir($folder, 0o777);
        if (self::user() !== null) {
            chown($folder, self::user());
        }

        return new self($folder, self::programs() ?? throw new \RuntimeException('no PostgreSQL'));
    }

    public function dsn(): string
    {
        return "host=$this->folder dbname=postgres user=postgres";
    }

    public function stop(): void
    {
        proc_terminate($this->process, SIGQUIT);
        $end = microtime(true) + self::PATIENCE_S;
        while (proc_get_status($this->process)['running'] && microtime(true) < $end) {
            usleep(10_000);
        }
        proc_terminate($this->process, SIGKILL);
        proc_close($this->process);
        $all = new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator($this->folder, \FilesystemIterator::SKIP_DOTS), \RecursiveIteratorIterator::CHILD_FIRST);
        foreach ($all as $file) {
            if ($file instanceof \SplFileInfo) {
                $file->isDir() && !$file->isLink() ? rmdir($file->getPathname()) : unlink($file->getPathname());
            }
        }
        rmdir($this->folder);
    }

    /** It refuses to run as root. */
    private static function user(): ?string
    {
        return posix_geteuid() !== 0 ? null : (posix_getpwnam('postgres') === false ? 'nobody' : 'postgres');
    }

    private static function programs(): ?string
    {
        $folders = [...glob('/usr/lib/postgresql/*/bin') ?: [], ...explode(':', (string) getenv('PATH'))];
        foreach ($folders as $folder) {
            if (is_executable("$folder/initdb") && is_executable("$folder/postgres")) {
                return $folder;
            }
        }

        return null;
    }

    /**
     * @param non-empty-list<string> $command
     *
     * @return resource
     */
    private function open(array $command)
    {
        $command[0] = "$this->programs/$command[0]";
        $user = self::user();
        $log = ['file', "$this->folder/log", 'a'];
        $process = proc_open(
            $user === null ? $command : ['setpriv', '--reuid', $user, '--clear-groups', '--inh-caps=-all', ...$command],
            [['file', '/dev/null', 'r'], $log, $log],
            $pipes,
            $this->folder,
        );

        return $process === false ? throw new \RuntimeException("cannot start $command[0]") : $process;
    }
}
