<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Resource\FiberScheduler;
use Tusk\Resource\Scheduler;
use Tusk\Tests\Resource\Fixture\Logged;

final class Right extends Logged
{
    public function __construct(private readonly Scheduler $scheduler = new FiberScheduler()) {}

    #[Embed('left', '/left')]
    public function onGet(): static
    {
        $this->ran();
        $this->scheduler->sleep(0.001);
        $this['of'] = $this->embedded('left')['of'];

        return $this;
    }
}
