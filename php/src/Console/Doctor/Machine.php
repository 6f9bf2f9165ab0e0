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

    public function phpVersion(): string;

    public function hasPhpExtension(string $name): bool;

    public function phpSetting(string $name): string;
}
