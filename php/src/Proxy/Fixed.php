<?php

declare(strict_types=1);

namespace Tusk\Proxy;

/** Everybody goes to the same targets. */
final readonly class Fixed implements Resolver
{
    private Route $route;

    /** @param Target|string|list<Target|string> $targets */
    public function __construct(Target|string|array $targets, int $proxyProtocol = 0, ?UpstreamTls $tls = null)
    {
        $this->route = Route::to($targets, ttl: 86_400.0, proxyProtocol: $proxyProtocol, tls: $tls);
    }

    public function resolve(Lookup $lookup): Route
    {
        return $this->route;
    }
}
