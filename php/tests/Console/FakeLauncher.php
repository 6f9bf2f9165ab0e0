<?php

declare(strict_types=1);

namespace Tusk\Tests\Console;

use Tusk\Console\Launcher;

final class FakeLauncher implements Launcher
{
    /** @var list<list<string>> file and arguments of every launch */
    public array $launched = [];

    public function __construct(private readonly int $status = 0) {}

    public function launch(string $file, array $arguments): int
    {
        $this->launched[] = [$file, ...$arguments];

        return $this->status;
    }
}
