<?php

declare(strict_types=1);

namespace Tusk\Tests\Console;

use Tusk\Console\Doctor\Machine;

/** A machine that answers what the test wants; by default everything is well. */
final readonly class FakeMachine implements Machine
{
    public const ALL_CAPABILITIES = (1 << 41) - 1;

    /**
     * @param array{int, int}|null  $files
     * @param array<string, string> $kernel
     * @param list<string>          $extensions
     */
    public function __construct(
        private ?array $files = [100_000, 100_000],
        private array $kernel = [
            'net/core/somaxconn' => '4096',
            'net/ipv4/tcp_max_syn_backlog' => '4096',
            'net/ipv4/ip_local_port_range' => "32768\t60999",
            'fs/file-max' => '9223372036854775807',
        ],
        private array $extensions = ['pcntl', 'posix', 'mbstring', 'pdo_sqlite'],
        private string $php = '8.2.0',
        private string $xdebug = '',
        private ?string $release = '6.1.0-18-amd64',
        private ?int $capabilities = self::ALL_CAPABILITIES,
        private bool $types = true,
        private ?int $memory = 8 << 30,
    ) {}

    public function openFiles(): ?array
    {
        return $this->files;
    }

    public function kernelSetting(string $name): ?string
    {
        return $this->kernel[$name] ?? null;
    }

    public function linuxRelease(): ?string
    {
        return $this->release;
    }

    public function capabilities(): ?int
    {
        return $this->capabilities;
    }

    public function hasKernelTypes(): bool
    {
        return $this->types;
    }

    public function memory(): ?int
    {
        return $this->memory;
    }

    public function phpVersion(): string
    {
        return $this->php;
    }

    public function hasPhpExtension(string $name): bool
    {
        return in_array($name, $this->extensions, true);
    }

    public function phpSetting(string $name): string
    {
        return $name === 'xdebug.mode' ? $this->xdebug : '';
    }
}
