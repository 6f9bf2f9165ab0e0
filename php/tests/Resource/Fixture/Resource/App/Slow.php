<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\FiberScheduler;
use Tusk\Resource\ResourceObject;
use Tusk\Resource\Scheduler;
use Tusk\Tests\Resource\Fixture\Log;

final class Slow extends ResourceObject
{
    public function __construct(private readonly Scheduler $scheduler = new FiberScheduler()) {}

    public function onGet(string $name, float $seconds): static
    {
        Log::add("begin $name");
        $this->scheduler->sleep($seconds);
        Log::add("end $name");
        $this->body = ['name' => $name];

        return $this;
    }
}
