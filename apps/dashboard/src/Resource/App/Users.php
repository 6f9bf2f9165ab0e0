<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard\Resource\App;

use Tusk\Dashboard\Ran;
use Tusk\Resource\Link;
use Tusk\Resource\ResourceObject;
use Tusk\Timer;

final class Users extends ResourceObject
{
    #[Link('posts', '/posts?user={id}&delay={delay}', crawl: 'tree')]
    public function onGet(float $delay = 10.0, int $count = 4): static
    {
        $began = Ran::clock();
        Timer::sleep($delay / 1000);
        $ran = Ran::since('users', $began);
        $this->body = array_map(static fn (int $id): array => ['id' => $id, 'name' => "user $id", 'delay' => $delay, 'ran' => $ran], range(1, max(1, min(50, $count))));

        return $this;
    }
}
