<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;

/** Where a planner's requests run. */
interface Dispatcher
{
    /**
     * Gets the request going with its links.
     *
     * @param \Closure(ResourceObject|\Throwable): void $done MUST be called once, now or later
     */
    public function dispatch(Request $request, \Closure $done): void;
}
