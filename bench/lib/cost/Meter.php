<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Cost;

/** Counts one thing. Counts do not swing as times do. */
interface Meter
{
    /**
     * @return array{float, string} per message, and what it is made of
     *
     * @throws \RuntimeException what is missing
     */
    public function measure(Subject $subject, Load $load): array;
}
