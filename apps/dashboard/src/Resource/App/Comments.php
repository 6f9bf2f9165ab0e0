<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard\Resource\App;

use Tusk\Dashboard\Ran;
use Tusk\Resource\ResourceObject;
use Tusk\Timer;

final class Comments extends ResourceObject
{
    public function onGet(int $post, float $delay): static
    {
        $began = Ran::clock();
        Timer::sleep($delay / 1000);
        $this->body = ['text' => "comment on $post", 'ran' => Ran::since("comments of $post", $began)];

        return $this;
    }
}
