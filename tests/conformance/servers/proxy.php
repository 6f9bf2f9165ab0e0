<?php

// The HTTP proxy before a server, or before whichever one Host names: proxy.php PORT [BACKEND]

declare(strict_types=1);

use Tusk\Proxy\Forward;
use Tusk\Proxy\Forwarding;
use Tusk\Proxy\Http;
use Tusk\Proxy\Lookup;
use Tusk\Proxy\Resolver;
use Tusk\Proxy\Route;
use Tusk\Proxy\Validation;

final class ToOne implements Resolver
{
    public function __construct(private string $backend) {}

    public function resolve(Lookup $lookup): Route
    {
        return Route::to($this->backend);
    }
}

/** "p8080" is 127.0.0.1:8080, and is told so. */
final class ToHost implements Resolver
{
    public function resolve(Lookup $lookup): Route
    {
        $address = '127.0.0.1:' . substr((string) $lookup->host, 1);

        return Route::to($address, host: $address);
    }
}

$proxy = new Http(
    isset($argv[2]) ? new ToOne("127.0.0.1:$argv[2]") : new ToHost(),
    "127.0.0.1:$argv[1]",
    validation: Validation::none(),
    forwarding: new Forwarding(Forward::Off, Forward::Off, isset($argv[2]) ? Forward::Off : Forward::Append), // a server tells what it has seen
);
exit($proxy->run());
