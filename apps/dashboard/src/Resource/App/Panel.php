<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard\Resource\App;

use Tusk\Dashboard\Ran;
use Tusk\Resource\ResourceObject;
use Tusk\Timer;

/** A figure from a slow service. */
final class Panel extends ResourceObject
{
    public function onGet(string $name, float $delay): static
    {
        $began = Ran::clock();
        Timer::sleep($delay / 1000);
        $this->body = ['value' => crc32($name) % 1000, 'ran' => Ran::since($name, $began)];

        return $this;
    }
}
