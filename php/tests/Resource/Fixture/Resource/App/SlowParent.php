<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Resource\FiberScheduler;
use Tusk\Resource\ResourceObject;
use Tusk\Resource\Scheduler;
use Tusk\Tests\Resource\Fixture\Log;

final class SlowParent extends ResourceObject
{
    public function __construct(private readonly Scheduler $scheduler = new FiberScheduler()) {}

    #[Embed('child', '/slow?name={name}.child&seconds=0.0001')]
    public function onGet(string $name, float $seconds): static
    {
        Log::add("begin $name");
        $this->scheduler->sleep($seconds);
        Log::add("end $name");
        $this['name'] = $name;

        return $this;
    }
}
