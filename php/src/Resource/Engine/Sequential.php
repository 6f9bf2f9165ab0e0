<?php

declare(strict_types=1);

namespace Tusk\Resource\Engine;

use Tusk\Resource\Engine;

/** Everything in this process, one after another, when it is used; equal requests run as often as they are used. */
final class Sequential implements Engine
{
    public function settle(array $requests, \Closure $next, \Closure $failed): void {}
}
