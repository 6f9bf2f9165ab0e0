<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Client;
use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;

/** The planner of each client that has something under way: what its resources embed meanwhile goes to the same one. */
final class Planners
{
    /** @var \WeakMap<Client, Planner> */
    private \WeakMap $running;

    public function __construct()
    {
        $this->running = new \WeakMap();
    }

    /**
     * @param list<Request>                           $requests
     * @param \Closure(ResourceObject): list<Request> $next
     * @param \Closure(Request, \Throwable): void     $failed
     * @param \Closure(Client): Planner               $make     for a client that has none
     */
    public function settle(array $requests, \Closure $next, \Closure $failed, \Closure $make): void
    {
        $client = ($requests[0] ?? null)?->client;
        if ($client === null) {
            return;
        }
        $planner = $this->running[$client] ??= $make($client);
        try {
            $planner->settle($requests, $next, $failed);
        } finally {
            if (!$planner->isNeeded()) {
                unset($this->running[$client]);
                $planner->close();
            }
        }
    }
}
