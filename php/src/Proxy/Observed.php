<?php

declare(strict_types=1);

namespace Tusk\Proxy;

/**
 * A resolver that is watched: somebody is told of each answer, and of what is thrown, right after it was given. Not of remembered answers, which
 * nobody resolves (onAccess has every session).
 */
final readonly class Observed implements Reloadable
{
    /**
     * @param \Closure(Lookup, Route|\Throwable, float): void $onResolve the answer, a Refused among the throwables, and the seconds that it took. What it
     *                                                                   reads of the Lookup is part of the answer's key, as what the resolver reads.
     *                                                                   What it throws takes the answer's place.
     */
    public function __construct(private Resolver $resolver, private \Closure $onResolve) {}

    public function resolve(Lookup $lookup): Route
    {
        $began = hrtime(true);
        try {
            $answer = $this->resolver->resolve($lookup);
        } catch (\Throwable $answer) {
        }
        ($this->onResolve)($lookup, $answer, (hrtime(true) - $began) / 1e9);

        return $answer instanceof Route ? $answer : throw $answer;
    }

    /** The resolver's own, where it has one. */
    public function reload(bool $asked): bool
    {
        return $this->resolver instanceof Reloadable && $this->resolver->reload($asked);
    }
}
