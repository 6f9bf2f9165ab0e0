<?php

declare(strict_types=1);

namespace Tusk\Resource;

/** Where and when embedded and linked requests run. Whatever it does, bodies are put together in declaration order. */
interface Engine
{
    /**
     * Gets requests going before they are used, so that each use finds its result.
     *
     * MAY leave a request alone: it then runs in this process when it is used. MUST NOT throw what a resource threw, but
     * settle its request with that and tell $failed. MUST return only when all that it started has ended.
     *
     * @param list<Request>                           $requests GET and HEAD only; one that stands in a body twice may be there twice
     * @param \Closure(ResourceObject): list<Request> $next     what a result makes ready; MAY be started at once
     * @param \Closure(Request, \Throwable): void     $failed
     */
    public function settle(array $requests, \Closure $next, \Closure $failed): void;
}
