<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard\Resource\App;

use Tusk\Dashboard\Ran;
use Tusk\Resource\Link;
use Tusk\Resource\ResourceObject;
use Tusk\Timer;

final class Posts extends ResourceObject
{
    #[Link('comments', '/comments?post={id}&delay={delay}', crawl: 'tree')]
    public function onGet(int $user, float $delay): static
    {
        $began = Ran::clock();
        Timer::sleep($delay / 1000);
        $ran = Ran::since("posts of $user", $began);
        $this->body = [['id' => 10 * $user + 1, 'delay' => $delay, 'ran' => $ran], ['id' => 10 * $user + 2, 'delay' => $delay, 'ran' => $ran]];

        return $this;
    }
}
