<?php

declare(strict_types=1);

namespace Tusk\Proxy;

/** A closure as a resolver. */
final readonly class Callback implements Resolver
{
    /**
     * @param \Closure(Lookup): (Route|Target|string|null) $resolve a target is a route to it, null a refusal with 404
     * @param float                                        $ttl     seconds, where it gives no Route
     */
    public function __construct(private \Closure $resolve, private float $ttl = 60.0) {}

    public function resolve(Lookup $lookup): Route
    {
        $answer = ($this->resolve)($lookup);

        return match (true) {
            $answer instanceof Route => $answer,
            $answer === null => throw new Refused(404, 'there is no route'),
            default => Route::to($answer, ttl: $this->ttl),
        };
    }
}
