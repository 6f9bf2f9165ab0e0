<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\ResourceObject;
use Tusk\Tests\Resource\Fixture\Log;
use Tusk\Timer;

final class Slow extends ResourceObject
{
    public function onGet(string $name, float $seconds): static
    {
        Log::add("begin $name");
        Timer::sleep($seconds);
        Log::add("end $name");
        $this->body = ['name' => $name];

        return $this;
    }
}
