<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** Where engines come from. */
interface Engines
{
    /** @return array<string, array{type: string, default: string, unit: string, help: string}> a mode's options */
    public function options(Mode $mode): array;

    /**
     * @param array<string, string|int|float|bool> $options
     *
     * @throws \ValueError naming option, value and remedy
     */
    public function create(Mode $mode, string $url, array $options): Engine;
}
