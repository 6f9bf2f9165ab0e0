<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard\Resource\App;

use Tusk\Dashboard\Ran;
use Tusk\Resource\ResourceObject;
use Tusk\Resource\Scheduler;

final class Comments extends ResourceObject
{
    public function __construct(private readonly Scheduler $scheduler) {}

    public function onGet(int $post, float $delay): static
    {
        $began = Ran::clock();
        $this->scheduler->sleep($delay / 1000);
        $this->body = ['text' => "comment on $post", 'ran' => Ran::since("comments of $post", $began)];

        return $this;
    }
}
