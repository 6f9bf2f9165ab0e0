<?php

// Every mail domain has a backend of its own, decided here: php examples/proxy-smtp-resolver.php 127.0.0.1:2525 10.0.0.7:25

declare(strict_types=1);

const ANY_ARGUMENTS = true;
require __DIR__ . '/load.php';

use Tusk\Proxy\{Lookup, Refused, Resolver, Route, Smtp, Validation};

/** Clients that say EHLO with a name under example.org go to the backend; the rest is refused. */
final class ByDomain implements Resolver
{
    public function __construct(private string $backend) {}

    // Called once for each name: what was read of $lookup is the key of the answer.
    public function resolve(Lookup $lookup): Route
    {
        if (!str_ends_with('.' . $lookup->domain, '.example.org')) {
            throw new Refused(403, 'no mail from there');
        }
        return Route::to($this->backend, ttl: 60);
    }
}

[, $listen, $backend] = $argv + [1 => '127.0.0.1:2525', '127.0.0.1:10025'];
$proxy = new Smtp(
    resolver: new ByDomain($backend),
    listen: $listen,
    validation: Validation::publicOnly()->allow('127.0.0.0/8', '::1', '10.0.0.0/8'),
);
$proxy->onListen(fn () => print("The proxy is on port $proxy->port: clients that say EHLO mx.example.org get to the backend\n"));
exit($proxy->run());
