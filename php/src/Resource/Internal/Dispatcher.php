<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

/** Where a planner's requests run. */
interface Dispatcher
{
    /**
     * Gets the request of that entry going with its links. Planner::ended() MUST be called for it once, now or later, unless close() was
     * called before.
     */
    public function dispatch(Entry $entry): void;

    /** Waits for that group: until it has ended, or something else is to be waited for. */
    public function rest(Group $group): void;

    /** Ends what still runs. */
    public function close(): void;
}
