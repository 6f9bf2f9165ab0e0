<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\ResourceObject;

/** Where a planner's requests run. */
interface Dispatcher
{
    /**
     * Gets the request of that entry going with its links.
     *
     * @param \Closure(ResourceObject|\Throwable): void $done MUST be called once, now or later, unless close() was called before
     */
    public function dispatch(Entry $entry, \Closure $done): void;

    /** Waits for that group: until it has ended, or something else is to be waited for. */
    public function rest(Group $group): void;

    /** Ends what still runs. */
    public function close(): void;
}
