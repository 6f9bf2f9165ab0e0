<?php

declare(strict_types=1);

namespace Tusk\Console\Doctor;

/** What the doctor asks the machine; a test gives its own answers. */
interface Machine
{
    /** @return array{int, int}|null soft and hard limit of open files; PHP_INT_MAX is "unlimited", null unknown */
    public function openFiles(): ?array;

    /** A kernel setting such as "net/core/somaxconn"; null where there is none. */
    public function kernelSetting(string $name): ?string;

    /** "6.1.0-18-amd64"; null where the kernel is not Linux. */
    public function linuxRelease(): ?string;

    /** The process's effective capabilities as a mask of bits (linux/capability.h); null unknown. */
    public function capabilities(): ?int;

    /** Whether the kernel describes its own types (BTF), which BPF programs that read its structures need. */
    public function hasKernelTypes(): bool;

    /** Bytes of memory; null unknown. */
    public function memory(): ?int;

    public function phpVersion(): string;

    public function hasPhpExtension(string $name): bool;

    public function phpSetting(string $name): string;
}
