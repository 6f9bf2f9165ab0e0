<?php

// SPDX-License-Identifier: MIT
// The subject of bench/proxy/compare: php bench/proxy/tusk.php LISTEN BACKEND copy|splice|uring|sockmap|http cached|uncached [WORKERS]

declare(strict_types=1);

define('ANY_ARGUMENTS', true);
require dirname(__DIR__, 2) . '/examples/load.php';

use Tusk\Proxy\{Engine, First, Forward, Forwarding, Http, HttpLimits, Limits, Lookup, Resolver, Route, Sockmap, Tcp, Validation};

/** Uncached, it reads what is another for every client. */
final class ToBackend implements Resolver
{
    public function __construct(private string $backend, private bool $cached) {}

    public function resolve(Lookup $lookup): Route
    {
        return $this->cached || $lookup->peerPort > 0 ? Route::to($this->backend, ttl: $this->cached ? 3600 : 0) : throw new LogicException('no port');
    }
}

[, $listen, $backend, $engine, $cache] = $argv;
$workers = (int) ($argv[5] ?? 1);
if ($engine === 'http') {
    $forwarding = new Forwarding(forwarded: Forward::Off, via: Forward::Off);
    exit((new Http(new ToBackend($backend, true), $listen, Validation::none(), http: new HttpLimits(requests: 0, poolIdle: 1024), forwarding: $forwarding))->run());
}
$proxy = new Tcp(
    new ToBackend($backend, $cache === 'cached'),
    $listen,
    ...($workers > 1 ? ['workers' => $workers] : []),
    sockmap: $engine === 'sockmap' ? Sockmap::On : Sockmap::Off,
    validation: Validation::none(),
    engine: ['splice' => Engine::Splice, 'uring' => Engine::Uring][$engine] ?? Engine::Copy,
    first: First::Server,
    limits: new Limits(idleMs: 600_000), // every timer that a session can have runs
);
exit($proxy->run());
