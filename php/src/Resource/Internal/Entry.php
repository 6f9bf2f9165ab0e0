<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;

/** A request that runs, and all who wait for what it gives. */
final class Entry
{
    /** Kept here, as a request gives its failure away once. */
    public ResourceObject|\Throwable|null $outcome = null;
    /** It waits for a place. */
    public bool $queued = false;
    /** @var list<array{Request, Group}> equal requests beside its own */
    public array $waiting = [];
    /** @var array<int, Group> what its own method or links wait for, by object id */
    public array $inner = [];
    /** As the request was when it was started: a method may change its own one meanwhile, which is another request then. */
    public readonly Request $asked;

    public function __construct(
        public readonly Request $request,
        public readonly Group $group,
    ) {
        $this->asked = clone $request;
    }

    /** Whether this one cannot end before the other has. */
    public function needs(self $other): bool
    {
        if ($this === $other) {
            return true;
        }
        foreach ($this->inner as $group) {
            if ($group->needs($other)) {
                return true;
            }
        }

        return false;
    }
}
