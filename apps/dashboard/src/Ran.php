<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard;

/** When and where a resource ran; resources put it into their bodies under "ran". The clock is one for all processes of the machine. */
final readonly class Ran
{
    /** @param int $began microseconds of the machine's clock */
    private function __construct(
        public string $name,
        public int $process,
        public int $began,
        public int $ended,
    ) {}

    public static function clock(): int
    {
        return intdiv(hrtime(true), 1000);
    }

    /** @return array{name: string, process: int, began: int, ended: int} of what began then and ends now */
    public static function since(string $name, int $began): array
    {
        return ['name' => $name, 'process' => (int) getmypid(), 'began' => $began, 'ended' => self::clock()];
    }

    /** @return list<self> of a body, by their beginning; of equal ones the first */
    public static function in(mixed $body): array
    {
        $found = [];
        self::collect($body, $found);
        usort($found, static fn (self $a, self $b): int => [$a->began, $a->name] <=> [$b->began, $b->name]);

        return $found;
    }

    /** @param array<string, self> $found */
    private static function collect(mixed $body, array &$found): void
    {
        if (!is_array($body)) {
            return;
        }
        foreach ($body as $key => $value) {
            if ($key === 'ran' && is_array($value)) {
                ['name' => $name, 'process' => $process, 'began' => $began, 'ended' => $ended] = $value + ['name' => '', 'process' => 0, 'began' => 0, 'ended' => 0];
                if (is_string($name) && is_int($process) && is_int($began) && is_int($ended)) {
                    $found["$name $process $began"] ??= new self($name, $process, $began, $ended);
                }
            } else {
                self::collect($value, $found);
            }
        }
    }
}
