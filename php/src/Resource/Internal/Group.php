<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;

/** What one use of a request started, with all that follows from it. */
final class Group
{
    /** @var \SplObjectStorage<Entry, null> that it still waits for */
    public \SplObjectStorage $entries;
    /** @var list<Request> of the next level, where levels are kept apart */
    public array $later = [];

    /**
     * @param \Closure(ResourceObject): list<Request> $next
     * @param \Closure(Request, \Throwable): void     $failed
     * @param Entry|null                              $owner whose method or links need it
     */
    public function __construct(
        public readonly \Closure $next,
        public readonly \Closure $failed,
        public readonly ?Entry $owner,
    ) {
        $this->entries = new \SplObjectStorage();
    }
}
