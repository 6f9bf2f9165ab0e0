<?php

// Every host has a backend of its own, decided here: php examples/proxy-http-resolver.php 127.0.0.1:8080 10.0.0.7:80

declare(strict_types=1);

const ANY_ARGUMENTS = true;
require __DIR__ . '/load.php';

use Tusk\Proxy\{Http, Lookup, Refused, Resolver, Route, Validation};

/** Hosts under example.org go to the backend; the rest is refused. */
final class ByHost implements Resolver
{
    public function __construct(private string $backend) {}

    // Called once for each host: what was read of $lookup is the key of the answer.
    public function resolve(Lookup $lookup): Route
    {
        return match (true) {
            $lookup->host === null => throw new Refused(404, 'no host was named'),
            str_ends_with(".$lookup->host", '.example.org') => Route::to($this->backend, metadata: ['host' => $lookup->host], ttl: 60),
            default => throw new Refused(404, 'there is no such site'),
        };
    }
}

[, $listen, $backend] = $argv + [1 => '127.0.0.1:8080', '127.0.0.1:18080'];
$proxy = new Http(
    resolver: new ByHost($backend),
    listen: $listen,
    validation: Validation::publicOnly()->allow('127.0.0.0/8', '::1', '10.0.0.0/8'),
);
$proxy->onListen(fn () => print("The proxy is on port $proxy->port: curl -H 'Host: shop.example.org' http://127.0.0.1:$proxy->port/\n"));
exit($proxy->run());
