<?php

// Every database has a backend of its own, decided here: php examples/proxy-tcp-resolver.php 127.0.0.1:5432 10.0.0.7:5432 10.0.0.8:5432

declare(strict_types=1);

const ANY_ARGUMENTS = true;
require __DIR__ . '/load.php';

use Tusk\Proxy\{First, Lookup, Protocol, Refused, Resolver, Route, Tcp, Validation};

/** Clients whose database begins with "a" to "m" go to the first backend, the others to the second; nobody gets into "secret". */
final class ByDatabase implements Resolver
{
    public function __construct(private string $first, private string $second) {}

    // Called once for each database: what was read of $lookup is the key of the answer.
    public function resolve(Lookup $lookup): Route
    {
        $database = $lookup->database ?? throw new Refused(404, 'no database was named');
        if ($database === 'secret') {
            throw new Refused(403, 'not for you');
        }
        return Route::to($database[0] < 'n' ? $this->first : $this->second, metadata: ['database' => $database], ttl: 60);
    }
}

[, $listen, $first, $second] = $argv + [1 => '127.0.0.1:5432', '127.0.0.1:15432', '127.0.0.1:25432'];
$proxy = new Tcp(
    resolver: new ByDatabase($first, $second),
    listen: $listen,
    validation: Validation::publicOnly()->allow('127.0.0.0/8', '::1', '10.0.0.0/8'),
    first: First::Client,
    protocol: Protocol::Postgres,
);
$proxy->onListen(fn () => print("The proxy is on port $proxy->port: psql -h 127.0.0.1 -p $proxy->port anna\n"));
exit($proxy->run());
