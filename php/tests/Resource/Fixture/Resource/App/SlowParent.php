<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Resource\ResourceObject;
use Tusk\Tests\Resource\Fixture\Log;
use Tusk\Timer;

final class SlowParent extends ResourceObject
{
    #[Embed('child', '/slow?name={name}.child&seconds=0.0001')]
    public function onGet(string $name, float $seconds): static
    {
        Log::add("begin $name");
        Timer::sleep($seconds);
        Log::add("end $name");
        $this['name'] = $name;

        return $this;
    }
}
