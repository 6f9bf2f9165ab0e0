<?php

declare(strict_types=1);

namespace Tusk\Tests\Console;

use Tusk\Console\Doctor\Machine;

/** A machine that answers what the test wants; by default everything is well. */
final readonly class FakeMachine implements Machine
{
    /**
     * @param array{int, int}|null  $files
     * @param array<string, string> $kernel
     * @param list<string>          $extensions
     */
    public function __construct(
        private ?array $files = [100_000, 100_000],
        private array $kernel = ['net/core/somaxconn' => '4096', 'net/ipv4/ip_local_port_range' => "32768\t60999"],
        private array $extensions = ['pcntl', 'posix', 'pdo_sqlite'],
        private string $php = '8.2.0',
        private string $xdebug = '',
    ) {}

    public function openFiles(): ?array
    {
        return $this->files;
    }

    public function kernelSetting(string $name): ?string
    {
        return $this->kernel[$name] ?? null;
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
