<?php

declare(strict_types=1);

namespace Tusk\Tests\Servers;

/** A server process in a folder of its own that goes with it. */
abstract class Daemon
{
    protected const PATIENCE_S = 30.0;

    /** @var resource|null */
    private $process = null;

    /** @param list<string> $options */
    final protected function __construct(public readonly string $folder, public readonly ?int $port, ?string $pair, private readonly array $options)
    {
        mkdir($folder, 0o777);
        $this->give($folder);
        foreach ($pair === null ? [] : ['pem', 'key'] as $suffix) {
            copy("$pair.$suffix", "$folder/server.$suffix");
            chmod("$folder/server.$suffix", 0o600);
            $this->give("$folder/server.$suffix");
        }
        try {
            $this->prepare();
            $this->run();
        } catch (\RuntimeException $e) {
            $this->stop();
            throw $e;
        }
    }

    /**
     * @param int|null    $port    of 127.0.0.1 to listen on as well; null: only on its Unix socket
     * @param string|null $pair    what `.pem` and `.key` follow of the certificate that it shows; null: no TLS
     * @param string      $options more words of its command
     *
     * @throws \RuntimeException with its log, when it does not come up
     */
    public static function start(?int $port = null, ?string $pair = null, string ...$options): static
    {
        $name = strtolower(substr((string) strrchr(static::class, '\\'), 1));

        return new static(sys_get_temp_dir() . "/tusk-$name-" . bin2hex(random_bytes(6)), $port, $pair, array_values($options));
    }

    /** Why there can be none; null: there can. */
    abstract public static function missing(): ?string;

    /** Before the first start. */
    abstract protected function prepare(): void;

    /** @return non-empty-list<string> */
    abstract protected function command(): array;

    abstract protected function answers(): bool;

    /** Begins it, again after end(). */
    public function run(): void
    {
        $this->process = $this->open([...$this->command(), ...$this->options]);
        $end = microtime(true) + self::PATIENCE_S;
        while (!$this->answers()) {
            if (microtime(true) > $end || !proc_get_status($this->process)['running']) {
                throw new \RuntimeException(static::class . ': ' . file_get_contents("$this->folder/log"));
            }
            usleep(20_000);
        }
    }

    /** The server alone: its folder stays. */
    public function end(int $signal = SIGKILL): void
    {
        if ($this->process === null) {
            return;
        }
        proc_terminate($this->process, $signal);
        $end = microtime(true) + self::PATIENCE_S;
        while (proc_get_status($this->process)['running'] && microtime(true) < $end) {
            usleep(10_000);
        }
        proc_terminate($this->process, SIGKILL);
        proc_close($this->process);
        $this->process = null;
    }

    public function pid(): int
    {
        return $this->process === null ? 0 : proc_get_status($this->process)['pid'];
    }

    /** After SIGSTOP none of its threads runs any more: one of them could have answered meanwhile. */
    public function signal(int $signal): void
    {
        if ($this->process !== null) {
            proc_terminate($this->process, $signal);
        }
        for ($end = microtime(true) + self::PATIENCE_S; $signal === SIGSTOP && $this->runs() && microtime(true) < $end;) {
            usleep(1000);
        }
    }

    private function runs(): bool
    {
        return array_filter(glob('/proc/' . $this->pid() . '/task/*/stat') ?: [], static fn (string $thread): bool => preg_match('/\\) [^T]/', (string) @file_get_contents($thread)) === 1) !== [];
    }

    public function stop(): void
    {
        $this->end(SIGQUIT);
        $all = new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator($this->folder, \FilesystemIterator::SKIP_DOTS), \RecursiveIteratorIterator::CHILD_FIRST);
        foreach ($all as $file) {
            if ($file instanceof \SplFileInfo) {
                $file->isDir() && !$file->isLink() ? rmdir($file->getPathname()) : unlink($file->getPathname());
            }
        }
        rmdir($this->folder);
    }

    /** Whether it was given a certificate, which is server.pem and server.key of its folder. */
    protected function hasPair(): bool
    {
        return is_file("$this->folder/server.pem");
    }

    /** Who it runs as; null: who we are. */
    protected function user(): ?string
    {
        return null;
    }

    /** @param list<string> $more folders to look in first */
    protected static function find(string $name, array $more = []): ?string
    {
        foreach ([...$more, ...explode(':', (string) getenv('PATH')), '/usr/sbin'] as $folder) {
            if (is_executable("$folder/$name")) {
                return "$folder/$name";
            }
        }
        return null;
    }

    /**
     * @param non-empty-list<string> $command
     * @return resource
     */
    protected function open(array $command)
    {
        $user = $this->user();
        $log = ['file', "$this->folder/log", 'a'];
        $process = proc_open(
            $user === null ? $command : ['setpriv', '--reuid', $user, '--clear-groups', '--inh-caps=-all', ...$command],
            [['file', '/dev/null', 'r'], $log, $log],
            $pipes,
            $this->folder,
        );
        return $process === false ? throw new \RuntimeException("cannot start $command[0]") : $process;
    }

    private function give(string $path): void
    {
        if ($this->user() !== null) {
            chown($path, $this->user());
        }
    }

    /** @param non-empty-list<string> $command that ends by itself */
    protected function do(array $command): void
    {
        if (proc_close($this->open($command)) !== 0) {
            throw new \RuntimeException("$command[0]: " . file_get_contents("$this->folder/log"));
        }
    }
}
