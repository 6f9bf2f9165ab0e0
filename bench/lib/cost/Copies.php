<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Cost;

/** How often a payload is copied inside the server (memcpy, memmove), in parts of its size. */
final class Copies implements Meter
{
    public function measure(Subject $subject, Load $load): array
    {
        [$bytes, $calls] = (new Preload($subject, $load, 'copy_count', 'TUSK_COPY_COUNT'))->each();

        return [$bytes / $load->option('size', 64), sprintf('%.0f bytes copied by %.1f long copies', $bytes, $calls)];
    }
}
