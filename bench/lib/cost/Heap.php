<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Cost;

/** Heap calls of a message, PHP's own among them. */
final class Heap implements Meter
{
    public function measure(Subject $subject, Load $load): array
    {
        [$allocated, $resized, $freed] = (new Preload($subject, $load, 'alloc_count', 'TUSK_ALLOC_COUNT'))->each();

        return [$allocated + $resized, sprintf('%.3f allocated, %.3f resized, %.3f freed', $allocated, $resized, $freed)];
    }
}
